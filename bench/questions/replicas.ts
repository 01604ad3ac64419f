/**
 * The same load on one and on four replicas of one Postgres. The claim is that its CPU per event and the p99 of a commit grow by at most 10 %,
 * not that throughput grows: all of them share the machine's cores. Beside it one replica alone, with a quarter of the load and with the pauses
 * between flushes that each of four makes: what a replica that is not disturbed by others would take.
 */
import { defaultSettings } from "../../src/model/settings.ts";
import { turnsOf } from "../../src/model/turns.ts";
import { type Bench, type Candidate, Figures, type QuestionOf } from "../parts/bench.ts";
import type { Child } from "../parts/child.ts";
import type { LoadCommands, TroupeCommands, Window } from "../parts/commands.ts";
import { formRequest } from "../parts/connection.ts";
import { pacedEvents } from "../parts/platform.ts";
import { percentile } from "../parts/statistics.ts";
import { printTable, spread } from "../parts/table.ts";
import { now, sleep } from "../parts/time.ts";

type Replica = Candidate<TroupeCommands>;

/** Live runs: a load that leaves the cores free for the most part, and one that leaves them some room. */
const loads = [24, 100];

/** How the load is shared. */
interface Sharing {
  readonly title: string;
  readonly replicas: number;
  /** Of the load. */
  readonly part: number;
  /** Milliseconds between flushes; default: the product's. */
  readonly flushInterval?: number;
}

const four = 4;
const sharings: readonly Sharing[] = [
  { title: "1", replicas: 1, part: 1 },
  { title: "4", replicas: four, part: 1 },
  {
    title: "1, a quarter of it",
    replicas: 1,
    part: 1 / four,
    flushInterval: defaultSettings.flushInterval * turnsOf(four),
  },
];
const perSecond = 30;
const ramp = (pacedEvents / perSecond) * 1000;
const window = 15_000;

const request = formRequest("/agents/paced/runs", { message: "Hello", stream: "true" });

export const replicas: QuestionOf = async (bench) => {
  for (const connections of loads) {
    const figures = new Map<string, Figures>();
    for (let pass = 0; pass < bench.options.passes; pass++) {
      for (const sharing of sharings) {
        const { title } = sharing;
        figures.set(title, (figures.get(title) ?? new Figures()).add(await share(bench, connections, sharing)));
      }
    }
    printTable(
      `${connections} live runs, ${perSecond} events a second each, on one Postgres`,
      [...figures].map(([replicas, found]) => ({ replicas, ...found.cells(spread) })),
    );
  }
};

async function share(bench: Bench, connections: number, sharing: Sharing): Promise<Record<string, number>> {
  const { replicas: size, part, flushInterval } = sharing;
  const settings = flushInterval === undefined ? {} : { flushInterval };
  const database = await bench.database("postgres");
  const servers: Replica[] = [];
  const loads: Child<LoadCommands>[] = [];
  for (let place = 0; place < size; place++) {
    servers.push(await bench.troupe("postgres", { database, store: "timed", settings }));
    loads.push(bench.load());
  }
  const keep = { request, connections: (connections * part) / size, ramp, again: true };
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
    "commits/s": commits.length / seconds,
    "commit ms p50": percentile(commits, 0.5),
    "commit p99": percentile(commits, 0.99),
    "receipt p99": Math.max(...found.map(({ latencyP99 }) => latencyP99)),
  };
}

function windows(loads: readonly Child<LoadCommands>[]): Promise<readonly Window[]> {
  return Promise.all(loads.map((load) => load.ask("window", undefined)));
}

/** Milliseconds of each commit of all of them. */
async function commitsOf(servers: readonly Replica[]): Promise<number[]> {
  return (await Promise.all(servers.map(({ process }) => process.ask("commits", undefined)))).flat();
}

/** CPU of all of them so far. */
async function marks(servers: readonly Replica[]): Promise<number> {
  const all = await Promise.all(servers.map(({ process }) => process.ask("mark", undefined)));
  return all.reduce((sum, { cpu }) => sum + cpu, 0);
}
