/** One run with 1,000 followers. */
import { type Bench, type Candidate, Figures, type QuestionOf } from "../parts/bench.ts";
import type { Child } from "../parts/child.ts";
import type { LoadCommands } from "../parts/commands.ts";
import { formRequest } from "../parts/connection.ts";
import { printTable, spread } from "../parts/table.ts";
import { sleep } from "../parts/time.ts";

const connections = 1000;
const window = 10_000;
const fields = { message: "Hello", stream: "false", background: "true" };

export const followers: QuestionOf = async (bench) => {
  const load = bench.load();
  const rows = new Map<string, Figures>();
  const add = (name: string, pass: Record<string, number>): void => {
    rows.set(name, (rows.get(name) ?? new Figures()).add(pass));
  };
  for (let pass = 0; pass < bench.options.passes; pass++) {
    for (const engine of bench.options.engines) {
      const candidate = await bench.troupe(engine);
      add(`${engine}, 50 events a second`, await live(bench, load, candidate));
      add(`${engine}, all at once`, await stored(bench, load, candidate));
      await candidate.process.end();
    }
  }
  printTable(
    "One run, 1,000 followers",
    [...rows].map(([source, found]) => ({ source, ...found.cells(spread) })),
  );
};

async function live(bench: Bench, load: Child<LoadCommands>, candidate: Candidate): Promise<Record<string, number>> {
  const { port } = candidate;
  const runId = await load.ask("start", { port, request: formRequest("/agents/steady/runs", fields) });
  const request = formRequest(`/agents/steady/runs/${runId}/resume`, {});
  await load.ask("keep", { ports: [port], request, connections, ramp: 1000, again: false });
  await sleep(1000);
  await load.ask("window", undefined);
  const taken = await bench.during(candidate, async () => {
    await sleep(window);
    return load.ask("window", undefined);
  });
  await load.ask("release", { wait: false });
  const { events, latencyP50, latencyP99, faults } = taken.result;
  if (faults[0]) console.error(`${faults.length} followers broke, the first one: ${faults[0]}`);
  return {
    "deliveries/s": events / taken.seconds,
    "CPU us/delivery": (taken.cpu * 1000) / events,
    "receipt ms p50": latencyP50,
    "receipt p99": latencyP99,
    "loop p99 ms": taken.loopP99,
  };
}

/** A run that has just ended, requested by all clients at the same moment. */
async function stored(bench: Bench, load: Child<LoadCommands>, candidate: Candidate): Promise<Record<string, number>> {
  const { port } = candidate;
  const first = formRequest("/agents/burst/runs", { message: "Hello", stream: "true" });
  const { runIds } = await load.ask("burst", { port, requests: [first], connections: 1, rounds: 1 });
  const requests = [formRequest(`/agents/burst/runs/${runIds[0]}/resume`, {})];
  await load.ask("burst", { port, requests, connections, rounds: 2 });
  const taken = await bench.during(candidate, () => load.ask("burst", { port, requests, connections, rounds: 5 }));
  const { events, seconds } = taken.result;
  return {
    "deliveries/s": events / seconds,
    "CPU us/delivery": (taken.cpu * 1000) / events,
    "loop p99 ms": taken.loopP99,
  };
}
