/**
 * One table that anyone can repeat in under five minutes: the figures with a target, for bare `node:http`, SQLite and Postgres in turn. Postgres is a
 * new server, so that its tables have no statistics at first. A ratio divides figures of the same pass. Each part is a short form of another question.
 */
import type { Bench, Candidate, QuestionOf } from "../parts/bench.ts";
import type { Child } from "../parts/child.ts";
import type { LoadCommands, ReferenceCommands, TroupeCommands } from "../parts/commands.ts";
import type { EngineName } from "../parts/databases.ts";
import { pace, pacedRequest } from "../parts/live-runs.ts";
import { atLeast, atMost, SummaryTable } from "../parts/summary-table.ts";
import { now } from "../parts/time.ts";
import { measureBurst, teachBurst } from "./burst.ts";
import { measureIdleBare, measureIdleFollowers } from "./idle-connections.ts";
import { memoryBurst } from "./memory.ts";
import { measureRuns } from "./non-stream.ts";
import { measureLive } from "./paced.ts";
import { measureReplicas, openReplicas } from "./replicas.ts";
import { startBare, startTroupe } from "./start-up.ts";

/** Sizes of the parts: together they take less than five minutes on an idle machine. */
const burstSize = { connections: 20, rounds: 8 };
const runsSize = { connections: 16, total: 500 };
const manyLive = { connections: 300, ramp: 1_000, settle: 500, window: 2_000 };
const fewLive = { connections: 100, ramp: 500, settle: 300, window: 1_200 };
const replicasLive = { connections: 100, ramp: 600, settle: 400, window: 3_000 };

/** Candidates take turns, so that a busy minute of the machine affects all of them. Replicas take longest and have fewer passes. */
const minPasses = 5;
const replicaPasses = 3;

/** Logs are compacted between two bursts rather than during the next one; live runs are measured with the default interval. */
const compactedByBench = { compactionInterval: 3_600_000 };
const smallHeap = ["--max-old-space-size=192"];

const MiB = 2 ** 20;

const rows = {
  "burst: events/s": undefined,
  "burst: share of bare": atLeast(0.5, 0.5),
  "burst: CPU µs/event": undefined,
  "burst: CPU, multiples of bare": atMost(3.5, 3.5),
  "burst: the same with compaction": undefined,
  "burst: database CPU µs/event": undefined,
  "heap of 192 MiB: share of the burst's speed": atLeast(0.9, 0.9),
  "runs without a stream: runs/s": undefined,
  "runs without a stream: share of a store that does nothing": atLeast(0.4, 0.4),
  "runs without a stream: CPU ms": atMost(0.6, 0.8),
  "runs without a stream: database CPU ms": undefined,
  "300 live runs: CPU µs/event": undefined,
  "300 live runs: CPU, multiples of bare": atMost(1.6, 1.6),
  "300 live runs: database CPU µs/event": undefined,
  "300 live runs: lateness ms p50": atMost(4, 6),
  "300 live runs: lateness ms p99": atMost(20, 35),
  "100 live runs: lateness ms p99": atMost(8, 15),
  "resident MiB, idle after 5,000 streams": atMost(250, 250),
  "idle follower KiB": atMost(16, 16),
  "idle follower KiB of heap": undefined,
  "start to first /health ms": atMost(450, 450),
  "resident MiB at start": atMost(110, 110),
  "4 replicas to 1: database CPU/event": atMost(1.1, 1.1),
  "4 replicas to 1: commit p99": undefined,
} as const;

type Load = Child<LoadCommands>;
type Troupe = Candidate<TroupeCommands>;
type Reference = Candidate<ReferenceCommands>;

interface Parts {
  readonly bench: Bench;
  readonly load: Load;
  readonly reference: Reference;
  readonly table: SummaryTable<keyof typeof rows>;
  readonly passes: number;
}

