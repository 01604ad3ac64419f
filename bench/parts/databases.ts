/** New databases for the bench, on a disk, with synchronous commits. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type PostgresServer, startPostgres } from "../../test/support/postgres-server.ts";
import type { ListenInput } from "./commands.ts";

/** Database engines that a question measures. */
export const engines = ["sqlite", "postgres"] as const;
export type EngineName = (typeof engines)[number];

/** A new database. */
export interface BenchDatabase {
  readonly listen: ListenInput;
  /** Milliseconds of CPU used by the database's own processes; 0 if it has none. */
  cpu(): number;
  remove(): Promise<void>;
}

let server: Promise<PostgresServer> | undefined;
let count = 0;

/** Settings of a typical small server, with fsync. */
function start(): Promise<PostgresServer> {
  return startPostgres({ fsync: true, settings: { max_wal_size: "4GB" } });
}

function postgres(): Promise<PostgresServer> {
  server ??= start();
  return server;
}

/** A database on its own Postgres server, whose CPU no other database uses. */
export async function makeOwnPostgres(): Promise<BenchDatabase> {
  const { url, pid, dispose } = await start();
  return { listen: { database: url }, cpu: () => cpuOfFamily(pid ?? 0), remove: dispose };
}

export async function makeDatabase(engine: EngineName): Promise<BenchDatabase> {
  if (engine === "sqlite") {
    const dataDir = mkdtempSync(join(tmpdir(), "troupe-bench-"));
    return { listen: { dataDir }, cpu: () => 0, remove: async () => rmSync(dataDir, { recursive: true, force: true }) };
  }
  const { url, pid } = await postgres();
  const name = `bench_${process.pid}_${count++}`;
  await execute(url, `create database ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    listen: { database: own.href },
    cpu: () => cpuOfFamily(pid ?? 0),
    remove: () => execute(url, `drop database if exists ${name} with (force)`),
  };
}

/** Runs one statement on a Postgres database. */
export async function execute(url: string, statement: string): Promise<void> {
  await query(url, statement);
}

export async function query<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

export async function stopDatabases(): Promise<void> {
  await (await server)?.dispose();
  server = undefined;
}

/** CPU of a process and its children, on Linux only. Children that have ended count with their parent. */
function cpuOfFamily(parent: number): number {
  const millisecondsPerTick = 10;
  let ticks = 0;
  try {
    for (const pid of readdirSync("/proc")) {
      if (!/^\d+$/.test(pid)) continue;
      const fields = readStat(pid);
      if (Number(pid) !== parent && Number(fields[1]) !== parent) continue;
      ticks += Number(fields[11]) + Number(fields[12]);
      if (Number(pid) === parent) ticks += Number(fields[13]) + Number(fields[14]);
    }
  } catch {
    return Number.NaN;
  }
  return ticks * millisecondsPerTick;
}

function readStat(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}
