/**
 * SQL shared by several statements of a flush on Postgres. Rows are passed as one JSON text or as arrays, so that each statement is planned once,
 * regardless of the number of rows. JSON texts of the tables are strings inside it and never cast: their own \u0000 is preserved. Locks are acquired
 * on heads first, then on sessions, each in key order. Rows that others may insert concurrently are written in the order of their unique key.
 */

/** Segments in one buffer: keys, attempts, first and last indexes, the start position of each one's frames (from 1) and their length. */
export const segmentRows = `unnest($1::int8[], $2::int4[], $3::int4[], $4::int4[], $5::int4[], $6::int4[])
  as d(run_key, attempt, first_index, last_index, start, size)`;

export const putSegments = `insert into segments (run_key, last_index, first_index, attempt, encoding, size, frames)
  select d.run_key, d.last_index, d.first_index, d.attempt, 0, d.size, substring($7::bytea from d.start for d.size)`;

/** Columns of a message as a row source. */
export const messageFields = "run_key int8, position int4, id text, created_at int8, brief text, body text";

const messageColumns = "run_key, position, id, created_at, brief, body";

/** Inserts messages; existing ones are unchanged. */
export const putMessages = (source: string): string =>
  `insert into messages (${messageColumns}) select ${messageColumns} from ${source} order by run_key, position on conflict do nothing`;

/** Makes push targets due, by the database's clock, unless they are due already. */
export const makePushTargetsDue = `update push_targets t set marks = marks + 1,
      due_at = coalesce(due_at, cast(extract(epoch from clock_timestamp()) * 1000 as bigint))`;

/** A column that makes the statement fail (division by zero) unless a count has the expected value, that is, if an assumption was wrong. */
export const failUnlessEqual = (count: string, whole: string): string => `1 / (${count} = ${whole})::int`;

/**
 * Restricts a column to the values of a JSON source's field. A join alone lets the planner read the whole table or a whole partial index, if it
 * plans while they are empty. Where no row is updated, a lateral subquery with `offset 0` has the same effect: it is executed for each row.
 */
export const isAmong = (column: string, source: string, field: string): string => {
  const [name] = field.split(" ");
  return `${column} = any(array(select k.${name} from json_to_recordset(${source}::json) as k(${field})))`;
};
