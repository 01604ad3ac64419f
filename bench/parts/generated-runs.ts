/**
 * Fills a database with copies of one finished run, as the engine left it: its session, log, messages and trace. Copies have their own keys, ids, users and times;
 * texts and frames equal the original run.
 */
import { closeSync, fsyncSync, openSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import pg from "pg";
import type { BenchDatabase } from "./databases.ts";

/** Runs of each generated session, and sessions of each user. A user's data has the same size in every database. */
const [runsPerSession, sessionsPerUser] = [10, 100];

/** One run in so many failed. */
const runsPerFailure = 1_000;

/** Key of the first generated run, above all keys of the servers that have used the database. */
const firstKey = 1_000_000_000;

/** Age in milliseconds of the oldest run: less than the default retention of events. */
const oldest = 20 * 86_400_000;

/** Runs per statement. */
const perStatement = 20_000;

/** The generated data of one database. */
export interface Generated {
  readonly count: number;
  /** Time of the first run. */
  readonly begun: number;
  /** Milliseconds between two runs. */
  readonly step: number;
}

/** Executes statements. */
interface Connection {
  readonly dialect: "sqlite" | "postgres";
  execute(statement: string): Promise<void>;
  columns(table: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Returns the place of a run in the listings of its component. */
export function positionOf({ begun, step }: Generated, place: number): readonly [number, number, number, number] {
  return [begun + place * step, firstKey + place, sessionKeyOf(place), place % runsPerSession];
}

/** Returns the wire id of a run: neighbours are far apart in the index of ids, as with random ids. */
export function runIdOf(place: number): string {
  const mixed = Number((BigInt(place) * 2_654_435_761n) % 4_294_967_296n);
  return `${mixed.toString(16).padStart(8, "0")}-0000-4000-8000-${place.toString(16).padStart(12, "0")}`;
}

/** Returns the id of a run's trace. */
export function traceIdOf(place: number): string {
  return (BigInt(place) * 2_654_435_761n).toString(16).padStart(32, "0");
}

/** Returns the session of a run, and the session's user. */
export function sessionOf({ count }: Generated, place: number): { readonly sessionId: string; readonly user: string } {
  const session = Math.floor(place / runsPerSession);
  return { sessionId: `session-${session}`, user: `user-${session % usersOf(count)}` };
}

function sessionKeyOf(place: number): number {
  return firstKey + Math.floor(place / runsPerSession) * runsPerSession;
}

function usersOf(count: number): number {
  return Math.max(1, Math.floor(count / runsPerSession / sessionsPerUser));
}

/** Inserts copies of the only run of a database. No server may be using the database. */
export async function generateRuns({ listen }: BenchDatabase, count: number): Promise<Generated> {
  const connection =
    listen.database === undefined ? openSqlite(listen.dataDir ?? "") : await openPostgres(listen.database);
  const generated = { count, begun: Date.now() - oldest, step: Math.floor(oldest / count) };
  const { dialect, execute } = connection;
  const tables = tablesOf(generated, dialect);
  for (const { name, where = "" } of tables)
    await execute(`create temporary table template_${name} as select * from ${name} ${where}`);
  for (const { name, every, values } of tables) {
    const columns = await connection.columns(name);
    const selected = columns.map((column) => values[column] ?? `t.${column}`);
    const from = `insert into ${name} (${columns.join(", ")}) select ${selected.join(", ")} from template_${name} t`;
    const rows = Math.ceil(count / every);
    for (let start = 0; start < rows; start += perStatement)
      await execute(`${from} cross join ${series(dialect, start, Math.min(start + perStatement, rows))}`);
  }
  await connection.close();
  return generated;
}

/** A generated table. */
interface GeneratedTable {
  readonly name: string;
  /** Selects the rows to copy. Default: all rows. */
  readonly where?: string;
  /** Runs per row. */
  readonly every: number;
  /** SQL of the columns that differ from the original row, by the number `n.i`. */
  readonly values: Readonly<Record<string, string>>;
}

function tablesOf(generated: Generated, dialect: Connection["dialect"]): readonly GeneratedTable[] {
  const { count, begun, step } = generated;
  const key = `${firstKey} + n.i`;
  const sessionKey = `${firstKey} + n.i / ${runsPerSession} * ${runsPerSession}`;
  const userOf = (session: string): string => `'user-' || ((${session}) % ${usersOf(count)})`;
  const user = userOf(`n.i / ${runsPerSession}`);
  const createdAt = `${begun} + n.i * ${step}`;
  const isFailure = `n.i % ${runsPerFailure} = 0`;
  const hex = (number: string, digits: number): string => `lpad(to_hex(${number}), ${digits}, '0')`;
  const runId = {
    sqlite: "printf('%08x-0000-4000-8000-%012x', n.i * 2654435761 % 4294967296, n.i)",
    postgres: `${hex("n.i::bigint * 2654435761 % 4294967296", 8)} || '-0000-4000-8000-' || ${hex("n.i", 12)}`,
  }[dialect];
  const traceId = { sqlite: "printf('%032x', n.i * 2654435761)", postgres: hex("n.i::bigint * 2654435761", 32) }[
    dialect
  ];
  const sessionOwner = userOf("n.i");
  return [
    {
      name: "sessions",
      every: runsPerSession,
      values: {
        ...{ key: `${firstKey} + n.i * ${runsPerSession}`, session_id: "'session-' || n.i" },
        ...{ owner: sessionOwner, user_id: sessionOwner, next_seq: `${runsPerSession}` },
        created_at: `${begun} + n.i * ${step * runsPerSession}`,
        updated_at: `${begun} + (n.i * ${runsPerSession} + ${runsPerSession - 1}) * ${step}`,
      },
    },
    {
      name: "runs",
      every: 1,
      values: {
        ...{ key, root_key: key, run_id: runId, session_key: sessionKey, session_seq: `n.i % ${runsPerSession}` },
        ...{ user_id: user, created_at: createdAt, failed_as: `case when ${isFailure} then 'ERROR' end` },
      },
    },
    {
      name: "run_heads",
      every: 1,
      values: {
        ...{ run_key: key, root_key: key, session_key: sessionKey, session_seq: `n.i % ${runsPerSession}` },
        ...{ user_id: user, updated_at: createdAt, status: `case when ${isFailure} then 'ERROR' else t.status end` },
      },
    },
    { name: "segments", every: 1, values: { run_key: key } },
    { name: "messages", every: 1, values: { run_key: key, created_at: createdAt } },
    {
      name: "traces",
      every: 1,
      values: {
        ...{ run_key: key, trace_id: traceId, session_key: sessionKey, owner: user, user_id: user },
        ...{ started_at: createdAt, ended_at: `${createdAt} + 1000` },
        status: `case when ${isFailure} then 'ERROR' else t.status end`,
      },
    },
    {
      name: "usage_day_members",
      where: "where owner = '' and role = 'agent'",
      every: runsPerSession,
      values: { member: `cast(${firstKey} + n.i * ${runsPerSession} as text)` },
    },
  ];
}

function series(dialect: Connection["dialect"], from: number, to: number): string {
  if (dialect === "postgres") return `generate_series(${from}, ${to - 1}) as n(i)`;
  return `(with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to - 1}) select i from n) as n`;
}

function openSqlite(dataDir: string): Connection {
  const path = join(dataDir, "troupe.sqlite");
  const connection = new Sqlite(path);
  // Generated data needs no protection from crashes.
  for (const setting of ["journal_mode = delete", "journal_mode = off", "synchronous = off", "cache_size = -524288"])
    connection.pragma(setting);
  return {
    dialect: "sqlite",
    execute: async (statement) => void connection.exec(statement),
    columns: async (table) =>
      connection
        .prepare<[], { name: string }>(`select name from pragma_table_info('${table}')`)
        .all()
        .map(({ name }) => name),
    async close() {
      connection.pragma("journal_mode = wal");
      connection.close();
      // The first commits of a server would wait for the disk to store the generated data.
      const file = openSync(path, "r");
      fsyncSync(file);
      closeSync(file);
    },
  };
}

async function openPostgres(url: string): Promise<Connection> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("set synchronous_commit = off");
  return {
    dialect: "postgres",
    execute: async (statement) => void (await client.query(statement)),
    async columns(table) {
      const { rows } = await client.query<{ name: string }>(
        `select column_name as name from information_schema.columns
          where table_schema = 'public' and table_name = $1 order by ordinal_position`,
        [table],
      );
      return rows.map(({ name }) => name);
    },
    async close() {
      await client.query("vacuum analyze");
      await client.query("checkpoint");
      await client.end();
    },
  };
}
