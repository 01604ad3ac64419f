/**
 * The same load on one and on four replicas of one Postgres. The claim is that the database's CPU per event and the p99 of a commit grow by at most
 * 10 %, not that throughput grows: all replicas share the machine's cores.
 *
 * Both setups run during the whole measurement, each with its own Postgres server, and get the load alternately. The
 * speed of the machine changes within minutes, so each pass is compared with the pass directly before it.
 */

import { intervalFactor } from "../../src/model/interval-factor.ts";
import { defaultSettings } from "../../src/model/settings.ts";
import { type Bench, type Candidate, Figures, type QuestionOf } from "../parts/bench.ts";
import type { Child } from "../parts/child.ts";
import type { LoadCommands, TroupeCommands } from "../parts/commands.ts";
import type { BenchDatabase } from "../parts/databases.ts";
import { beginLiveRuns, endLiveRuns, type LiveRuns, pace, pacedRequest } from "../parts/live-runs.ts";
import { percentile } from "../parts/statistics.ts";
import { printTable, spread } from "../parts/table.ts";
import { now, sleep } from "../parts/time.ts";
import { type Commit, sinceDue, tookOf } from "../parts/timed-commits.ts";

type Replica = Candidate<TroupeCommands>;

/** Numbers of live runs: one load leaves the cores mostly idle, the other leaves some capacity. */
const loads = [24, 100];

/** Numbers of replicas that share the load; the first is the base of the ratios. */
const sizes = [1, 4];
const durations = { ramp: 10_000, settle: 2_000, window: 15_000 };

/** Replicas and their database. */
export interface Setup {
  readonly database: BenchDatabase;
  readonly servers: readonly Replica[];
}

export const replicas: QuestionOf = async (bench) => {
  const load = bench.load();
  const setups: Setup[] = [];
  for (const size of sizes) setups.push(await openReplicas(bench, size));
  for (const connections of loads) {
    const figures = setups.map(() => new Figures());
    for (const { servers } of setups) for (const { port } of servers) await warmUp(load, port, connections);
    for (let pass = 0; pass < bench.options.passes; pass++) {
      for (const [place, setup] of setups.entries())
        figures[place]?.add(await measureReplicas(load, setup, { connections, ...durations }));
    }
    const [base = new Figures(), ...others] = figures;
    printTable(`${connections} live runs, ${pace} events a second each, on one Postgres`, [
      ...figures.map((found, place) => ({ replicas: `${sizes[place]}`, ...found.cells(spread) })),
      ...others.map((found, place) => ({ replicas: `${sizes[place + 1]} to 1`, ...found.over(base).cells(spread) })),
    ]);
  }
};

/** Starts replicas on a new Postgres server. */
export async function openReplicas(bench: Bench, size: number): Promise<Setup> {
  const database = await bench.ownPostgres();
  const servers: Replica[] = [];
  for (let place = 0; place < size; place++) servers.push(await bench.troupe("postgres", { database, store: "timed" }));
  return { database, servers };
}

/** Puts the whole load on one process: with a quarter of it, compiling its code and adjusting its heap would take four times as long. */
async function warmUp(load: Child<LoadCommands>, port: number, connections: number): Promise<void> {
  const { ramp } = durations;
  await load.ask("keep", { ports: [port], request: pacedRequest, connections, ramp, again: false });
  await load.ask("release", { wait: true });
}

/** Columns of `measureReplicas`. */
type ReplicaFigures = Record<"database us/event" | "servers us/event" | "commit p99", number>;

/** Measures replicas and their database while runs are live on all of them. */
export async function measureReplicas(
  load: Child<LoadCommands>,
  { database, servers }: Setup,
  runs: LiveRuns,
): Promise<ReplicaFigures & Record<string, number>> {
  const ports = servers.map(({ port }) => port);
  await beginLiveRuns(load, ports, runs);
  await sleep(runs.settle);
  await Promise.all([load.ask("window", undefined), commitsOf(servers)]);
  const before = await cpuOf(servers);
  const databaseBefore = database.cpu();
  const begun = now();
  await sleep(runs.window);
  const [{ events, latencyP99 }, commitsOfEach] = await Promise.all([
    load.ask("window", undefined),
    commitsOf(servers),
  ]);
  const seconds = (now() - begun) / 1000;
  const databaseCpu = database.cpu() - databaseBefore;
  const after = await cpuOf(servers);
  await endLiveRuns(load);
  const commits = commitsOfEach.flatMap(tookOf);
  const interval = defaultSettings.flushInterval * intervalFactor(servers.length);
  const since = commitsOfEach.flatMap((each) => sinceDue(each, interval));
  return {
    "events/s": events / seconds,
    "database us/event": (databaseCpu * 1000) / events,
    "servers us/event": ((after - before) * 1000) / events,
    "commits/s": commits.length / seconds,
    "commit ms p50": percentile(commits, 0.5),
    "commit p99": percentile(commits, 0.99),
    "since due p99": percentile(since, 0.99),
    "receipt p99": latencyP99,
  };
}

/** Commits of each server since the previous call. */
function commitsOf(servers: readonly Replica[]): Promise<Commit[][]> {
  return Promise.all(servers.map(({ process }) => process.ask("commits", undefined)));
}

/** Total CPU of all servers so far. */
async function cpuOf(servers: readonly Replica[]): Promise<number> {
  const all = await Promise.all(servers.map(({ process }) => process.ask("cpu", undefined)));
  return all.reduce((sum, cpu) => sum + cpu, 0);
}
