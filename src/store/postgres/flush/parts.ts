/**
 * The parts of the statement that writes a flush: see `statement.ts`. The parts of one statement run in any order and do not see each other's writes.
 * This is safe because the locks are held before any part writes, and no row is written by two parts.
 */
import { encodings } from "../../encryption/frames.ts";
import { webhookJob } from "../../queries/jobs/new-delivery.ts";
import { predicateOf } from "../../rows/index-predicates.ts";
import { addUsage, isAmong } from "./fragments.ts";

/** A part. Its parameters are $1, $2, … in its own text. */
export interface Part {
  /** One letter of the statement's name. */
  readonly letter: string;
  /** Its values for no rows: one for each of its parameters. */
  readonly empty: readonly unknown[];
  /** Common table expressions that write under the condition `gate`. */
  readonly writes: (gate: string) => string;
}

/** A part that locks rows which the flush assumes to be in a certain state. It writes nothing. */
export interface Check {
  readonly letter: string;
  readonly empty: readonly unknown[];
  /** Common table expressions. */
  readonly locks: string;
  /** Whether the assumption holds. The locks are acquired when this is evaluated. */
  readonly holds: string;
}

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
const unfinishedRun = predicateOf("heads_unfinished", "h");

const sessionColumns =
  "key, owner, session_id, kind, component_id, user_id, state, title, usage, next_seq, created_at, updated_at";

const messageColumns = "run_key, position, id, created_at, brief, body";
const markColumns = "run_key, name, created_at, body";

const approvalColumns = `id, run_key, status, approval_type, pause_type, source_type, source_name, agent_id, team_id, workflow_id, tool_name,
  tool_args, requirements, created_at, updated_at`;

const now = "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)";

/** See `failed_as` of the table. */
const failedAs = (status: string): string => `case when ${status} in ('ERROR', 'CANCELLED') then ${status} end`;

/**
 * Runs ($1) that are RUNNING at their attempts ($2). A write that is a step ($3), that is, contains more than events, also needs a run without a
 * requested cancel and without messages from callers, and with progress since any takeover.
 */
export const runningHeads: Check = {
  letter: "r",
  empty: ["{}", "{}", "{}"],
  locks: `h as materialized (
      select h.run_key, h.watched from (select * from unnest($1::int8[], $2::int4[], $3::bool[]) as d(run_key, attempt, is_step) order by d.run_key) as d
        cross join lateral (select h.run_key, h.watched from run_heads h
          where h.run_key = d.run_key and h.attempt = d.attempt and h.status = 'RUNNING'
            and (not d.is_step or (h.cancel_requested = 0 and h.stalled_takeovers = 0 and h.steered = 0)) for no key update) as h)`,
  holds: "(select count(*) from h) = cardinality($1::int8[])",
};

/**
 * Sessions ($1) that are unchanged, and in which no run waits. A concurrent creation of a waiting run changes the session's `next_seq`. Sessions are
 * locked after the heads: their rows are read only if all heads were found.
 */
export const unchangedSessions: Check = {
  letter: "s",
  empty: ["[]"],
  locks: `s as materialized (
      select s.key from (select * from json_to_recordset($1::json) as d(key int8, next_seq int4, usage text)
          where (select count(*) from h) > 0 order by d.key) as d
        cross join lateral (select s.key from sessions s
          where s.key = d.key and s.next_seq = d.next_seq and s.usage is not distinct from d.usage for no key update) as s)`,
  holds: `(select count(*) from s) = json_array_length($1::json) and not exists (
      select 1 from s cross join lateral (select true from run_heads h
        where h.session_key = s.key and ${unfinishedRun} and h.status = 'PENDING' limit 1) as h)`,
};

/** Existing reservations ($1) of idempotency keys. */
export const reservations: Check = {
  letter: "k",
  empty: ["[]"],
  locks: `t as materialized (
      select 1 from (select * from json_to_recordset($1::json) as d(digest text, run_id text) order by d.digest) as d
        cross join lateral (select 1 from starts t where t.digest = d.digest and t.run_id = d.run_id for share) as t)`,
  holds: "(select count(*) from t) = json_array_length($1::json)",
};

/**
 * Segments in one buffer ($7): keys, attempts, first and last indexes, the start position of each one's frames (from 1) and their length. Without a
 * conflict clause, which would cost a third more.
 */
export const segments: Part = segmentsPart("e", "written", encodings.plain);

/** The same for encrypted frames. */
export const sealedSegments: Part = segmentsPart("x", "sealed", encodings.sealedPlain);

