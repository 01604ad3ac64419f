/**
 * Disk size of a finished log before and after compaction, and its read speed.
 * Usage: node bench/trials/compaction.ts [sqlite|postgres] [runs] [events a run] [events a write]
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import pg from "pg";
import type { Store } from "../../src/store/contract/store.ts";
import { contentWrite, makeRuns, openTrial } from "./setup.ts";

const [kind = "sqlite", runs = "100", perRun = "2000", perWrite = "1"] = process.argv.slice(2);
const { store, place, remove } = await openTrial(kind);

/** Bytes of the log's table and its index. */
async function size(): Promise<number> {
  if (kind === "sqlite") {
    const database = new Database(join(place, "troupe.sqlite"));
    database.pragma("wal_checkpoint(truncate)");
    const free =
      (database.pragma("freelist_count", { simple: true }) as number) *
      (database.pragma("page_size", { simple: true }) as number);
    database.close();
    return statSync(join(place, "troupe.sqlite")).size - free;
  }
  const client = new pg.Client({ connectionString: place });
  await client.connect();
  await client.query("vacuum full segments");
  const { rows } = await client.query("select pg_total_relation_size('segments')::int as bytes");
  await client.end();
  return rows[0].bytes;
}

async function read(from: Store, key: number): Promise<number> {
  let bytes = 0;
  for (let cursor = -1; ; ) {
    const segments = await from.segments(key, cursor, 256 * 1024);
    if (segments.length === 0) return bytes;
    for (const segment of segments) bytes += segment.frames.length;
    cursor = segments.at(-1)?.lastIndex ?? cursor;
  }
}

async function readAll(keys: readonly number[]): Promise<string> {
  const start = performance.now();
  let bytes = 0;
  for (const key of keys) bytes += await read(store, key);
  const rate = (keys.length * Number(perRun)) / ((performance.now() - start) / 1000);
  return `${Math.round(rate).toLocaleString("en")} events/s read (${Math.round(bytes / keys.length / Number(perRun))} bytes an event)`;
}

const empty = await size();
const keys = await makeRuns(store, Number(runs));
for (let index = 0; index < Number(perRun); index += Number(perWrite)) {
  for (let start = 0; start < keys.length; start += 100) {
    await store.append(keys.slice(start, start + 100).map((key) => contentWrite(key, index, Number(perWrite))));
  }
}
const events = keys.length * Number(perRun);
const none = contentWrite(0, 0, 1);
for (const key of keys) {
  await store.append([{ ...none, key, segment: null, transition: { to: "COMPLETED", output: null, at: 0 } }]);
}
console.log(`${kind}, as written: ${((await size()) - empty) / events} bytes/event, ${await readAll(keys)}`);
const cpu = process.cpuUsage();
const start = performance.now();
for (const key of keys) await store.compact(key, 256 * 1024);
const took = performance.now() - start;
const used = process.cpuUsage(cpu);
console.log(
  `${kind}, compacted: ${((await size()) - empty) / events} bytes/event, ${await readAll(keys)}; compaction ` +
    `${Math.round(events / (took / 1000)).toLocaleString("en")} events/s, CPU ${((used.user + used.system) / events).toFixed(2)} us/event`,
);
await remove();
