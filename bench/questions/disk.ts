/** Bytes on disk per event of about 300 bytes, after its run has ended and its log is compacted. */
import { join } from "node:path";
import Database from "better-sqlite3";
import type { QuestionOf } from "../parts/bench.ts";
import { formRequest } from "../parts/connection.ts";
import type { BenchDatabase } from "../parts/databases.ts";
import { execute, query } from "../parts/databases.ts";
import { figure, printTable } from "../parts/table.ts";

const connections = 200;

const request = formRequest("/agents/tokens/runs", { message: "Hello", stream: "true" });

/** Bytes in tables and indexes. */
interface Sizes {
  /** Bytes of the logs only. */
  readonly log: number;
  readonly all: number;
}

export const disk: QuestionOf = async (bench) => {
  const load = bench.load();
  const rows = [];
  for (const engine of bench.options.engines) {
    const database = await bench.database(engine);
    const server = await bench.troupe(engine, { database });
    const batch = async (): Promise<number> => {
      const { events } = await load.ask("burst", { port: server.port, requests: [request], connections, rounds: 1 });
      return events;
    };
    const empty = await sizesOf(database);
    const first = await batch();
    const peak = await sizesOf(database);
    await server.process.ask("compacted", undefined);
    const used = await sizesOf(database);
    // The second batch uses the space that compacting the first one has freed, as on a server that keeps running.
    const second = await batch();
    await server.process.ask("compacted", undefined);
    const after = await sizesOf(database);
    await tidy(database);
    const live = await sizesOf(database);
    rows.push({
      database: engine,
      events: first + second,
      "log bytes/event": figure((live.log - empty.log) / (first + second)),
      "with messages and records": figure((live.all - empty.all) / (first + second)),
      "log before compaction": figure((peak.log - empty.log) / first),
      "growth of the files in a second batch": figure((after.all - used.all) / second),
    });
    await server.process.end();
  }
  printTable("Disk: 400 runs of 300 content events at token speed, compacted", rows);
};

async function sizesOf({ listen }: BenchDatabase): Promise<Sizes> {
  if (listen.database) return await sizesOnPostgres(listen.database);
  return sizesOnSqlite(join(listen.dataDir ?? "", "troupe.sqlite"));
}

function sizesOnSqlite(file: string): Sizes {
  const database = new Database(file, { readonly: true });
  const sum = (condition: string): number =>
    (database.prepare(`select sum(pgsize) as bytes from dbstat ${condition}`).get() as { bytes: number }).bytes;
  const sizes = { log: sum("where name like 'segments%'"), all: sum("") };
  database.close();
  return sizes;
}

async function sizesOnPostgres(url: string): Promise<Sizes> {
  const [row] = await query<{ log: string; all: string }>(
    url,
    `select pg_total_relation_size('segments') as log,
      (select sum(pg_total_relation_size(oid)) from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace) as all`,
  );
  return { log: Number(row?.log), all: Number(row?.all) };
}

/** Leaves only the space in use; for SQLite nothing needs to be done, because it reports only used space. */
async function tidy({ listen }: BenchDatabase): Promise<void> {
  if (listen.database) await execute(listen.database, "vacuum full");
}
