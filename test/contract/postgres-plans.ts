/** Generic plans of statements on Postgres, with tables of several sizes. */
import pg from "pg";
import { inject } from "vitest";
import { createDatabase } from "../support/databases.ts";

/** Rows of the largest tables. */
export const sizes: Readonly<Record<string, number>> = { empty: 0, small: 50, large: 20_000 };

/** How a plan reads a table. */
interface TableRead {
  readonly table: string;
  /** Undefined for a read of the whole table. */
  readonly index: string | undefined;
  readonly condition: string | undefined;
}

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly PlanNode[];
}

function* nodesOf(plan: PlanNode, table = ""): Generator<TableRead> {
  const { "Node Type": type, "Relation Name": of = table, "Index Name": index, "Index Cond": condition } = plan;
  if (type === "Seq Scan" || index !== undefined) yield { table: of, index, condition };
  for (const part of plan.Plans ?? []) yield* nodesOf(part, of);
}

/** Indexes that find a row, or the few rows of a run, of a session's queue or of a schedule, with their first columns. */
const keyColumns: Readonly<Record<string, string>> = {
  ...{
    sessions_pkey: "key",
    sessions_id: "session_id",
    runs_pkey: "key",
    runs_id: "run_id",
    runs_session: "session_key",
  },
  ...{ runs_members: "root_key", runs_replaced: "replaced_by", run_heads_pkey: "run_key", heads_members: "root_key" },
  ...{
    heads_unfinished: "session_key",
    heads_paused: "session_key",
    segments_pkey: "run_key",
    messages_pkey: "run_key",
  },
  ...{
    marks_pkey: "run_key",
    run_feedback_pkey: "run_key",
    starts_pkey: "digest",
    starts_run: "run_id",
    deleted_runs_pkey: "run_key",
  },
  ...{ approvals_pkey: "id", approvals_run: "run_key", answer_deadlines_pkey: "run_key", push_targets_pkey: "run_key" },
  ...{ schedules_pkey: "id", schedules_name: "owner", schedule_fires_pkey: "id", schedule_fires_run: "run_id" },
  ...{ schedule_fires_open: "schedule_id", schedule_fires_age: "schedule_id", schedule_fires_tick: "schedule_id" },
  ...{ usage_counters_pkey: "period", rate_limits_pkey: "bucket", traces_pkey: "run_key", processes_pkey: "id" },
  ...{ service_accounts_token: "token_hash", service_accounts_name: "name" },
};

/** Whether a plan reads a table by key. */
export function isKeyed({ index, condition }: TableRead): boolean {
  const column = index && keyColumns[index];
  return column !== undefined && new RegExp(`\\b${column}\\b(?! IS NOT NULL)`).test(condition ?? "");
}

/** The index that a plan reads, or the table of which it reads all. */
export function wayOf({ index, table }: TableRead): string {
  return index ?? `all of ${table}`;
}

/** A database with a connection to it. */
interface FilledDatabase {
  readonly url: string;
  readonly client: pg.Client;
  /** Closes the connection and deletes the database. */
  close(): Promise<void>;
}

/** Opens a database of the schema with `count` rows in its largest tables, which no process has analyzed and none will. */
export async function filledDatabase(count: number, config: (url: string) => pg.ClientConfig): Promise<FilledDatabase> {
  const database = await createDatabase(inject("postgresUrl"), inject("postgresTemplate"));
  const client = new pg.Client(config(database.url));
  await client.connect();
  for (const table of tables) await client.query(`alter table ${table} set (autovacuum_enabled = off)`);
  await fill(client, count);
  const close = async (): Promise<void> => {
    await client.end();
    await database.drop();
  };
  return { url: database.url, client, close };
}

/** Inserts `count` rows into the largest tables. */
export async function fill(client: pg.Client, count: number): Promise<void> {
  if (count > 0) for (const insert of rowsOf(count)) await client.query(insert);
}

/** Prepares a statement, and returns a function that explains it: how its plan reads tables. */
export async function preparedReads(
  client: pg.Client,
  name: string,
  text: string,
): Promise<() => Promise<readonly TableRead[]>> {
  const values = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, place]) => Number(place)));
  const parameters = values === 0 ? "" : `(${Array(values).fill("null")})`;
  await client.query(`prepare ${name} as ${text}`);
  return async () => {
    const { rows } = await client.query(`explain (format json) execute ${name}${parameters}`);
    return [...nodesOf(JSON.parse(rows[0]["QUERY PLAN"])[0].Plan)];
  };
}

const tables = [
  ...["sessions", "runs", "run_heads", "segments", "messages", "marks", "starts", "approvals", "answer_deadlines"],
  ...["schedules", "schedule_fires", "push_targets", "usage_counters", "rate_limits", "service_accounts", "processes"],
  ...["traces"],
];