export const summary: QuestionOf = async (bench) => {
  const began = now();
  const { engines } = bench.options;
  // On standard error, because it is no part of the result.
  const progress = (part: string): void => console.error(`${((now() - began) / 1000).toFixed(0)} s: ${part}`);
  progress("build");
  const installed = await bench.installed();
  const passes = Math.max(minPasses, bench.options.passes);
  const table = new SummaryTable<keyof typeof rows>(rows);
  const parts: Parts = { bench, load: bench.load(), reference: await bench.reference(), table, passes };
  progress("bursts, and runs without a stream");
  await burstsAndRuns(parts);
  progress("live runs");
  const servers = await liveRuns(parts);
  progress("5,000 streams");
  await Promise.all(servers.map((server) => manyStreams(bench, server)));
  const idleSince = now();
  // The servers above are idle meanwhile, and their memory is read at the end.
  progress("replicas");
  if (engines.includes("postgres")) await replicas(parts);
  progress("starts");
  await starts(parts, installed);
  progress("idle followers");
  const bare = measureIdleBare(bench).then((found) => ["bare", found] as const);
  const ours = engines.map(async (engine) => [engine, await measureIdleFollowers(bench, engine)] as const);
  for (const [name, found] of await Promise.all([bare, ...ours])) {
    table.add("idle follower KiB", name, found.resident);
    table.add("idle follower KiB of heap", name, found["used heap"]);
  }
  for (const server of servers) {
    const { resident } = await server.process.ask("memory", undefined);
    table.add("resident MiB, idle after 5,000 streams", engineOf(server), resident / MiB);
  }
  const idle = ((now() - idleSince) / 1000).toFixed(0);
  table.print("Summary: medians (minimum-maximum) of the passes; targets are for SQLite / Postgres");
  console.log(
    `\nMemory was read ${idle} s after the last stream. All of it took ${((now() - began) / 1000).toFixed(0)} s.`,
  );
};

/** A server's name is its database. */
const engineOf = ({ name }: Troupe): EngineName => name as EngineName;

/** Starts a server for each database; each Postgres server is new. */
async function startServers(bench: Bench, flags: readonly string[], settings = {}): Promise<Troupe[]> {
  const started: Troupe[] = [];
  for (const engine of bench.options.engines) {
    const own = engine === "postgres" ? { database: await bench.ownPostgres() } : {};
    started.push(await bench.troupe(engine, { flags, settings, ...own }));
  }
  return started;
}

async function endAll(servers: readonly Troupe[]): Promise<void> {
  await Promise.all(servers.map(({ process }) => process.end()));
}

/** Bursts of streams, also in a small heap, and runs without a stream. */
async function burstsAndRuns({ bench, load, reference, table, passes }: Parts): Promise<void> {
  const nothing = await bench.troupe("sqlite", { store: "nothing" });
  const servers = await startServers(bench, [], compactedByBench);
  const small = await startServers(bench, smallHeap, compactedByBench);
  if (servers[0]) await teachBurst(load, reference, servers[0]);
  // The first pass warms up.
  for (let pass = 0; pass <= passes; pass++) {
    const add: Parts["table"]["add"] = (...figure) => {
      if (pass > 0) table.add(...figure);
    };
    const bare = await measureBurst(bench, load, reference, burstSize);
    add("burst: events/s", "bare", bare.perSecond);
    add("burst: CPU µs/event", "bare", bare.cpu);
    const none = await measureRuns(bench, load, nothing, runsSize);
    for (const [place, server] of servers.entries()) {
      const engine = engineOf(server);
      const { perSecond, cpu, taken } = await measureBurst(bench, load, server, burstSize);
      await server.process.ask("compact", undefined);
      const withCompaction = (await server.process.ask("cpu", undefined)) - taken.before.cpu;
      const { events } = taken.result;
      add("burst: events/s", engine, perSecond);
      add("burst: share of bare", engine, perSecond / bare.perSecond);
      add("burst: CPU µs/event", engine, cpu);
      add("burst: CPU, multiples of bare", engine, cpu / bare.cpu);
      add("burst: the same with compaction", engine, (withCompaction * 1000) / events / bare.cpu);
      if (engine === "postgres") add("burst: database CPU µs/event", engine, (taken.databaseCpu * 1000) / events);
      const inSmallHeap = small[place];
      if (inSmallHeap) {
        const bounded = await measureBurst(bench, load, inSmallHeap, burstSize);
        await inSmallHeap.process.ask("compact", undefined);
        add("heap of 192 MiB: share of the burst's speed", engine, bounded.perSecond / perSecond);
      }
      const found = await measureRuns(bench, load, server, runsSize);
      await server.process.ask("compact", undefined);
      add("runs without a stream: runs/s", engine, found["runs/s"]);
      add("runs without a stream: share of a store that does nothing", engine, found["runs/s"] / none["runs/s"]);
      add("runs without a stream: CPU ms", engine, found["CPU us/run"] / 1000);
      if (engine === "postgres") add("runs without a stream: database CPU ms", engine, found["database us/run"] / 1000);
    }
  }
  await endAll([nothing, ...servers, ...small]);
}

