/**
 * One table that anyone can repeat in under five minutes: bare `node:http`, SQLite and Postgres in turn, for a burst of streams and for runs without
 * a stream. Postgres is a new server, so that its tables have no statistics at first. Each ratio is of the same pass.
 */
import { type Bench, type Candidate, Figures, type QuestionOf } from "../parts/bench.ts";
import type { Child } from "../parts/child.ts";
import type { LoadCommands, ReferenceCommands, TroupeCommands } from "../parts/commands.ts";
import { formRequest } from "../parts/connection.ts";
import { printTable, spread } from "../parts/table.ts";

const streams = 20;
const rounds = 15;
const connections = 16;
const runs = 800;
/** Candidates take turns, so that a busy minute of the machine affects all of them. */
const minPasses = 5;

const streamed = [
  formRequest("/agents/burst/runs", { message: "Hello", stream: "true" }),
  formRequest("/teams/burst/runs", { message: "Hello", stream: "true" }),
];
const plain = formRequest("/agents/answer/runs", { message: "Hello", stream: "false" });

type Load = Child<LoadCommands>;
type Troupe = Candidate<TroupeCommands>;

export const summary: QuestionOf = async (bench) => {
  const load = bench.load();
  const reference = await bench.reference();
  const servers: Troupe[] = [];
  for (const engine of bench.options.engines) {
    const own = engine === "postgres" ? { database: await bench.ownPostgres() } : {};
    servers.push(await bench.troupe(engine, own));
  }
  await teach(load, reference, servers[0]);
  const figures = new Map([reference.name, ...servers.map(({ name }) => name)].map((name) => [name, new Figures()]));
  for (let pass = 0; pass <= Math.max(minPasses, bench.options.passes); pass++) {
    const bare = await burstOf(bench, load, reference);
    const found = new Map([[reference.name, bare]]);
    for (const server of servers) {
      await server.process.ask("compacted", undefined);
      const burst = await burstOf(bench, load, server);
      await server.process.ask("compacted", undefined);
      const ratios = {
        "events/s of bare": burst["events/s"] / bare["events/s"],
        "CPU/event of bare": burst["CPU us/event"] / bare["CPU us/event"],
      };
      found.set(server.name, { ...burst, ...ratios, ...(await runsOf(bench, load, server)) });
    }
    // The first pass warms up.
    if (pass > 0) for (const [name, figure] of found) figures.get(name)?.add(figure);
  }
  const title = `${streams} streams of 200 events at once; runs without a stream, ${connections} at a time`;
  printTable(
    title,
    [...figures].map(([server, found]) => ({ server, ...found.cells(spread) })),
  );
};

/** Makes the reference server send the frames of a real stream. */
async function teach(load: Load, reference: Candidate<ReferenceCommands>, server: Troupe | undefined): Promise<void> {
  if (!server) return;
  const frames = await load.ask("capture", { port: server.port, request: streamed[0] ?? "" });
  await reference.process.ask("send", { frames, perSecond: 0 });
}

type BurstFigures = { "events/s": number; "CPU us/event": number } & Record<string, number>;

async function burstOf(bench: Bench, load: Load, candidate: Candidate): Promise<BurstFigures> {
  const input = { port: candidate.port, requests: streamed, connections: streams, rounds };
  const { result, cpu } = await bench.during(candidate, () => load.ask("burst", input));
  return { "events/s": result.events / result.seconds, "CPU us/event": (cpu * 1000) / result.events };
}

async function runsOf(bench: Bench, load: Load, server: Troupe): Promise<Record<string, number>> {
  const input = { port: server.port, request: plain, connections, total: runs };
  const { result, cpu, databaseCpu } = await bench.during(server, () => load.ask("requests", input));
  return {
    "runs/s": result.perSecond,
    "CPU us/run": (cpu * 1000) / runs,
    "database us/run": (databaseCpu * 1000) / runs,
  };
}
