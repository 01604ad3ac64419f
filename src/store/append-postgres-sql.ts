/**
 * Statements of a flush on Postgres. Rows come as one JSON text or as arrays, so that each statement is planned once whatever the number of
 * rows. JSON texts of the tables are strings inside it and never cast: their own \u0000 stays as it is. Locks are taken heads first, then
 * sessions, each in key order; rows that others may be inserting at the same time go in the order of their unique key.
 */

/** A named statement: the server keeps its plan. */
export interface Named {
  readonly name: string;
  readonly text: string;
}

/** Creations, as the statements take them. */
const creations = `json_to_recordset($1::json) as c(place int, key int8, run_id text, owner text, session_id text, kind text, component_id text,
  user_id text, state text, created_at int8, reservation text)`;

/** Sessions that a flush needs: those of creations by name, those of runs that end or patch by the run. */
const sessionKeys = `select s.key from ${creations} join sessions s on s.session_id = c.session_id and s.owner = c.owner
  union select h.session_key from run_heads h where h.run_key = any($2::int8[])`;

const runColumns = `key, run_id, root_key, parent_key, kind, component_id, component_name, session_key, session_seq, user_id, input,
  options, output, definition_hash, model, model_provider, tool_call_id, created_at`;

const runRows = `json_to_recordset($1::json) as d(key int8, run_id text, root_key int8, parent_key int8, kind text, component_id text,
  component_name text, session_key int8, session_seq int4, user_id text, input text, options text, output text, definition_hash text,
  model text, model_provider text, tool_call_id text, created_at int8, status text)`;

/** See `failed_as` of the table. */
const failedAs = (status: string): string => `case when ${status} in ('ERROR', 'CANCELLED') then ${status} end`;

const headRows = `json_to_recordset($1::json) as d(key int8, root_key int8, session_key int8, session_seq int4, policy text, status text,
  attempt int4, owner text, ready int2, user_id text, background int2, created_at int8)`;

const headColumns = `run_key, root_key, session_key, session_seq, policy, status, attempt, owner, ready, user_id, background,
  cancel_requested, first_kept, updated_at`;

const headValues =
  "d.key, d.root_key, d.session_key, d.session_seq, d.policy, d.status, d.attempt, d.owner, d.ready, coalesce(d.user_id, ''), d.background, 0, 0, d.created_at";

const unfinishedMember = "h.session_seq is null and h.status in ('PENDING', 'RUNNING', 'PAUSED')";

/** Segments in one buffer: keys, attempts, first and last indices, where each one's frames begin (from 1) and how long they are. */
const segmentRows = `unnest($1::int8[], $2::int4[], $3::int4[], $4::int4[], $5::int4[], $6::int4[])
  as d(run_key, attempt, first_index, last_index, start, size)`;

const putSegments = `insert into segments (run_key, last_index, first_index, attempt, encoding, size, frames)
  select d.run_key, d.last_index, d.first_index, d.attempt, 0, d.size, substring($7::bytea from d.start for d.size)`;

/** Segments of runs that hold their fence. */
const fenced = `d as materialized (
      select d.*, h.watched from ${segmentRows}
        join run_heads h on h.run_key = d.run_key and h.attempt = d.attempt and h.status = 'RUNNING'
        order by h.run_key for no key update of h),
    written as (${putSegments} from d returning 1)`;

/** How many segments were written, and of which runs others are told. */
const answerOfSegments =
  "select count(*) as written, (select string_agg(run_key::text, ' ') from d where watched = 1) as watched from written";

/**
 * A flush of nothing but segments, fence included: one statement, one transaction; it answers how many it wrote, and whose are watched. A conflict clause would cost
 * a third more, and a row of answer for each segment a tenth.
 */
export const appendSegments: Named = {
  name: "append_segments",
  text: `with ${fenced} ${answerOfSegments}`,
};

const messageColumns = "run_key, position, id, created_at, body";

