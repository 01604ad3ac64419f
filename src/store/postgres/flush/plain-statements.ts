/** The statements of flushes in which nothing has to be known before it is written. */
import { messageFields, putMessages, putSegments, segmentRows, tell } from "./fragments.ts";
import type { Named } from "./query.ts";

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
 * A flush of nothing but segments, fence included: one statement, one transaction; it answers how many it wrote, and whose are watched. A
 * conflict clause would cost a third more, and a row of answer for each segment a tenth.
 */
export const appendSegments: Named = {
  name: "append_segments",
  text: `with ${fenced} ${answerOfSegments}`,
};

/**
 * The same with messages ($8, each with its root) and runs that begin ($9): as often as runs begin or models answer, and so not a matter of two
 * round trips. A run that says something got further after its takeover.
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
