/** Statements of a flush that must see the effect of its other statements, or that the statement of `statement.ts` must see. */
import { predicateOf } from "../../rows/index-predicates.ts";
import { addUsage, isAmong } from "./fragments.ts";
import type { NamedStatement } from "./query.ts";

/** Runs before the others: only for runs that this flush creates. Otherwise another run with the same id was stored first. */
export const insertPushTargets: NamedStatement = {
  name: "insert_push_targets",
  text: `insert into push_targets (run_key, id, url, config, version, created_at, cursor, marks, due_at, failures, owner, claims,
      user_id)
    select run_key, id, url, config, version, created_at, cursor, 0, null, 0, null, 0, user_id
    from json_to_recordset($1::json) as d(run_key int8, id text, url text, config text, version text, created_at int8, cursor int4,
      user_id text)
    order by run_key, id on conflict do nothing`,
};

export const promote: NamedStatement = {
  name: "promote",
  text: `update run_heads h set ready = 1 where h.ready = 0 and h.run_key = any(array(
      select (select p.run_key from run_heads p where p.session_key = k.key and ${predicateOf("heads_unfinished", "p")}
        and p.status = 'PENDING' order by p.session_seq limit 1) as run_key
      from unnest($1::int8[]) as k(key)))`,
};

export const putSummaries: NamedStatement = {
  name: "put_summaries",
  text: `update sessions s set summary = d.summary, summary_seq = d.seq, summary_by = d.by, summary_version = s.summary_version + 1
    from json_to_recordset($1::json) as d(key int8, summary text, seq int4, by text, version int4)
    where s.key = d.key and ${isAmong("s.key", "$1", "key int8")} and s.summary_version = d.version`,
};

/** Ends approvals that were still pending when their run ended. */
export const endApprovals: NamedStatement = {
  name: "end_approvals",
  text: `update approvals a set status = d.status, updated_at = d.at
    from json_to_recordset($1::json) as d(run_key int8, status text, at int8)
    where a.run_key = d.run_key and ${isAmong("a.run_key", "$1", "run_key int8")} and coalesce(a.status, '') = 'pending'`,
};

/** For runs that end while they are paused: their schedules' fires become due, so that a process checks the fires again. */
export const reopenFires: NamedStatement = {
  name: "reopen_fires",
  text: `update schedule_fires f set status = 'running', owner = null, completed_at = null,
      due_at = cast(extract(epoch from clock_timestamp()) * 1000 as bigint)
    where f.status = 'paused' and f.run_id = any(array(
      select r.run_id from runs r where ${isAmong("r.key", "$1", "run_key int8")}))`,
};

export const replaceRuns: NamedStatement = {
  name: "replace_runs",
  text: `update runs r set replaced_by = d.run_id from json_to_recordset($1::json) as d(key int8, run_id text)
    where r.key = d.key and ${isAmong("r.key", "$1", "key int8")}`,
};

export const resetTakeovers: NamedStatement = {
  name: "reset_takeovers",
  text: "update run_heads set stalled_takeovers = 0 where run_key = any($1::int8[])",
};

/** Runs last: other flushes wait for its locks, which are then held for the commit only. */
export const countUsage: NamedStatement = { name: "count_usage", text: addUsage("$1", "true") };