/** Of fifty runs, one is fresh, one waited for, one begun, one running, one paused, one failed, one cancelled and one replaced; of five, one is a member. */
function rowsOf(count: number): readonly string[] {
  const rows = (of = count): string => `generate_series(1, ${Math.ceil(of)}) i`;
  const head = `select i, case i % 5 when 4 then i - 1 else i end, (i + 4) / 5, case i % 5 when 4 then null else i % 5 end, 'parallel',
    case when i % 5 = 4 then 'COMPLETED' when i % 50 in (1, 2, 3) then 'PENDING' when i % 50 = 5 then 'RUNNING' when i % 50 = 6 then 'PAUSED'
      when i % 50 = 10 then 'ERROR' when i % 50 = 12 then 'CANCELLED' else 'COMPLETED' end,
    case i % 50 when 1 then 0 when 2 then 0 else 1 end, case i % 50 when 5 then 'dead-' || i % 3 end, 0, 0,
    case when i > ${count} - 20 then 0 else 1 end, case when i % 50 in (1, 2, 3) then 1 else 0 end, 'user-' || i % 100,
    case i % 50 when 1 then 1 else 0 end, i from ${rows()}`;
  return [
    `insert into sessions (key, session_id, owner, kind, component_id, user_id, title, state, next_seq, created_at, updated_at)
      select i, 's-' || i, case i % 4 when 0 then 'owner-' || i % 100 else '' end, 'agent', 'agent-' || i % 10, 'user-' || i % 100,
        'Title ' || i, '{}', 5, i, i from ${rows()}`,
    `insert into runs (key, run_id, root_key, parent_key, kind, component_id, component_name, session_key, session_seq, user_id, input, options,
        created_at, definition_hash, failed_as, replaced_by)
      select i, 'run-' || i, case i % 5 when 4 then i - 1 else i end, case i % 5 when 4 then i - 1 end, 'agent', 'agent-' || i % 10, 'Agent',
        (i + 4) / 5, case i % 5 when 4 then null else i % 5 end, 'user-' || i % 100, '{}', '{}', i, 'hash',
        case i % 50 when 10 then 'ERROR' when 12 then 'CANCELLED' end, case i % 50 when 15 then 'run-' || i + 1 end from ${rows()}`,
    `insert into run_heads (run_key, root_key, session_key, session_seq, policy, status, attempt, owner, cancel_requested, first_kept, compacted,
        ready, user_id, background, updated_at) ${head}`,
    `insert into segments (run_key, last_index, first_index, attempt, encoding, size, frames)
      select i, j, j, 1, 0, 1, 'x' from ${rows()}, generate_series(0, 2) j`,
    `insert into messages (run_key, position, id, created_at, body) select i, j, 'm', i, '{}' from ${rows()}, generate_series(0, 1) j`,
    `insert into marks (run_key, name, created_at, body) select i * 4, 'pause/1', i, '{}' from ${rows(count / 4)}`,
    `insert into starts select 'digest-' || i, 'run-' || i, 'print', i from ${rows()}`,
    `insert into approvals (id, run_key, status, approval_type, pause_type, source_type, source_name, agent_id, tool_name, tool_args, requirements,
        created_at, updated_at)
      select 'approval-' || i, i, case i % 50 when 6 then 'pending' else 'approved' end, 'required', 'confirmation', 'agent', 'Agent',
        'agent-' || i % 10, 'tool', '{}', '[]', i, i from ${rows(count / 2)}`,
    `insert into answer_deadlines select i * 50 + 6, 1, i from ${rows(count / 50)}`,
    `insert into schedules (id, owner, name, method, endpoint, cron_expr, timezone, timeout_seconds, max_retries, retry_delay_seconds, overlap,
        catch_up, jitter_seconds, enabled, next_run_at, fires, failures, records, definition, standing_grant, created_at)
      select 'schedule-' || i, 'owner-' || i % 100, 'Schedule ' || i, 'POST', '/x', '* * * * *', 'UTC', 60, 0, 1, 'skip', 'skip', 0, i % 10 / 2 % 2,
        case i % 10 when 0 then null else i end, 0, 0, 0, '', '{}', i from ${rows(count / 10)}`,
    `insert into schedule_fires (id, schedule_id, tick, attempt, status, is_open, queues, owner, claims, run_id, cancel_requested, due_at, created_at)
      select 'fire-' || i, 'schedule-' || i % ${Math.ceil(count / 10)} + 1, i, 1,
        case i % 50 when 1 then 'waiting' when 2 then 'running' else 'success' end, case when i % 50 in (1, 2) then 1 else 0 end, 0,
        case i % 50 when 2 then 'dead-' || i % 3 end, 1, 'run-' || i, 0, i, i from ${rows()}`,
    `insert into push_targets (run_key, id, url, config, version, created_at, cursor, marks, due_at, failures, owner, claims, user_id)
      select i * 4, 'target', 'https://example.com', '{}', '1', i, 0, 1, case i % 50 when 1 then i when 2 then i end, 0,
        case i % 50 when 2 then 'dead-' || i % 3 end, 0, 'user-' || i % 100 from ${rows(count / 4)}`,
    `insert into usage_counters select '2026-01-' || lpad((i % 28 + 1)::text, 2, '0'), 'user', 'user-' || i, 1, 1, 1, 1 from ${rows(count / 2)}`,
    `insert into rate_limits select 'bucket-' || i, i from ${rows(count / 2)}`,
    `insert into service_accounts (id, name, token_hash, token_prefix, scopes, created_at)
      select 'account-' || i, 'name-' || i, 'hash-' || i, 'prefix', '[]', i from ${rows(count / 10)}`,
    `insert into traces select i * 4, 'trace-' || i, 1, '', 'user-1', 'agent', 'agent-1', 'x', 'OK', i, i, 1, 0, 1, 1, '{}' from ${rows(count / 4)}`,
    `insert into processes select 'live-' || i, 9e15, 0 from generate_series(1, 3) i`,
  ];
}
