/** The statements that write the changes of a flush. */
import { predicateOf } from "../../rows/index-predicates.ts";
import {
  failUnlessEqual,
  isAmong,
  makePushTargetsDue,
  messageFields,
  putMessages,
  putSegments,
  segmentRows,
} from "./fragments.ts";
import type { NamedStatement } from "./query.ts";

const runColumns = `key, run_id, root_key, parent_key, kind, component_id, component_name, session_key, session_seq, user_id, brief,
  input, options, output, definition_hash, model, model_provider, tool_call_id, created_at`;

const runFields = `key int8, run_id text, root_key int8, parent_key int8, kind text, component_id text,
  component_name text, session_key int8, session_seq int4, user_id text, brief text, input text, options text, output text, definition_hash text,
  model text, model_provider text, tool_call_id text, created_at int8, status text`;

const headColumns = `run_key, root_key, session_key, session_seq, policy, status, attempt, owner, ready, user_id, background,
  cancel_requested, first_kept, updated_at`;

const headValues =
  "d.key, d.root_key, d.session_key, d.session_seq, d.policy, d.status, d.attempt, d.owner, d.ready, coalesce(d.user_id, ''), d.background, 0, 0, d.created_at";

/** Fields that a head has in addition to the fields of its run. */
const headFields = "policy text, attempt int4, owner text, ready int2, background int2";

const unfinishedMember = predicateOf("heads_members", "h");

const sessionColumns =
  "key, owner, session_id, kind, component_id, user_id, state, title, usage, next_seq, created_at, updated_at";

/** See `failed_as` of the table. */
const failedAs = (status: string): string => `case when ${status} in ('ERROR', 'CANCELLED') then ${status} end`;

/**
 * The main part of most flushes: segments ($1 to $7), messages ($8), sessions known to be missing ($9), new root runs ($10), runs that end ($11) and
 * their members ($12), sessions ($13), and runs whose push targets become due ($14). Fails if a run waits in one of the sessions for which none was
 * assumed ($15), or if a new run was deleted before: the write is then a late duplicate of an earlier try. The parts run in any order and do not see
 * each other's writes. This is safe because the locks are already held, and no row is written by two parts.
 */
export const writeTurns: NamedStatement = {
  name: "write_turns",
  text: `with written as (${putSegments} from ${segmentRows} on conflict do nothing),
    said as (${putMessages(`json_to_recordset($8::json) as d(${messageFields})`)}),
    made as (insert into sessions (${sessionColumns}) select ${sessionColumns} from json_to_recordset($9::json)
      as d(key int8, owner text, session_id text, kind text, component_id text, user_id text, state text, title text, usage text,
        next_seq int4, created_at int8, updated_at int8)
      order by session_id, owner),
    n as materialized (select * from json_to_recordset($10::json) as d(${runFields}, ${headFields})),
    begun as (insert into runs (${runColumns}, failed_as) select ${runColumns}, ${failedAs("d.status")} from n as d order by d.run_id
      returning key),
    headed as (insert into run_heads (${headColumns}) select ${headValues} from n as d order by d.key),
    c as materialized (select * from json_to_recordset($11::json) as d(key int8, status text, output text, at int8)),
    changed as (update run_heads h set status = c.status, owner = null, ready = 1, updated_at = c.at from c where h.run_key = c.key and h.run_key = any(array(select key from c))),
    ended as (update runs r set output = coalesce(c.output, r.output), failed_as = ${failedAs("c.status")}
      from c where r.key = c.key and r.key = any(array(select key from c)) and (c.output is not null or c.status in ('ERROR', 'CANCELLED'))),
    families as (update run_heads h set status = d.status, updated_at = d.at
      from json_to_recordset($12::json) as d(root_key int8, status text, at int8)
      where h.root_key = d.root_key and ${isAmong("h.root_key", "$12", "root_key int8")} and ${unfinishedMember}),
    moved as (update sessions s set next_seq = d.next_seq, state = coalesce(d.state, s.state), title = coalesce(d.title, s.title),
        usage = coalesce(d.usage, s.usage), updated_at = greatest(s.updated_at, d.at)
      from json_to_recordset($13::json) as d(key int8, next_seq int4, state text, title text, usage text, at int8)
      where s.key = d.key and ${isAmong("s.key", "$13", "key int8")}),
    told as (${makePushTargetsDue} where run_key = any($14::int8[]))
    select ${failUnlessEqual("count(*)", "0")} from (
      select 1 from begun where run_is_deleted(key)
      union all select 1 from unnest($15::int8[]) as d(key)
        where (select true from run_heads h where h.session_key = d.key and ${predicateOf("heads_unfinished", "h")}
          and h.status = 'PENDING' limit 1)) as wrong`,
};

