/**
 * Compares table layouts for one-event segments of many runs on SQLite: the statement and the commit alone, without the store.
 * Usage: node bench/trials/sqlite-layout.ts [runs] [writes a flush] [events a write] [seconds]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { frames } from "./setup.ts";

const [runs = "1000", perFlush = "150", perWrite = "1", seconds = "4"] = process.argv.slice(2);
const columns =
  "run_key integer not null, last_index integer not null, first_index integer not null, attempt integer not null, encoding integer not null, size integer not null, frames blob not null";
const insert = "insert into segments values (?, ?, ?, 1, 0, ?, ?)";

interface Layout {
  readonly name: string;
  readonly pageSize: number;
  readonly schema: string;
  readonly insert: string;
  readonly values?: (run: number, last: number, first: number, bytes: Buffer) => unknown[];
  readonly journal?: boolean;
}

const indexed = `create table segments (${columns}) strict; create unique index segments_end on segments (run_key, last_index)`;
const layouts: Layout[] = [
  ...[1024, 2048, 4096, 8192].map((pageSize) => ({
    name: `rowid + index, page ${pageSize}`,
    pageSize,
    schema: indexed,
    insert,
  })),
  { name: "no index", pageSize: 4096, schema: `create table segments (${columns}) strict`, insert },
  {
    name: "without rowid",
    pageSize: 4096,
    schema: `create table segments (${columns}, primary key (run_key, last_index)) strict, without rowid`,
    insert,
  },
  {
    name: "without rowid, page 1024",
    pageSize: 1024,
    schema: `create table segments (${columns}, primary key (run_key, last_index)) strict, without rowid`,
    insert,
  },
  {
    name: "key of both as rowid",
    pageSize: 4096,
    schema:
      "create table segments (id integer not null primary key, first_index integer not null, frames blob not null) strict",
    insert: "insert into segments values (?, ?, ?)",
    values: (run, last, first, bytes) => [run * 2 ** 24 + last, first, bytes],
  },
  {
    name: "one row a flush",
    pageSize: 4096,
    schema: "create table journal (id integer not null primary key, frames blob not null) strict",
    insert: "insert into journal values (null, ?)",
    journal: true,
  },
];

for (const layout of layouts) {
  const folder = mkdtempSync(join(process.env.TRIAL_DIR ?? tmpdir(), "troupe-trial-"));
  const database = new Database(join(folder, "data.sqlite"));
  database.pragma(`page_size = ${layout.pageSize}`);
  database.pragma("journal_mode = wal");
  database.pragma("synchronous = full");
  database.pragma("wal_autocheckpoint = 0");
  database.pragma("cache_size = -65536");
  database.exec(layout.schema);
  const put = database.prepare(layout.insert);
  const [begin, commit] = ["begin immediate", "commit"].map((text) => database.prepare(text));
  const next = new Array<number>(Number(runs)).fill(0);
  let place = 0;
  let spent = 0;
  let inCommit = 0;
  let flushes = 0;
  let pages = 0;
  const start = performance.now();
  while (performance.now() - start < Number(seconds) * 1000) {
    const writes: unknown[][] = [];
    for (let n = 0; n < Number(perFlush); n++) {
      const run = place++ % next.length;
      const first = next[run] as number;
      const bytes = frames(first, Number(perWrite));
      next[run] = first + Number(perWrite);
      const last = first + Number(perWrite) - 1;
      writes.push(layout.values?.(run, last, first, bytes) ?? [run, last, first, bytes.length, bytes]);
    }
    const began = performance.now();
    begin?.run();
    if (layout.journal) put.run(Buffer.concat(writes.map((write) => write[4] as Buffer)));
    else for (const write of writes) put.run(...write);
    const committing = performance.now();
    commit?.run();
    inCommit += performance.now() - committing;
    spent += performance.now() - began;
    flushes += 1;
    if (flushes % 64 === 0) {
      const state = database.prepare("pragma wal_checkpoint(noop)").get() as { log: number };
      pages += state.log;
      database.pragma("wal_checkpoint(truncate)");
    }
  }
  const events = flushes * Number(perFlush) * Number(perWrite);
  console.log(
    `${layout.name}: ${Math.round(events / (spent / 1000)).toLocaleString("en")} events/s, flush ${(spent / flushes).toFixed(2)} ms of which commit ${(inCommit / flushes).toFixed(2)}, ` +
      `log ${((pages * layout.pageSize) / (flushes - (flushes % 64)) / 1024).toFixed(0)} KiB a flush`,
  );
  database.close();
  rmSync(folder, { recursive: true, force: true });
}