/** Live runs at the pace of typical models. Returns its servers. */
async function liveRuns({ bench, load, reference, table, passes }: Parts): Promise<readonly Troupe[]> {
  const servers = await startServers(bench, []);
  if (servers[0]) {
    const frames = await load.ask("capture", { port: servers[0].port, request: pacedRequest });
    await reference.process.ask("send", { frames, perSecond: pace });
  }
  for (let pass = 0; pass <= passes; pass++) {
    const add: Parts["table"]["add"] = (...figure) => {
      if (pass > 0) table.add(...figure);
    };
    const bare = await measureLive(bench, load, reference, manyLive);
    add("300 live runs: CPU µs/event", "bare", bare["CPU us/event"]);
    add("300 live runs: lateness ms p50", "bare", bare["receipt ms p50"]);
    add("300 live runs: lateness ms p99", "bare", bare["receipt p99"]);
    for (const server of servers) {
      const engine = engineOf(server);
      // The server has been idle since its last turn, so the smaller load comes first and warms it up.
      const few = await measureLive(bench, load, server, fewLive);
      await server.process.ask("compact", undefined);
      add("100 live runs: lateness ms p99", engine, few["receipt p99"]);
      const many = await measureLive(bench, load, server, manyLive);
      await server.process.ask("compact", undefined);
      add("300 live runs: CPU µs/event", engine, many["CPU us/event"]);
      add("300 live runs: CPU, multiples of bare", engine, many["CPU us/event"] / bare["CPU us/event"]);
      if (engine === "postgres") add("300 live runs: database CPU µs/event", engine, many["database us/event"]);
      add("300 live runs: lateness ms p50", engine, many["receipt ms p50"]);
      add("300 live runs: lateness ms p99", engine, many["receipt p99"]);
    }
  }
  return servers;
}

/** 5,000 streams, and their compaction. All databases do it at the same time: only the memory afterwards matters. */
async function manyStreams(bench: Bench, server: Troupe): Promise<void> {
  const load = bench.load();
  await measureBurst(bench, load, server, memoryBurst);
  await load.end();
  await server.process.ask("compacted", undefined);
}

/** The same live runs on one and on four replicas. */
async function replicas({ bench, load, table }: Parts): Promise<void> {
  const [one, four] = [await openReplicas(bench, 1), await openReplicas(bench, 4)];
  for (let pass = 0; pass <= replicaPasses; pass++) {
    const alone = await measureReplicas(load, one, replicasLive);
    const together = await measureReplicas(load, four, replicasLive);
    if (pass === 0) continue;
    const ratio = together["database us/event"] / alone["database us/event"];
    table.add("4 replicas to 1: database CPU/event", "postgres", ratio);
    table.add("4 replicas to 1: commit p99", "postgres", together["commit p99"] / alone["commit p99"]);
  }
  await endAll([...one.servers, ...four.servers]);
}

/** Starts of the installed package on an existing database. */
async function starts(
  { bench, table, passes }: Parts,
  installed: Awaited<ReturnType<Bench["installed"]>>,
): Promise<void> {
  const databases = [];
  for (const engine of bench.options.engines) databases.push({ engine, database: await bench.database(engine) });
  for (let pass = 0; pass <= passes; pass++) {
    const bare = await startBare();
    const found = [["bare", bare] as const];
    const ours = [];
    for (const { engine, database } of databases) ours.push([engine, await startTroupe(installed, database)] as const);
    // The first start creates the tables.
    if (pass === 0) continue;
    for (const [name, figures] of [...found, ...ours]) {
      table.add("start to first /health ms", name, figures.ms);
      table.add("resident MiB at start", name, figures["RSS MiB"]);
    }
  }
}
