/** The statements that read the facts for a flush. */
import { predicateOf } from "../../rows/index-predicates.ts";
import type { NamedStatement } from "./query.ts";

/** Creations, as a row source for the statements. */
const creations = `json_to_recordset($1::json) as c(place int, key int8, run_id text, owner text, session_id text, kind text, component_id text,
  user_id text, state text, created_at int8, reservation text, max_waiting int4)`;

/** The session of a creation. A lateral subquery with `offset 0` is executed for each row: see `isAmong`. */
const namedSession = `cross join lateral (select x.key from sessions x where x.session_id = c.session_id and x.owner = c.owner offset 0) as s`;

/** Sessions that a flush needs: those of creations by name, those of runs that end or patch their state by run key. */
const sessionKeys = `select s.key from ${creations} ${namedSession}
  union select h.session_key from run_heads h where h.run_key = any($2::int8[])`;

export const lockHeads: NamedStatement = {
  name: "lock_heads",
  text: `select run_key as key, status, attempt, cancel_requested as "cancelRequested", stalled_takeovers as "stalledTakeovers",
      session_key as "sessionKey", watched, steered
    from run_heads where run_key = any($1::int8[]) order by run_key for no key update`,
};

export const findRuns: NamedStatement = {
  name: "find_runs",
  text: `select r.run_id as "runId", r.key, h.attempt, h.owner, r.session_key as "sessionKey", r.session_seq as "sessionSeq",
      s.state as "sessionState"
    from (select key, run_id, session_key, session_seq from runs where run_id = any($1::text[]) offset 0) as r
      cross join lateral (select attempt, owner from run_heads where run_key = r.key offset 0) as h
      cross join lateral (select state from sessions where key = r.session_key offset 0) as s`,
};

/**
 * Finds the runs that an earlier try may have created and that were deleted since. Runs after `find_runs`, so that a run is in at least one of the
 * results.
 */
export const findDeleted: NamedStatement = {
  name: "find_deleted",
  text: "select run_key as key from deleted_runs where run_key = any($1::int8[])",
};

/** Finds reservations of starts, and keeps them from being deleted with their runs until the commit. */
export const findReservations: NamedStatement = {
  name: "find_reservations",
  text: `select digest, run_id as "runId" from starts where digest = any($1::text[]) order by digest for share`,
};

/**
 * Finds the runs to be replaced that exist and have not been replaced yet. Locks their rows, so that of two
 * concurrent replacements of a run the second one sees the first.
 */
export const findReplaceable: NamedStatement = {
  name: "find_replaceable",
  text: `select key from runs where key = any($1::int8[]) and replaced_by is null order by key for no key update`,
};

/** Locks existing sessions and creates missing ones. A session that another transaction creates concurrently is in neither result. */
export const lockSessions: NamedStatement = {
  name: "lock_sessions",
  text: `with there as materialized (
      select key, owner, session_id, next_seq, state, title, usage from sessions where key = any(array(${sessionKeys})) order by key for no key update),
    made as (
      insert into sessions (key, owner, session_id, kind, component_id, user_id, state, next_seq, created_at, updated_at)
      select distinct on (c.session_id, c.owner) c.key, c.owner, c.session_id, c.kind, c.component_id, c.user_id, c.state, 0, c.created_at,
        c.created_at
      from ${creations}
      where (select true from runs r where r.run_id = c.run_id limit 1) is null
        and (select true from deleted_runs x where x.run_key = c.key limit 1) is null
        and (c.reservation is null
          or (select true from starts t where t.digest = c.reservation and t.run_id = c.run_id limit 1))
        and (select true from sessions s where s.session_id = c.session_id and s.owner = c.owner limit 1) is null
      order by c.session_id, c.owner, c.place
      on conflict do nothing returning key, owner, session_id, next_seq, state, title, usage)
    select key, owner, session_id as "sessionId", next_seq as "nextSeq", state, title is null as "isUntitled", usage from there
    union all select key, owner, session_id, next_seq, state, title is null, usage from made`,
};

/**
 * Returns which sessions of creations have unfinished root runs, how many of these wait (up to the bound), and which sessions of ending runs have
 * waiting runs. A separate statement, because it must see everything committed before the locks were acquired.
 */
export const turns: NamedStatement = {
  name: "turns",
  text: `select k.key,
      k.creates and (select true from run_heads h where h.session_key = k.key and ${predicateOf("heads_unfinished", "h")} limit 1) as busy,
      k.ends and (select true from run_heads h where h.session_key = k.key and ${predicateOf("heads_unfinished", "h")}
        and h.status = 'PENDING' limit 1) as awaited,
      (select count(*) from (select 1 from run_heads h where h.session_key = k.key and ${predicateOf("heads_unfinished", "h")}
        and h.status = 'PENDING' limit k.most) as w) as waiting
    from (
      select key, bool_or(creates) as creates, bool_or(ends) as ends, max(most) as most from (
        select s.key, true as creates, false as ends, c.max_waiting as most from ${creations}
          ${namedSession}
        union all select h.session_key, false, true, 0 from run_heads h where h.run_key = any($2::int8[])
      ) as each group by key
    ) as k`,
};

export const findSegments: NamedStatement = {
  name: "find_segments",
  text: `select d.run_key as key, d.last_index as "lastIndex", s.attempt from unnest($1::int8[], $2::int4[]) as d(run_key, last_index)
    cross join lateral (select attempt from segments where run_key = d.run_key and last_index = d.last_index offset 0) as s`,
};
