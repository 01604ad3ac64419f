/** Memory cost of an open stream while it is idle, compared with a bare `node:http` server that holds the same number of streams. */
import { type Bench, type Candidate, Figures, type QuestionOf } from "../parts/bench.ts";
import type { Child } from "../parts/child.ts";
import type { LoadCommands, Memory } from "../parts/commands.ts";
import { formRequest } from "../parts/connection.ts";
import type { EngineName } from "../parts/databases.ts";
import { printTable, spread } from "../parts/table.ts";
import { sleep } from "../parts/time.ts";

const connections = 5000;

const firstConnections = 2000;

/** Milliseconds: a stream is idle after a whole interval without output. */
const heartbeatInterval = 1000;
const idleTime = 3 * heartbeatInterval;

/** V8's space of new objects grows to a fixed size with the work done, not with the streams that are open: a small one keeps it out of the figures. */
const server = { flags: ["--expose-gc", "--max-semi-space-size=1"], settings: { heartbeatInterval } };

const whole = formRequest("/agents/silent/runs", { message: "Hello", stream: "true" });

export const idleConnections: QuestionOf = async (bench) => {
  const bare = new Figures();
  const followers = new Figures();
  const runs = new Figures();
  for (let pass = 0; pass < bench.options.passes; pass++) {
    bare.add(await measureIdleBare(bench));
    followers.add(await measureIdleFollowers(bench, "sqlite"));
    runs.add(await measure(bench, await bench.troupe("sqlite", server), async () => whole));
  }
  printTable(`${connections} more idle streams, KiB each`, [
    { stream: "bare node:http", ...bare.cells(spread) },
    { stream: "followers of one silent run", ...followers.cells(spread) },
    { stream: "each with a silent run of its own", ...runs.cells(spread) },
  ]);
};

/** Columns of a measurement: KiB of each stream. */
type IdleFigures = Record<"resident" | "used heap" | "heap reserved" | "buffers" | "outside of V8", number>;

/** Measures streams of the bare server that stay open. */
export async function measureIdleBare(bench: Bench): Promise<IdleFigures> {
  return await measure(bench, await bench.reference(server.flags), async (_, { process }) => {
    const frames = ["event: RunStarted\ndata: {}\nid: 0\n\n"];
    await process.ask("send", { frames, perSecond: 0, held: true });
    return whole;
  });
}

/** Measures followers of one silent run. */
export async function measureIdleFollowers(bench: Bench, engine: EngineName): Promise<IdleFigures> {
  return await measure(bench, await bench.troupe(engine, server), async (load, { port }) => {
    const fields = { message: "Hello", stream: "false", background: "true" };
    const runId = await load.ask("start", { port, request: formRequest("/agents/silent/runs", fields) });
    return formRequest(`/agents/silent/runs/${runId}/resume`, {});
  });
}

async function measure<C extends Candidate>(
  bench: Bench,
  candidate: C,
  requestFor: (load: Child<LoadCommands>, candidate: C) => Promise<string>,
): Promise<IdleFigures> {
  const load = bench.load();
  const { port } = candidate;
  const request = await requestFor(load, candidate);
  // These stay open: code and pools are then loaded, and are not part of the figures.
  await load.ask("keep", { ports: [port], request, connections: firstConnections, ramp: 1500, again: false });
  await sleep(idleTime);
  const before = await memoryOf(candidate);
  await load.ask("keep", { ports: [port], request, connections, ramp: 3000, again: false });
  await sleep(idleTime);
  const after = await memoryOf(candidate);
  const { faults } = await load.ask("window", undefined);
  if (faults[0]) console.error(`${faults.length} streams broke, the first one: ${faults[0]}`);
  await load.end();
  await candidate.process.end();
  const each = (part: (memory: Memory) => number): number => (part(after) - part(before)) / connections / 1024;
  return {
    resident: each(({ resident }) => resident),
    "used heap": each(({ heapUsed }) => heapUsed),
    "heap reserved": each(({ heap }) => heap),
    buffers: each(({ buffers }) => buffers),
    "outside of V8": each(({ resident, heap }) => resident - heap),
  };
}

async function memoryOf({ process }: Candidate): Promise<Memory> {
  await process.ask("collect", undefined);
  return await process.ask("memory", undefined);
}
