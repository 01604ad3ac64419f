/**
 * Duration of commits while old events are removed and while none are, in alternating windows. Then the rest is removed under the same load. Also: the
 * rate of removal, and the size of the tables before, afterwards and after the same amount of new data. The old runs and their events are generated.
 * Usage: node bench/trials/retention.ts [sqlite|postgres] [runs] [events a run] [seconds a window] [windows]
 */
import { randomFillSync } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import pg from "pg";
import { RetentionJob } from "../../src/events/retention.ts";
import { realRuntime } from "../../src/platform/runtime.ts";
import { contentWrite, makeRuns, openTrial } from "./setup.ts";

const [kind = "sqlite", runs = "100000", perRun = "100", seconds = "10", windows = "6"] = process.argv.slice(2);
const { store, retention, place, remove } = await openTrial(kind);
const quiet = (): void => undefined;
const runtime = realRuntime({ debug: quiet, info: quiet, warn: console.error, error: console.error });

/** Compressed bytes of an event. */
const eventBytes = 30;
/** Live runs, and events that each of them writes per flush. */
const [live, perWrite] = [50, 2];
/** Milliseconds between two flushes. */
const between = 20;

const columns =
  "run_key, root_key, session_key, session_seq, policy, status, attempt, cancel_requested, first_kept, compacted, counted, updated_at";
const head = (key: string) => `${key}, ${key}, ${key}, 0, 'queue', 'COMPLETED', 1, 0, 0, 1, 1, ${key}`;
let generated = 0;

/** Inserts ended runs with one compacted row of random bytes each, as compression leaves them. */
async function generate(count: number): Promise<void> {
  const [last, bytes] = [Number(perRun) - 1, Number(perRun) * eventBytes];
  if (kind === "sqlite") {
    const database = new Database(join(place, "troupe.sqlite"));
    const heads = database.prepare(`insert into run_heads (${columns}) values (${head("?").replaceAll("?", "@key")})`);
    const rows = database.prepare("insert into segments values (@key, @last, 0, 1, 1, @size, @frames)");
    for (let start = 0; start < count; start += 1_000) {
      database.transaction(() => {
        for (let n = start; n < Math.min(start + 1_000, count); n++) {
          const key = 1_000_000_000 + generated++;
          heads.run({ key });
          rows.run({ key, last, size: bytes * 10, frames: randomFillSync(Buffer.alloc(bytes)) });
        }
      })();
      database.pragma("wal_checkpoint(passive)");
    }
    database.close();
    return;
  }
  const client = new pg.Client({ connectionString: place });
  await client.connect();
  await client.query("set synchronous_commit = off");
  const noise = "string_agg(decode(md5(random()::text || i || k), 'hex'), '')";
  for (let start = 0; start < count; start += 5_000) {
    const [from, to] = [1_000_000_000 + generated, 1_000_000_000 + generated + Math.min(5_000, count - start) - 1];
    await client.query(`insert into run_heads (${columns}) select ${head("i")} from generate_series(${from}, ${to}) i`);
    await client.query(`insert into segments select i, ${last}, 0, 1, 1, ${bytes * 10},
      (select ${noise} from generate_series(1, ${Math.ceil(bytes / 16)}) k) from generate_series(${from}, ${to}) i`);
    generated += to - from + 1;
  }
  await client.end();
}

/** Megabytes of the database's file, or of the table of events with its large values. */
async function size(): Promise<string> {
  const toText = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  if (kind === "sqlite") {
    const database = new Database(join(place, "troupe.sqlite"));
    database.pragma("wal_checkpoint(truncate)");
    database.close();
    return toText(statSync(join(place, "troupe.sqlite")).size);
  }
  const client = new pg.Client({ connectionString: place });
  await client.connect();
  const { rows } = await client.query(`select pg_total_relation_size('segments')::float8 as bytes, n_dead_tup as dead,
    autovacuum_count as vacuums from pg_stat_user_tables where relname = 'segments'`);
  const { rows: large } =
    await client.query(`select n_dead_tup as dead, autovacuum_count as vacuums from pg_stat_all_tables
    where relid = (select reltoastrelid from pg_class where relname = 'segments')`);
  await client.end();
  const state = ({ dead, vacuums }: { dead: string; vacuums: string }) => `${dead} dead rows, ${vacuums} autovacuums`;
  return `${toText(rows[0].bytes)} (rows: ${state(rows[0])}; large values: ${state(large[0])})`;
}