/** Messages, as the statements take them. */
const messageFields = "run_key int8, position int4, id text, created_at int8, body text";

/** Puts messages; those that are there stay as they are. */
const putMessages = (source: string): string =>
  `insert into messages (${messageColumns}) select ${messageColumns} from ${source} order by run_key, position on conflict do nothing`;

/** A run that begins is told of like one that changes its state. */
const tell = `update push_targets t set marks = marks + 1,
      due_at = coalesce(due_at, cast(extract(epoch from clock_timestamp()) * 1000 as bigint))`;

/**
 * The same with messages ($8, each with its root) and runs that begin ($9): as often as runs begin or models answer, and so not a matter of two round trips.
 * A run that says something got further after its takeover.
 */
export const appendSaid: Named = {
  name: "append_said",
  text: `with ${fenced},
    m as materialized (select m.* from json_to_recordset($8::json)
      as m(root_key int8, ${messageFields}) join d on d.run_key = m.root_key),
    said as (${putMessages("m")}),
    progressed as (update run_heads h set stalled_takeovers = 0 from (select distinct root_key from m) as m
      where h.run_key = m.root_key and h.stalled_takeovers > 0),
    told as (${tell} from d where t.run_key = d.run_key and d.run_key = any($9::int8[]))
    ${answerOfSegments}`,
};
export const lockHeads: Named = {
  name: "lock_heads",
  text: `select run_key as key, status, attempt, cancel_requested as "cancelRequested", stalled_takeovers as "stalledTakeovers",
      session_key as "sessionKey", watched
    from run_heads where run_key = any($1::int8[]) order by run_key for no key update`,
};
export const findRuns: Named = {
  name: "find_runs",
  text: `select r.run_id as "runId", r.key, h.attempt, h.owner, r.session_key as "sessionKey", r.session_seq as "sessionSeq",
      s.state as "sessionState"
    from runs r join run_heads h on h.run_key = r.key join sessions s on s.key = r.session_key where r.run_id = any($1::text[])`,
};
/** Of runs that an earlier try may have made, those that were deleted since. Asked after `find_runs`: a run is in one of both answers. */
export const findDeleted: Named = {
  name: "find_deleted",
  text: "select run_key as key from deleted_runs where run_key = any($1::int8[])",
};
/** Reservations of starts, kept from being deleted with their runs until the commit. */
export const findReservations: Named = {
  name: "find_reservations",
  text: `select digest, run_id as "runId" from starts where digest = any($1::text[]) order by digest for share`,
};
/** Of runs that are to be replaced, those that are there and are not. Their rows are locked: of two that replace one, the second sees the first. */
export const findReplaceable: Named = {
  name: "find_replaceable",
  text: `select key from runs where key = any($1::int8[]) and replaced_by is null order by key for no key update`,
};
/** Locks the sessions there are, makes those that are missing. One that another transaction makes at the same time is in neither part. */
export const lockSessions: Named = {
  name: "lock_sessions",
  text: `with there as materialized (
      select key, owner, session_id, next_seq, state, title, usage from sessions where key in (${sessionKeys}) order by key for no key update),
    made as (
      insert into sessions (owner, session_id, kind, component_id, user_id, state, next_seq, created_at, updated_at)
      select distinct on (c.session_id, c.owner) c.owner, c.session_id, c.kind, c.component_id, c.user_id, c.state, 0, c.created_at,
        c.created_at
      from ${creations}
      where not exists (select 1 from runs r where r.run_id = c.run_id)
        and not exists (select 1 from deleted_runs x where x.run_key = c.key)
        and (c.reservation is null
          or exists (select 1 from starts t where t.digest = c.reservation and t.run_id = c.run_id))
        and not exists (select 1 from sessions s where s.session_id = c.session_id and s.owner = c.owner)
      order by c.session_id, c.owner, c.place
      on conflict do nothing returning key, owner, session_id, next_seq, state, title, usage)
    select key, owner, session_id as "sessionId", next_seq as "nextSeq", state, title is null as "isUntitled", usage from there
    union all select key, owner, session_id, next_seq, state, title is null, usage from made`,
};
/**
 * Which sessions of creations have unfinished root runs, and which of runs that end have waiting ones. A statement of its own: it must see
 * what was committed before the locks were got.
 */
