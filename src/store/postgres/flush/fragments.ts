/**
 * What several statements of a flush on Postgres share. Rows come as one JSON text or as arrays, so that each statement is planned once whatever
 * the number of rows. JSON texts of the tables are strings inside it and never cast: their own \u0000 stays as it is. Locks are taken heads
 * first, then sessions, each in key order; rows that others may be inserting at the same time go in the order of their unique key.
 */

/** Segments in one buffer: keys, attempts, first and last indices, where each one's frames begin (from 1) and how long they are. */
export const segmentRows = `unnest($1::int8[], $2::int4[], $3::int4[], $4::int4[], $5::int4[], $6::int4[])
  as d(run_key, attempt, first_index, last_index, start, size)`;

export const putSegments = `insert into segments (run_key, last_index, first_index, attempt, encoding, size, frames)
  select d.run_key, d.last_index, d.first_index, d.attempt, 0, d.size, substring($7::bytea from d.start for d.size)`;

/** Messages, as the statements take them. */
export const messageFields = "run_key int8, position int4, id text, created_at int8, brief text, body text";

const messageColumns = "run_key, position, id, created_at, brief, body";

/** Puts messages; those that are there stay as they are. */
export const putMessages = (source: string): string =>
  `insert into messages (${messageColumns}) select ${messageColumns} from ${source} order by run_key, position on conflict do nothing`;

/** Who is told of a run becomes due, by the database's clock, unless it is due already. */
export const tell = `update push_targets t set marks = marks + 1,
      due_at = coalesce(due_at, cast(extract(epoch from clock_timestamp()) * 1000 as bigint))`;

/** A column of no meaning; it fails unless a count is what it has to be: what was guessed is wrong then. */
export const isAll = (count: string, whole: string): string => `1 / (${count} = ${whole})::int`;