/** Messages ($1). Existing ones are unchanged. */
export const messages: Part = {
  letter: "m",
  empty: ["[]"],
  writes: (gate) => `put_messages as (insert into messages (${messageColumns}) select ${messageColumns}
    from json_to_recordset($1::json) as d(run_key int8, position int4, id text, created_at int8, brief text, body text)
    where ${gate} order by run_key, position on conflict do nothing)`,
};

/** Marks ($1). Existing ones are unchanged. */
export const marks: Part = {
  letter: "n",
  empty: ["[]"],
  writes: (gate) => `put_marks as (insert into marks (${markColumns}) select ${markColumns}
    from json_to_recordset($1::json) as d(run_key int8, name text, created_at int8, body text)
    where ${gate} order by run_key, name on conflict do nothing)`,
};

/** Sessions known to be missing ($1), and new root runs ($2). */
export const creations: Part = {
  letter: "c",
  empty: ["[]", "[]"],
  writes: (
    gate,
  ) => `made as (insert into sessions (${sessionColumns}) select ${sessionColumns} from json_to_recordset($1::json)
      as d(key int8, owner text, session_id text, kind text, component_id text, user_id text, state text, title text, usage text,
        next_seq int4, created_at int8, updated_at int8)
      where ${gate} order by session_id, owner),
    new_runs as materialized (select * from json_to_recordset($2::json) as d(${runFields}, ${headFields}) where ${gate}),
    begun as (insert into runs (${runColumns}, failed_as) select ${runColumns}, ${failedAs("d.status")} from new_runs as d order by d.run_id
      returning key),
    headed as (insert into run_heads (${headColumns}) select ${headValues} from new_runs as d order by d.key)`,
};

/**
 * An expression for each created run ("key"), evaluated after the insert. It fails if the run was deleted before: the write then arrived late on a lost
 * connection, and was repeated on another one. The text appears in the database's log.
 */
export const rejectDeleted: string = `case when run_is_deleted(key) then
  cast('expected: Troupe rejects a late repetition of a write, because its run was deleted: ' || key as bigint) else key end`;

/** Members in their current state ($1). Existing ones are unchanged. */
export const members: Part = {
  letter: "j",
  empty: ["[]"],
  writes: (
    gate,
  ) => `joined as materialized (select * from json_to_recordset($1::json) as d(${runFields}, ${headFields}) where ${gate}),
    joined_runs as (insert into runs (${runColumns}) select ${runColumns} from joined order by run_id on conflict do nothing returning key),
    joined_heads as (insert into run_heads (${headColumns}) select ${headValues} from joined d join joined_runs on joined_runs.key = d.key
      order by d.key on conflict do nothing)`,
};

/** Ends of stored members ($1). */
export const memberEnds: Part = {
  letter: "f",
  empty: ["[]"],
  writes: (
    gate,
  ) => `finished as materialized (select * from json_to_recordset($1::json) as d(key int8, root_key int8, status text, output text)
      where ${gate}),
    finished_heads as (update run_heads h set status = d.status from finished d where h.run_key = d.key and h.root_key = d.root_key
      and h.run_key = any(array(select key from finished)) and h.run_key <> h.root_key and h.status in ('PENDING', 'RUNNING', 'PAUSED')
      returning h.run_key),
    finished_runs as (update runs r set output = d.output from finished d join finished_heads on finished_heads.run_key = d.key
      where r.key = d.key and r.key = any(array(select run_key from finished_heads)))`,
};

/** Status changes of stored root runs ($1), and the ends of their unfinished members ($2), except members that end themselves ($3). */
export const heads: Part = {
  letter: "h",
  empty: ["[]", "[]", "{}"],
  writes: (
    gate,
  ) => `changes as materialized (select * from json_to_recordset($1::json) as d(key int8, status text, output text, at int8) where ${gate}),
    changed as (update run_heads h set status = c.status, owner = null, ready = 1, updated_at = c.at
      from changes c where h.run_key = c.key and h.run_key = any(array(select key from changes))),
    ended as (update runs r set output = coalesce(c.output, r.output), failed_as = ${failedAs("c.status")}
      from changes c where r.key = c.key and r.key = any(array(select key from changes)) and (c.output is not null or c.status in ('ERROR', 'CANCELLED'))),
    families as (update run_heads h set status = d.status, updated_at = d.at
      from json_to_recordset($2::json) as d(root_key int8, status text, at int8)
      where h.root_key = d.root_key and ${isAmong("h.root_key", "$2", "root_key int8")} and ${unfinishedMember}
        and h.run_key <> all($3::int8[]) and ${gate})`,
};

