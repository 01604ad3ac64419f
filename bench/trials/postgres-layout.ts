/**
 * Compares statements that write one-event segments of many runs to Postgres: one client, one statement (one commit) per flush.
 * Usage: DATABASE_URL=… node bench/trials/postgres-layout.ts [runs] [writes a flush] [events a write] [seconds]
 */
import { readFileSync } from "node:fs";
import pg from "pg";
import { frames, makeRuns, openTrial } from "./setup.ts";

const [runs = "1000", perFlush = "150", perWrite = "1", seconds = "4"] = process.argv.slice(2);

interface Part {
  readonly key: number;
  readonly first: number;
  readonly last: number;
  readonly bytes: Buffer;
}

interface Shape {
  readonly name: string;
  readonly text: (rows: number) => string;
  readonly values: (parts: readonly Part[]) => unknown[];
  readonly before?: string;
}

const held = (
  lock: string,
): string => `with held as materialized (select h.run_key from unnest($1::int8[], $2::int4[]) as d(run_key, attempt)
  join run_heads h on h.run_key = d.run_key and h.attempt = d.attempt and h.status = 'RUNNING' order by h.run_key ${lock})`;
const put = `insert into segments (run_key, last_index, first_index, attempt, encoding, size, frames)
  select d.run_key, d.last_index, d.first_index, d.attempt, 0, d.size, substring($7::bytea from d.start for d.size)
  from unnest($1::int8[], $2::int4[], $3::int4[], $4::int4[], $5::int4[], $6::int4[]) as d(run_key, attempt, first_index, last_index, start, size)`;
const join = "join held on held.run_key = d.run_key";
const end = "on conflict do nothing returning run_key";

function arrays(parts: readonly Part[]): unknown[] {
  let start = 1;
  const starts = parts.map(({ bytes }) => {
    start += bytes.length;
    return start - bytes.length;
  });
  const column = (of: (part: Part) => number): number[] => parts.map(of);
  const all = Buffer.concat(parts.map((part) => part.bytes));
  return [
    column((p) => p.key),
    column(() => 1),
    column((p) => p.first),
    column((p) => p.last),
    starts,
    column((p) => p.bytes.length),
    all,
  ];
}

const row = (n: number): string =>
  `($${n * 4 + 1}::int8, $${n * 4 + 2}::int4, $${n * 4 + 3}::int4, $${n * 4 + 4}::bytea)`;
const rowsOf = (count: number): string => Array.from({ length: count }, (_, n) => row(n)).join(", ");
const flat = (parts: readonly Part[]): unknown[] =>
  parts.flatMap((part) => [part.key, part.first, part.last, part.bytes]);

const all =
  "unnest($1::int8[], $2::int4[], $3::int4[], $4::int4[], $5::int4[], $6::int4[]) as d(run_key, attempt, first_index, last_index, start, size)";
const into = `insert into segments (run_key, last_index, first_index, attempt, encoding, size, frames)
  select d.run_key, d.last_index, d.first_index, d.attempt, 0, d.size, substring($7::bytea from d.start for d.size) from d returning run_key`;
const fenced = (lock: string): string => `with d as materialized (select d.* from ${all}
  join run_heads h on h.run_key = d.run_key and h.attempt = d.attempt and h.status = 'RUNNING' order by h.run_key ${lock}) ${into}`;

const shapes: Shape[] = [
  { name: "as the store does it", text: () => fenced("for no key update of h"), values: arrays },
  { name: "the same, for share", text: () => fenced("for share of h"), values: arrays },
  { name: "the same without a lock", text: () => fenced(""), values: arrays },
  {
    name: "fence as an update of the head",
    text: () => `with d as materialized (update run_heads h set updated_at = d.last_index from ${all}
      where h.run_key = d.run_key and h.attempt = d.attempt and h.status = 'RUNNING' returning d.*) ${into}`,
    values: arrays,
  },
  {
    name: "two joins and a conflict clause",
    text: () => `${held("for no key update of h")} ${put} ${join} ${end}`,
    values: arrays,
  },
  { name: "no fence, conflict clause", text: () => `${put} ${end}`, values: arrays },
  { name: "no fence", text: () => put, values: arrays },
  {
    name: "no fence, no index",
    before: "alter table segments drop constraint segments_pkey",
    text: () => put,
    values: arrays,
  },
  {
    name: "rows of values, locking join",
    text: (count) => `with d(run_key, first_index, last_index, frames) as (values ${rowsOf(count)}),
      held as materialized (select h.run_key from d join run_heads h on h.run_key = d.run_key and h.attempt = 1 and h.status = 'RUNNING' order by h.run_key for no key update of h)
      insert into segments (run_key, last_index, first_index, attempt, encoding, size, frames)
      select d.run_key, last_index, first_index, 1, 0, length(frames), frames from d ${join} ${end}`,
    values: flat,
  },
  {
    name: "one row a flush, no fence",
    before:
      "create table journal (id bigint generated always as identity primary key, keys bigint[] not null, frames bytea not null)",
    text: () => "insert into journal (keys, frames) values ($1, $2)",
    values: (parts) => [parts.map((part) => part.key), Buffer.concat(parts.map((part) => part.bytes))],
  },
  {
    name: "one row a flush, locking fence",
    before:
      "create table journal (id bigint generated always as identity primary key, keys bigint[] not null, frames bytea not null)",
    text: () => `with held as materialized (select h.run_key from unnest($1::int8[]) as d(run_key)
      join run_heads h on h.run_key = d.run_key and h.attempt = 1 and h.status = 'RUNNING' order by h.run_key for no key update of h)
      insert into journal (keys, frames) select array(select run_key from held), $2`,
    values: (parts) => [parts.map((part) => part.key), Buffer.concat(parts.map((part) => part.bytes))],
  },
];

/** Microseconds of CPU that a server process on this machine has used. */
function backendCpu(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

const only = process.env.SHAPE;
for (const shape of shapes.filter(({ name }) => only === undefined || name.includes(only))) {
  const { store, place, remove } = await openTrial("postgres");
  const keys = await makeRuns(store, Number(runs));
  const client = new pg.Client({
    connectionString: place,
    options:
      "-c plan_cache_mode=force_generic_plan -c jit=off -c synchronous_commit=on -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off",
  });
  await client.connect();
  if (shape.before !== undefined) await client.query(shape.before);
  const { rows } = await client.query("select pg_backend_pid() as pid");
  const cpuBefore = backendCpu(rows[0].pid);
  const next = new Map(keys.map((key) => [key, 0]));
  let at = 0;
  let spent = 0;
  let flushes = 0;
  const text = shape.text(Number(perFlush));
  const start = performance.now();
  while (performance.now() - start < Number(seconds) * 1000) {
    const parts: Part[] = [];
    for (let n = 0; n < Number(perFlush); n++) {
      const key = keys[at++ % keys.length] as number;
      const first = next.get(key) as number;
      next.set(key, first + Number(perWrite));
      parts.push({ key, first, last: first + Number(perWrite) - 1, bytes: frames(first, Number(perWrite)) });
    }
    const began = performance.now();
    await client.query({ name: "flush", text, values: shape.values(parts) });
    spent += performance.now() - began;
    flushes += 1;
  }
  const events = flushes * Number(perFlush) * Number(perWrite);
  console.log(
    `${shape.name}: ${Math.round(events / (spent / 1000)).toLocaleString("en")} events/s, flush ${(spent / flushes).toFixed(2)} ms, backend CPU ${((backendCpu(rows[0].pid) - cpuBefore) / events).toFixed(1)} us/event`,
  );
  await client.end();
  await remove();
}