export const turns: Named = {
  name: "turns",
  text: `select k.key,
      k.creates and exists (select 1 from run_heads h where h.session_key = k.key and h.status in ('PENDING', 'RUNNING')
        and h.session_seq is not null) as busy,
      k.ends and exists (select 1 from run_heads h where h.session_key = k.key and h.status in ('PENDING', 'RUNNING')
        and h.session_seq is not null and h.status = 'PENDING') as awaited
    from (
      select key, bool_or(creates) as creates, bool_or(ends) as ends from (
        select s.key, true as creates, false as ends from ${creations}
          join sessions s on s.session_id = c.session_id and s.owner = c.owner
        union all select h.session_key, false, true from run_heads h where h.run_key = any($2::int8[])
      ) as each group by key
    ) as k`,
};
export const findSegments: Named = {
  name: "find_segments",
  text: `select s.run_key as key, s.last_index as "lastIndex", s.attempt from segments s
    join unnest($1::int8[], $2::int4[]) as d(run_key, last_index) on s.run_key = d.run_key and s.last_index = d.last_index`,
};
export const insertRuns: Named = {
  name: "insert_runs",
  text: `insert into runs (${runColumns}, failed_as) select ${runColumns}, ${failedAs("d.status")} from ${runRows}
    where d.parent_key is null order by d.run_id`,
};
export const insertMembers: Named = {
  name: "insert_members",
  text: `insert into runs (${runColumns}) select ${runColumns} from ${runRows} where d.parent_key is not null order by d.run_id
    on conflict do nothing`,
};
export const insertHeads: Named = {
  name: "insert_heads",
  text: `insert into run_heads (${headColumns}) select ${headValues} from ${headRows}
    where exists (select 1 from runs r where r.key = d.key) order by d.key on conflict do nothing`,
};
export const insertSegments: Named = {
  name: "insert_segments",
  text: `${putSegments} from ${segmentRows} on conflict do nothing`,
};
export const insertMessages: Named = {
  name: "insert_messages",
  text: putMessages(`json_to_recordset($1::json) as d(${messageFields})`),
};
export const insertMarks: Named = {
  name: "insert_marks",
  text: `insert into marks (run_key, name, created_at, body) select run_key, name, created_at, body
    from json_to_recordset($1::json) as d(run_key int8, name text, created_at int8, body text)
    order by run_key, name on conflict do nothing`,
};
export const endMembers: Named = {
  name: "end_members",
  text: `with d as (select * from json_to_recordset($1::json) as d(key int8, root_key int8, status text, output text)),
    ended as (update run_heads h set status = d.status from d where h.run_key = d.key and h.root_key = d.root_key
      and ${unfinishedMember} returning h.run_key)
    update runs r set output = d.output from d join ended on ended.run_key = d.key where r.key = d.key`,
};
export const changeHeads: Named = {
  name: "change_heads",
  text: `with d as (select * from json_to_recordset($1::json) as d(key int8, status text, output text, at int8)),
    changed as (update run_heads h set status = d.status, owner = null, ready = 1, updated_at = d.at from d where h.run_key = d.key)
    update runs r set output = coalesce(d.output, r.output), failed_as = ${failedAs("d.status")}
      from d where r.key = d.key and (d.output is not null or d.status in ('ERROR', 'CANCELLED'))`,
};
export const endFamilies: Named = {
  name: "end_families",
  text: `update run_heads h set status = d.status, updated_at = d.at
    from json_to_recordset($1::json) as d(root_key int8, status text, at int8) where h.root_key = d.root_key and ${unfinishedMember}`,
};
export const changeSessions: Named = {
  name: "change_sessions",
  text: `update sessions s set next_seq = d.next_seq, state = coalesce(d.state, s.state), title = coalesce(d.title, s.title),
      usage = coalesce(d.usage, s.usage), updated_at = greatest(s.updated_at, d.at)
    from json_to_recordset($1::json) as d(key int8, next_seq int4, state text, title text, usage text, at int8) where s.key = d.key`,
};
export const promote: Named = {
  name: "promote",
  text: `update run_heads h set ready = 1 from (
      select (select p.run_key from run_heads p where p.session_key = k.key and p.status in ('PENDING', 'RUNNING')
        and p.session_seq is not null and p.status = 'PENDING' order by p.session_seq limit 1) as run_key
      from unnest($1::int8[]) as k(key)) as first
    where h.run_key = first.run_key and h.ready = 0`,
};
const approvalColumns = `id, run_key, status, approval_type, pause_type, source_type, source_name, agent_id, team_id, workflow_id, tool_name,
  tool_args, requirements, created_at, updated_at`;