/** Changes of stored sessions ($1). */
export const sessions: Part = {
  letter: "v",
  empty: ["[]"],
  writes: (
    gate,
  ) => `moved as (update sessions s set next_seq = d.next_seq, state = coalesce(d.state, s.state), title = coalesce(d.title, s.title),
        usage = coalesce(d.usage, s.usage), updated_at = greatest(s.updated_at, d.at)
      from json_to_recordset($1::json) as d(key int8, next_seq int4, state text, title text, usage text, at int8)
      where s.key = d.key and ${isAmong("s.key", "$1", "key int8")} and ${gate})`,
};

/** Runs ($1) whose push targets become due, by the database's clock, unless they are due already. */
export const duePushTargets: Part = {
  letter: "p",
  empty: ["{}"],
  writes: (gate) => `made_due as (update push_targets set marks = marks + 1, due_at = coalesce(due_at, ${now})
      where run_key = any($1::int8[]) and ${gate})`,
};

/** Approvals ($1) and answer deadlines ($2) of runs that pause. */
export const pauses: Part = {
  letter: "a",
  empty: ["[]", "[]"],
  writes: (
    gate,
  ) => `put_approvals as (insert into approvals (${approvalColumns}) select ${approvalColumns} from json_to_recordset($1::json)
      as d(id text, run_key int8, status text, approval_type text, pause_type text, source_type text, source_name text, agent_id text,
        team_id text, workflow_id text, tool_name text, tool_args text, requirements text, created_at int8, updated_at int8)
      where ${gate} order by id on conflict do nothing),
    put_deadlines as (insert into answer_deadlines (run_key, attempt, due_at) select run_key, attempt, due_at
      from json_to_recordset($2::json) as d(run_key int8, attempt int4, due_at int8) where ${gate} order by run_key
      on conflict (run_key) do update set attempt = excluded.attempt, due_at = excluded.due_at)`,
};

/** Messages for webhooks ($1), with their jobs. A repeated flush finds the messages that it stored before, and adds none. */
export const deliveries: Part = {
  letter: "w",
  empty: ["[]"],
  writes: (
    gate,
  ) => `put_deliveries as (insert into webhook_deliveries (id, hook_id, event, run_key, event_index, schedule_id, fire_id, share, state,
        attempts, status_code, error, created_at, updated_at)
      select id, hook_id, event, run_key, event_index, null, null, share, 'pending', 0, null, null, created_at, created_at
      from json_to_recordset($1::json) as d(id text, hook_id text, event text, run_key int8, event_index int4, share text, created_at int8)
      where ${gate} order by id on conflict do nothing returning id),
    put_jobs as (insert into jobs (kind, id, lane, share, due_at, attempt, owner, claims, state, created_at)
      select '${webhookJob}', d.id, d.lane, d.share, ${now}, 0, null, 0, null, d.created_at
      from json_to_recordset($1::json) as d(id text, lane text, share text, created_at int8) join put_deliveries p on p.id = d.id
      order by d.id)`,
};

/** Jobs about ended runs ($1). */
export const jobs: Part = {
  letter: "x",
  empty: ["[]"],
  writes: (
    gate,
  ) => `put_run_jobs as (insert into jobs (kind, id, lane, share, due_at, attempt, owner, claims, state, created_at)
      select kind, id, lane, share, ${now}, 0, null, 0, null, created_at
      from json_to_recordset($1::json) as d(kind text, id text, lane text, share text, created_at int8)
      where ${gate} order by kind, id on conflict do nothing)`,
};

/** Amounts ($1) that are added to shared counters. Only for a statement that is the whole flush: no other statement then waits under these locks. */
export const usage: Part = {
  letter: "u",
  empty: ["[]"],
  writes: (gate) => `counted as (${addUsage("$1", gate)})`,
};

function segmentsPart(letter: string, name: string, encoding: number): Part {
  return {
    letter,
    empty: ["{}", "{}", "{}", "{}", "{}", "{}", Buffer.alloc(0)],
    writes: (
      gate,
    ) => `${name} as (insert into segments (run_key, last_index, first_index, attempt, encoding, size, frames)
    select d.run_key, d.last_index, d.first_index, d.attempt, ${encoding}, d.size, substring($7::bytea from d.start for d.size)
    from unnest($1::int8[], $2::int4[], $3::int4[], $4::int4[], $5::int4[], $6::int4[])
      as d(run_key, attempt, first_index, last_index, start, size) where ${gate})`,
  };
}
