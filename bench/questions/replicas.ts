/**
 * The same load on one and on four replicas of one Postgres. The claim is that its CPU per event and the p99 of a commit grow by at most 10 %,
 * not that throughput grows: all of them share the machine's cores.
 */
import { type Bench, type Candidate, Figures, type QuestionOf } from "../parts/bench.ts";
import type { Child } from "../parts/child.ts";
import type { CommitTimes, LoadCommands, TroupeCommands, Window } from "../parts/commands.ts";
import { formRequest } from "../parts/connection.ts";
import { pacedEvents } from "../parts/platform.ts";
import { printTable, spread } from "../parts/table.ts";
import { now, sleep } from "../parts/time.ts";

type Replica = Candidate<TroupeCommands>;

/** Live runs: a load that leaves the cores some room, and one that fills them. */
const loads = [100, 400];
const perSecond = 30;
const ramp = (pacedEvents / perSecond) * 1000;
const window = 15_000;

const request = formRequest("/agents/paced/runs", { message: "Hello", stream: "true" });

export const replicas: QuestionOf = async (bench) => {
  for (const connections of loads) {
    const figures = new Map<number, Figures>();
    for (let pass = 0; pass < bench.options.passes; pass++) {
      for (const size of [1, 4]) {
        figures.set(size, (figures.get(size) ?? new Figures()).add(await share(bench, connections, size)));
      }
    }
    printTable(
      `${connections} live runs, ${perSecond} events a second each, on one Postgres`,
      [...figures].map(([replicas, found]) => ({ replicas, ...found.cells(spread) })),
    );
  }
};

async function share(bench: Bench, connections: number, size: number): Promise<Record<string, number>> {
  const database = await bench.database("postgres");
  const servers: Replica[] = [];
  const loads: Child<LoadCommands>[] = [];
  for (let place = 0; place < size; place++) {
    servers.push(await bench.troupe("postgres", { database, store: "timed" }));
    loads.push(bench.load());
  }
  const keep = { request, connections: connections / size, ramp, again: true };
  await Promise.all(loads.map((load, place) => load.ask("keep", { ...keep, port: servers[place]?.port ?? 0 })));
  await sleep(2000);
  await Promise.all([windows(loads), commitsOf(servers)]);
  const before = await marks(servers);
  const databaseBefore = database.cpu();
  const begun = now();
  await sleep(window);
  const [found, commits] = await Promise.all([windows(loads), commitsOf(servers)]);
  const seconds = (now() - begun) / 1000;
  const databaseCpu = database.cpu() - databaseBefore;
  const after = await marks(servers);
  for (const load of loads) await load.ask("release", { wait: false });
  for (const load of loads) await load.end();
  for (const { process } of servers) await process.end();
  const events = found.reduce((sum, { events }) => sum + events, 0);
  return {
    "events/s": events / seconds,
    "database us/event": (databaseCpu * 1000) / events,
    "servers us/event": ((after - before) * 1000) / events,
    "commits/s": commits.reduce((sum, { commits }) => sum + commits, 0) / seconds,
    "commit ms p50": Math.max(...commits.map(({ p50 }) => p50)),
    "commit p99": Math.max(...commits.map(({ p99 }) => p99)),
    "receipt p99": Math.max(...found.map(({ latencyP99 }) => latencyP99)),
  };
}

function windows(loads: readonly Child<LoadCommands>[]): Promise<readonly Window[]> {
  return Promise.all(loads.map((load) => load.ask("window", undefined)));
}

function commitsOf(servers: readonly Replica[]): Promise<readonly CommitTimes[]> {
  return Promise.all(servers.map(({ process }) => process.ask("commits", undefined)));
}

/** CPU of all of them so far. */
async function marks(servers: readonly Replica[]): Promise<number> {
  const all = await Promise.all(servers.map(({ process }) => process.ask("mark", undefined)));
  return all.reduce((sum, { cpu }) => sum + cpu, 0);
}