export const insertApprovals: Named = {
  name: "insert_approvals",
  text: `insert into approvals (${approvalColumns}) select ${approvalColumns} from json_to_recordset($1::json) as d(id text, run_key int8,
      status text, approval_type text, pause_type text, source_type text, source_name text, agent_id text, team_id text, workflow_id text,
      tool_name text, tool_args text, requirements text, created_at int8, updated_at int8)
    order by id on conflict do nothing`,
};
export const putAnswerDeadlines: Named = {
  name: "put_answer_deadlines",
  text: `insert into answer_deadlines (run_key, attempt, due_at) select run_key, attempt, due_at
    from json_to_recordset($1::json) as d(run_key int8, attempt int4, due_at int8) order by run_key
    on conflict (run_key) do update set attempt = excluded.attempt, due_at = excluded.due_at`,
};
/** What nobody approved before its run ended. */
export const endApprovals: Named = {
  name: "end_approvals",
  text: `update approvals a set status = d.status, updated_at = d.at
    from json_to_recordset($1::json) as d(run_key int8, status text, at int8) where a.run_key = d.run_key and a.status = 'pending'`,
};
/** Of runs that end out of a pause: the records of the schedules that started them are looked at again. */
export const reopenFires: Named = {
  name: "reopen_fires",
  text: `update schedule_fires f set status = 'running', owner = null, completed_at = null,
      due_at = cast(extract(epoch from clock_timestamp()) * 1000 as bigint)
    from json_to_recordset($1::json) as d(run_key int8) join runs r on r.key = d.run_key
    where f.run_id = r.run_id and f.status = 'paused'`,
};
export const replaceRuns: Named = {
  name: "replace_runs",
  text: `update runs r set replaced_by = d.run_id from json_to_recordset($1::json) as d(key int8, run_id text) where r.key = d.key`,
};
/** Only of runs that this flush makes: another one with the same id was there first otherwise. */
export const insertPushTargets: Named = {
  name: "insert_push_targets",
  text: `insert into push_targets (run_key, id, url, config, version, created_at, cursor, marks, due_at, failures, owner, claims)
    select run_key, id, url, config, version, created_at, cursor, 0, null, 0, null, 0
    from json_to_recordset($1::json) as d(run_key int8, id text, url text, config text, version text, created_at int8, cursor int4)
    order by run_key, id on conflict do nothing`,
};
/** Who is told of a run becomes due, by the database's clock, unless it is due already. */
export const markPushTargets: Named = {
  name: "mark_push_targets",
  text: `${tell} where run_key = any($1::int8[])`,
};
export const resetTakeovers: Named = {
  name: "reset_takeovers",
  text: "update run_heads set stalled_takeovers = 0 where run_key = any($1::int8[])",
};
