/**
 * SQL shared by several statements of a flush on Postgres. Rows are passed as one JSON text or as arrays, so that each statement is planned once,
 * regardless of the number of rows. JSON texts of the tables are strings inside it and never cast: their own \u0000 is preserved. Locks are acquired
 * on heads first, then on sessions, each in key order. Rows that others may insert concurrently are written in the order of their unique key.
 */

/**
 * Restricts a column to the values of a JSON source's field. A join alone lets the planner read the whole table or a whole partial index, if it
 * plans while they are empty. Where no row is updated, a lateral subquery with `offset 0` has the same effect: it is executed for each row.
 */
export const isAmong = (column: string, source: string, field: string): string => {
  const [name] = field.split(" ");
  return `${column} = any(array(select k.${name} from json_to_recordset(${source}::json) as k(${field})))`;
};

/** Adds the amounts of a JSON source to shared counters, and returns the totals. All flushes lock counters in the order of their keys, after all other locks. */
export const addUsage = (source: string, gate: string): string => `insert into usage_counters as u
    (period, scope, key, tokens, nanos, model_requests, tool_calls)
    select period, scope, key, tokens, nanos, model_requests, tool_calls
      from json_to_recordset(${source}::json) as d(period text, scope text, key text, tokens int8, nanos int8, model_requests int8, tool_calls int8)
      where ${gate} order by period collate "C", scope collate "C", key collate "C"
    on conflict (period, scope, key) do update set tokens = u.tokens + excluded.tokens, nanos = u.nanos + excluded.nanos,
      model_requests = u.model_requests + excluded.model_requests, tool_calls = u.tool_calls + excluded.tool_calls
    returning period, scope, key, tokens, nanos, model_requests as "modelRequests", tool_calls as "toolCalls"`;
