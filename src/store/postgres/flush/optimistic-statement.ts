/** The statement that checks and locks the rows that optimistic facts assume. */
import { failUnlessEqual } from "./fragments.ts";
import type { NamedStatement } from "./query.ts";

/**
 * Locks the assumed rows, or fails if an assumption is wrong. It assumes runs that are RUNNING at their attempts ($1, $2), without a requested cancel, and
 * with progress since any takeover; unchanged sessions ($3); and existing reservations ($4). Returns which of the runs are watched.
 */
export const lockAssumed: NamedStatement = {
  name: "hold",
  text: `with h as materialized (
      select h.run_key, h.watched from (select * from unnest($1::int8[], $2::int4[]) as d(run_key, attempt) order by d.run_key) as d
        cross join lateral (select h.run_key, h.watched from run_heads h
          where h.run_key = d.run_key and h.attempt = d.attempt and h.status = 'RUNNING' and h.cancel_requested = 0
            and h.stalled_takeovers = 0 for no key update) as h),
    s as materialized (
      select 1 from (select * from json_to_recordset($3::json) as d(key int8, next_seq int4, usage text)
          where (select count(*) from h) = cardinality($1::int8[]) order by d.key) as d
        cross join lateral (select 1 from sessions s
          where s.key = d.key and s.next_seq = d.next_seq and s.usage is not distinct from d.usage for no key update) as s),
    t as materialized (
      select 1 from (select * from json_to_recordset($4::json) as d(digest text, run_id text) order by d.digest) as d
        cross join lateral (select 1 from starts t where t.digest = d.digest and t.run_id = d.run_id for share) as t)
    select ${failUnlessEqual("(select count(*) from h)", "cardinality($1::int8[])")},
      ${failUnlessEqual("(select count(*) from s)", "json_array_length($3::json)")},
      ${failUnlessEqual("(select count(*) from t)", "json_array_length($4::json)")},
      (select string_agg(run_key::text, ' ') from h where watched = 1) as watched`,
};