const keys = await makeRuns(store, live);
let next = 0;
let isFlushing = false;

/** Commits flushes at a steady rate for some milliseconds, or until a promise is settled; returns their durations in milliseconds. */
async function flushes(duration: number | Promise<unknown>): Promise<readonly number[]> {
  const durations: number[] = [];
  let end = typeof duration === "number" ? performance.now() + duration : Number.POSITIVE_INFINITY;
  if (typeof duration !== "number")
    void duration.finally(() => {
      end = 0;
    });
  for (let due = performance.now(); due < end; due += between) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(due - performance.now(), 0)));
    const writes = keys.map((key) => contentWrite(key, next, perWrite));
    next += perWrite;
    const begun = performance.now();
    isFlushing = true;
    await store.append(writes);
    isFlushing = false;
    durations.push(performance.now() - Math.min(begun, due + between));
  }
  return durations;
}

function quantiles(durations: readonly number[]): string {
  const sorted = [...durations].sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
  return `${sorted.length} flushes, ms: p50 ${at(0.5)}, p99 ${at(0.99)}, p99.9 ${at(0.999)}, max ${at(1)}`;
}

const before = performance.now();
await generate(Number(runs));
const rate = `${(Number(runs) * Number(perRun)).toLocaleString("en")} events of ${Number(runs).toLocaleString("en")} runs`;
console.log(`${kind}: ${rate} generated in ${((performance.now() - before) / 1000).toFixed(0)} s: ${await size()}`);
await flushes(2_000);
const all = { without: [] as number[], with: [] as number[] };
let removed = 0;
let removing = 0;
for (let window = 0; window < Number(windows); window++) {
  const which = window % 2 === 0 ? "without" : "with";
  const job = new RetentionJob({ store: retention, runtime, ages: { events: 86_400_000 }, isBusy: () => isFlushing });
  const begun = performance.now();
  const sweep = which === "with" ? job.sweep() : undefined;
  const durations = await flushes(Number(seconds) * 1000);
  all[which].push(...durations);
  await job.close();
  const items = (await sweep)?.events ?? 0;
  removed += items;
  if (sweep) removing += performance.now() - begun;
  console.log(`${which} removal: ${quantiles(durations)}${sweep ? `; ${items} runs removed` : ""}`);
}
for (const which of ["without", "with"] as const) console.log(`all, ${which} removal: ${quantiles(all[which])}`);
console.log(
  `${Math.round((removed * Number(perRun)) / (removing / 1000)).toLocaleString("en")} events/s removed beside this load`,
);
console.log(await size());
const job = new RetentionJob({ store: retention, runtime, ages: { events: 86_400_000 }, isBusy: () => isFlushing });
const begun = performance.now();
const sweep = job.sweep();
const durations = await flushes(sweep);
const rest = (await sweep).events ?? 0;
const took = (performance.now() - begun) / 1000;
const speed = Math.round((rest * Number(perRun)) / took).toLocaleString("en");
console.log(
  `the rest: ${speed} events/s removed beside this load (${rest} runs in ${took.toFixed(1)} s), ${quantiles(durations)}; ${await size()}`,
);
if (kind === "postgres") {
  await new Promise((resolve) => setTimeout(resolve, 65_000));
  console.log(`after a minute: ${await size()}`);
}
await generate(Number(runs));
console.log(`after the same number of new events: ${await size()}`);
await remove();