/** Inserts members in their current state; existing ones are unchanged. */
export const insertMembers: NamedStatement = {
  name: "insert_members",
  text: `with d as materialized (select * from json_to_recordset($1::json) as d(${runFields}, ${headFields})),
    made as (insert into runs (${runColumns}) select ${runColumns} from d order by run_id on conflict do nothing returning key)
    insert into run_heads (${headColumns}) select ${headValues} from d join made on made.key = d.key order by d.key
    on conflict do nothing`,
};
export const insertMarks: NamedStatement = {
  name: "insert_marks",
  text: `insert into marks (run_key, name, created_at, body) select run_key, name, created_at, body
    from json_to_recordset($1::json) as d(run_key int8, name text, created_at int8, body text)
    order by run_key, name on conflict do nothing`,
};

export const endMembers: NamedStatement = {
  name: "end_members",
  text: `with d as (select * from json_to_recordset($1::json) as d(key int8, root_key int8, status text, output text)),
    ended as (update run_heads h set status = d.status from d where h.run_key = d.key and h.root_key = d.root_key
      and h.run_key = any(array(select key from d)) and h.run_key <> h.root_key and h.status in ('PENDING', 'RUNNING', 'PAUSED')
      returning h.run_key)
    update runs r set output = d.output from d join ended on ended.run_key = d.key
      where r.key = d.key and r.key = any(array(select run_key from ended))`,
};

export const promote: NamedStatement = {
  name: "promote",
  text: `update run_heads h set ready = 1 where h.ready = 0 and h.run_key = any(array(
      select (select p.run_key from run_heads p where p.session_key = k.key and ${predicateOf("heads_unfinished", "p")}
        and p.status = 'PENDING' order by p.session_seq limit 1) as run_key
      from unnest($1::int8[]) as k(key)))`,
};

const approvalColumns = `id, run_key, status, approval_type, pause_type, source_type, source_name, agent_id, team_id, workflow_id, tool_name,
  tool_args, requirements, created_at, updated_at`;

export const insertApprovals: NamedStatement = {
  name: "insert_approvals",
  text: `insert into approvals (${approvalColumns}) select ${approvalColumns} from json_to_recordset($1::json) as d(id text, run_key int8,
      status text, approval_type text, pause_type text, source_type text, source_name text, agent_id text, team_id text, workflow_id text,
      tool_name text, tool_args text, requirements text, created_at int8, updated_at int8)
    order by id on conflict do nothing`,
};

export const putAnswerDeadlines: NamedStatement = {
  name: "put_answer_deadlines",
  text: `insert into answer_deadlines (run_key, attempt, due_at) select run_key, attempt, due_at
    from json_to_recordset($1::json) as d(run_key int8, attempt int4, due_at int8) order by run_key
    on conflict (run_key) do update set attempt = excluded.attempt, due_at = excluded.due_at`,
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

/** Only for runs that this flush creates: otherwise another run with the same id was stored first. */
export const insertPushTargets: NamedStatement = {
  name: "insert_push_targets",
  text: `insert into push_targets (run_key, id, url, config, version, created_at, cursor, marks, due_at, failures, owner, claims,
      user_id)
    select run_key, id, url, config, version, created_at, cursor, 0, null, 0, null, 0, user_id
    from json_to_recordset($1::json) as d(run_key int8, id text, url text, config text, version text, created_at int8, cursor int4,
      user_id text)
    order by run_key, id on conflict do nothing`,
};

/** Written last: other flushes wait for its locks, which are then held for the commit only. Returns the totals. */
export const addUsage: NamedStatement = {
  name: "add_usage",
  text: `insert into usage_counters as u (period, scope, key, tokens, nanos, model_requests, tool_calls)
    select period, scope, key, tokens, nanos, model_requests, tool_calls
      from json_to_recordset($1::json) as d(period text, scope text, key text, tokens int8, nanos int8, model_requests int8, tool_calls int8)
      order by period collate "C", scope collate "C", key collate "C"
    on conflict (period, scope, key) do update set tokens = u.tokens + excluded.tokens, nanos = u.nanos + excluded.nanos,
      model_requests = u.model_requests + excluded.model_requests, tool_calls = u.tool_calls + excluded.tool_calls
    returning period, scope, key, tokens, nanos, model_requests as "modelRequests", tool_calls as "toolCalls"`,
};

export const resetTakeovers: NamedStatement = {
  name: "reset_takeovers",
  text: "update run_heads set stalled_takeovers = 0 where run_key = any($1::int8[])",
};
