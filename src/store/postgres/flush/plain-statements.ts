/** The statements of flushes that need no facts before they write. */
import { makePushTargetsDue, messageFields, putMessages, putSegments, segmentRows } from "./fragments.ts";
import type { NamedStatement } from "./query.ts";

/** Segments whose run is still RUNNING at the writer's attempt (the fence). */
const fenced = `d as materialized (
      select d.*, h.watched from (select * from ${segmentRows} order by d.run_key) as d
        cross join lateral (select h.watched from run_heads h
          where h.run_key = d.run_key and h.attempt = d.attempt and h.status = 'RUNNING' for no key update) as h),
    written as (${putSegments} from d returning 1)`;

/** Returns the number of written segments, and which runs are watched. */
const answerOfSegments =
  "select count(*) as written, (select string_agg(run_key::text, ' ') from d where watched = 1) as watched from written";

/**
 * A flush of segments only, including the fence check: one statement, one transaction. Returns how many it wrote, and which runs are watched. A
 * conflict clause would cost a third more, and one result row per segment a tenth more.
 */
export const appendSegments: NamedStatement = {
  name: "append_segments",
  text: `with ${fenced} ${answerOfSegments}`,
};

/**
 * The same statement with messages ($8, each with its root run) and runs that begin ($9). Both are as frequent as run starts and model answers, so they should
 * not need two round trips. A run that writes a message has made progress after its takeover.
 */
export const appendWithMessages: NamedStatement = {
  name: "append_said",
  text: `with ${fenced},
    m as materialized (select m.* from json_to_recordset($8::json)
      as m(root_key int8, ${messageFields}) join d on d.run_key = m.root_key),
    said as (${putMessages("m")}),
    progressed as (update run_heads h set stalled_takeovers = 0
      where h.run_key = any(array(select root_key from m)) and h.stalled_takeovers > 0),
    told as (${makePushTargetsDue} where t.run_key = any(array(select run_key from d where run_key = any($9::int8[]))))
    ${answerOfSegments}`,
};
