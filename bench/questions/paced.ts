/**
 * Live runs at 30 events a second each, the pace of typical models: a flood would flatter a group commit. Runs of 300 content events begin one after
 * the other and are replaced when they end, so every window includes starts, ends and compaction. 1,000 runs saturate two slow cores, including the
 * load client, and then the figures show mostly waiting. So there is a second measurement with fewer runs.
 */
import { type Candidate, Figures, type QuestionOf } from "../parts/bench.ts";
import type { Child } from "../parts/child.ts";
import type { LoadCommands } from "../parts/commands.ts";
import { formRequest } from "../parts/connection.ts";
import { pacedEvents } from "../parts/platform.ts";
import { printTable, spread } from "../parts/table.ts";
import { sleep } from "../parts/time.ts";

const many = 1000;
const few = 250;
const perSecond = 30;
const ramp = (pacedEvents / perSecond) * 1000;
const window = 15_000;

const request = formRequest("/agents/paced/runs", { message: "Hello", stream: "true" });

/** With the real disk. */
export const paced: QuestionOf = (bench) => besideBare(bench, many);

/** The same with fewer runs. */
export const pacedFew: QuestionOf = (bench) => besideBare(bench, few);

async function besideBare(bench: Bench, connections: number): Promise<void> {
  const load = bench.load();
  const figures = new Map<string, Figures>();
  const reference = await bench.reference();
  for (let pass = 0; pass < bench.options.passes; pass++) {
    for (const engine of bench.options.engines) {
      const candidate = await bench.troupe(engine);
      if (pass === 0) {
        const frames = await load.ask("capture", { port: candidate.port, request });
        await reference.process.ask("send", { frames, perSecond });
      }
      const measured = await measure(bench, load, candidate, connections);
      figures.set(engine, (figures.get(engine) ?? new Figures()).add(measured));
      await candidate.process.end();
    }
    const bare = await measure(bench, load, reference, connections);
    figures.set("bare", (figures.get("bare") ?? new Figures()).add(bare));
  }
  print(`Paced: ${connections} live runs, ${perSecond} events a second each`, figures);
}

/** With 2 milliseconds added to every commit. */
export const pacedSlow: QuestionOf = async (bench) => {
  const load = bench.load();
  const figures = new Map<string, Figures>();
  for (let pass = 0; pass < bench.options.passes; pass++) {
    for (const engine of bench.options.engines) {
      const candidate = await bench.troupe(engine, { store: "slow:2" });
      const measured = await measure(bench, load, candidate, few);
      figures.set(engine, (figures.get(engine) ?? new Figures()).add(measured));
      await candidate.process.end();
    }
  }
  print(`Paced: ${few} live runs, with 2 ms added to every commit`, figures);
};

type Bench = Parameters<QuestionOf>[0];

async function measure(
  bench: Bench,
  load: Child<LoadCommands>,
  candidate: Candidate,
  connections: number,
): Promise<Record<string, number>> {
  await load.ask("keep", { ports: [candidate.port], request, connections, ramp, again: true });
  await sleep(2000);
  await load.ask("window", undefined);
  const taken = await bench.during(candidate, async () => {
    await sleep(window);
    return load.ask("window", undefined);
  });
  await load.ask("release", { wait: false });
  const { events, ended, latencyP50, latencyP99, faults } = taken.result;
  if (faults[0]) console.error(`${candidate.name}: ${faults.length} streams broke, the first one: ${faults[0]}`);
  return {
    "events/s": events / taken.seconds,
    "runs/s": ended / taken.seconds,
    "CPU us/event": (taken.cpu * 1000) / events,
    "database us/event": (taken.databaseCpu * 1000) / events,
    "receipt ms p50": latencyP50,
    "receipt p99": latencyP99,
    "loop p99 ms": taken.loopP99,
    "loop max": taken.loopMax,
    "RSS MiB": taken.after.rss / 2 ** 20,
  };
}

function print(title: string, figures: ReadonlyMap<string, Figures>): void {
  printTable(
    title,
    [...figures].map(([server, found]) => ({ server, ...found.cells(spread) })),
  );
}
