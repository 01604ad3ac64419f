/** Checks an existing database: its logs, references, indexes and plans, and the state of its server. Changes nothing. */
import Sqlite from "better-sqlite3";
import type pg from "pg";
import { migrations } from "../migrations/index.ts";
import { clientConfig, poolConfig } from "../postgres/client.ts";
import { Hosts } from "../postgres/hosts.ts";
import { damageAdvice } from "../sqlite/data-folder.ts";
import type { Finding, OnProgress, ReadRows } from "./finding.ts";
import { checkPostgresLogs } from "./postgres-logs.ts";
import { checkPlans } from "./postgres-plans.ts";
import { checkIndexes } from "./postgres-schema.ts";
import { checkReplication, checkStatistics } from "./postgres-state.ts";
import { checkReferences } from "./references.ts";
import { checkLogs } from "./sqlite-logs.ts";
import { checkSqliteSchema } from "./sqlite-schema.ts";

/** Max damaged runs that are listed. */
const maxListed = 1_000;

/** The result of a deep check. */
export interface DeepCheck {
  readonly runs: number;
  readonly events: number;
  /** Damaged runs, with what is lost of each, at most `maxListed`. */
  readonly lost: readonly string[];
  readonly damagedRuns: number;
  readonly findings: readonly Finding[];
  /** The last applied migration, and the last one of this version. */
  readonly migration: { readonly applied: number; readonly known: number };
  /** Connected standbys; undefined for SQLite. */
  readonly replication?: string;
}

const lastMigration = "select max(number) as number from migrations";
const known = migrations.at(-1)?.number ?? 0;

/** Checks an SQLite file. A server may use it meanwhile. */
export async function checkSqliteDeeply(file: string, onProgress: OnProgress): Promise<DeepCheck> {
  const logs = checkLogs(file, (share) => onProgress("logs", share));
  const findings: Finding[] = logs.findings.map((text) => ({ problem: `SQLite: ${text}`, remedy: damageAdvice(file) }));
  const database = new Sqlite(file, { readonly: true, timeout: 5_000 });
  let applied = 0;
  try {
    const read: ReadRows = (text) => database.prepare(text).all() as never[];
    applied = (database.prepare(lastMigration).get() as { readonly number: number }).number;
    if (applied === known) findings.push(...checkSqliteSchema(database), ...(await checkReferences(read, onProgress)));
  } catch (error) {
    findings.push({ problem: `tables cannot be read: ${(error as Error).message}`, remedy: damageAdvice(file) });
  } finally {
    database.close();
  }
  const lost = logs.damaged.slice(0, maxListed).map((run) => `lost of ${run.name}: ${run.lost.join("; ")}`);
  const { runs, events, damaged } = logs;
  return { runs, events, lost, damagedRuns: damaged.length, findings, migration: { applied, known } };
}

/** Checks a Postgres database. Servers may use it meanwhile. */
export async function checkPostgresDeeply(url: string, onProgress: OnProgress): Promise<DeepCheck> {
  // A check of a large table takes long, and waits for no lock.
  const settings = { statement_timeout: "0", lock_timeout: "10000", jit: "off" };
  await using connections = new Connections(url);
  const client = await connections.open({ ...clientConfig(url, settings), query_timeout: 0 });
  // Not a setting of the connection: among several hosts, a server whose sessions are read-only is not chosen.
  await client.query("set default_transaction_read_only = on");
  const read: ReadRows = async (text) => (await client.query(text)).rows;
  const applied = Number((await read<{ number: number }>(lastMigration))[0]?.number ?? 0);
  const replication = await checkReplication(read);
  const logs = await checkPostgresLogs(client, onProgress);
  const findings = [...replication.findings, ...(await checkStatistics(read))];
  if (applied === known) {
    findings.push(...(await checkIndexes(read)), ...(await checkReferences(read, onProgress)));
    findings.push(...(await checkPlans(await connections.open(poolConfig(url, 1, false)))));
  }
  const lost = logs.damaged.slice(0, maxListed).map((run) => `lost of ${run.name}: ${run.lost}`);
  const { runs, events, damaged } = logs;
  const counts = { runs, events, lost, damagedRuns: damaged.length };
  return { ...counts, findings, migration: { applied, known }, replication: replication.summary };
}

/** Connections that end with the block that uses them. */
class Connections implements AsyncDisposable {
  readonly #hosts: Hosts;
  readonly #open: pg.Client[] = [];

  constructor(url: string) {
    this.#hosts = new Hosts(url);
  }

  async open(config: pg.ClientConfig): Promise<pg.Client> {
    const client = this.#hosts.client(config);
    await client.connect();
    this.#open.push(client);
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#open) await client.end();
  }
}
