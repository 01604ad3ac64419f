/**
 * Live runs at 30 events a second each, the pace of typical models: a flood would flatter a group commit. Runs of 300 content events begin one after
 * the other and are replaced when they end, so every window includes starts, ends and compaction. 1,000 runs saturate two slow cores, including the
 * load client, and then the figures show mostly waiting. So there is a second measurement with fewer runs.
 */
import { type Bench, type Candidate, Figures, type QuestionOf } from "../parts/bench.ts";
import type { Child } from "../parts/child.ts";
import type { LoadCommands } from "../parts/commands.ts";
import { beginLiveRuns, endLiveRuns, type LiveRuns, pace, pacedRequest } from "../parts/live-runs.ts";
import { printTable, spread } from "../parts/table.ts";
import { sleep } from "../parts/time.ts";

const many = 1000;
const few = 250;
/** The servers have just started, so the ramp warms them up as well. */
const durations = { ramp: 10_000, settle: 2_000, window: 15_000 };

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
        const frames = await load.ask("capture", { port: candidate.port, request: pacedRequest });
        await reference.process.ask("send", { frames, perSecond: pace });
      }
      const measured = await measureLive(bench, load, candidate, { connections, ...durations });
      figures.set(engine, (figures.get(engine) ?? new Figures()).add(measured));
      await candidate.process.end();
    }
    const bare = await measureLive(bench, load, reference, { connections, ...durations });
    figures.set("bare", (figures.get("bare") ?? new Figures()).add(bare));
  }
  print(`Paced: ${connections} live runs, ${pace} events a second each`, figures);
}

/** With 2 milliseconds added to every commit. */
export const pacedSlow: QuestionOf = async (bench) => {
  const load = bench.load();
  const figures = new Map<string, Figures>();
  for (let pass = 0; pass < bench.options.passes; pass++) {
    for (const engine of bench.options.engines) {
      const candidate = await bench.troupe(engine, { store: "slow:2" });
      const measured = await measureLive(bench, load, candidate, { connections: few, ...durations });
      figures.set(engine, (figures.get(engine) ?? new Figures()).add(measured));
      await candidate.process.end();
    }
  }
  print(`Paced: ${few} live runs, with 2 ms added to every commit`, figures);
};

/** Columns of `measureLive`. */
type LiveFigures = Record<"CPU us/event" | "database us/event" | "receipt ms p50" | "receipt p99", number>;

/** Measures a server while runs are live. */
export async function measureLive(
  bench: Bench,
  load: Child<LoadCommands>,
  candidate: Candidate,
  runs: LiveRuns,
): Promise<LiveFigures & Record<string, number>> {
  await beginLiveRuns(load, [candidate.port], runs);
  await sleep(runs.settle);
  await load.ask("window", undefined);
  const taken = await bench.during(candidate, async () => {
    await sleep(runs.window);
    return load.ask("window", undefined);
  });
  await endLiveRuns(load);
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
