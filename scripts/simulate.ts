/**
 * Simulated histories of the engine, a million by default, on all cores; see docs/reliability.md.
 * Usage: npm run simulate -- [--count 1000000] [--from 1] [--workers 2] [--seconds 600]
 *        npm run simulate -- --seed 7 [--only 0,3]     replays one seed, shrunk, with its trace
 *        npm run simulate -- --schedules [--count 1000] [--from 1] [--seconds 600]     histories of the scheduler
 */
import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { addCounts, type Harm, harmOf, noCounts } from "../test/simulation/counts.ts";
import type { Tally } from "../test/simulation/seeds.ts";

/** Number of seeds per worker process, and number of failures after which the run stops. */
const portion = 10_000;
const mostFailures = 10;

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "1000000" },
    from: { type: "string", default: "1" },
    workers: { type: "string", default: String(availableParallelism()) },
    seconds: { type: "string", default: "Infinity" },
    seed: { type: "string" },
    only: { type: "string" },
    schedules: { type: "boolean" },
  },
});
const main = join(import.meta.dirname, "../test/simulation/main.ts");

if (values.schedules) {
  const file = join(import.meta.dirname, "../test/simulation/schedules/main.ts");
  const { from, count, seconds } = values;
  const args = [file, "--from", from, "--count", count, "--seconds", seconds];
  process.exitCode = spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 1;
} else if (values.seed !== undefined) {
  const args = ["--seed", values.seed, ...(values.only ? ["--only", values.only] : [])];
  process.exitCode = spawnSync(process.execPath, [main, ...args], { stdio: "inherit" }).status ?? 1;
} else {
  const [first, count, workers, seconds] = [values.from, values.count, values.workers, values.seconds].map(Number);
  if (![first, count, workers].every(Number.isSafeInteger) || Number.isNaN(seconds))
    throw new Error("--from, --count, --workers and --seconds take numbers.");
  await simulate(first as number, count as number, workers as number, seconds as number);
}

async function simulate(first: number, count: number, workers: number, limit: number): Promise<void> {
  const commit = spawnSync("git", ["describe", "--always", "--dirty"], { encoding: "utf8" }).stdout?.trim();
  console.log(`Seeds from ${first} on, ${count} of them, at commit ${commit || "unknown"}, on Node ${process.version}`);
  const begun = performance.now();
  const elapsed = (): number => (performance.now() - begun) / 1000;
  const sum = noCounts();
  const harm: Record<Harm, number> = { lost: 0, repeated: 0, contradicted: 0 };
  const running = new Set<ChildProcess>();
  let failures = 0;
  let next = first;
  let told = 0;

  const tell = (): void => {
    const { histories, embedded, steps, runs, events, read, tools, seconds } = sum;
    const { takeovers, crashes, stops, drains, unknown, outages } = sum;
    console.log(
      [
        `${histories} histories (${embedded} embedded) in ${elapsed().toFixed(0)} s, ${(seconds / 3600).toFixed(1)} h of their own time, ${steps} steps`,
        `  ${runs} runs, ${events} events, ${read} events read by clients, ${tools} calls of tools`,
        `  ${crashes} crashes, ${stops} stops, ${drains} hand-overs, ${takeovers} takeovers, ${outages} outages, ${unknown} calls of unknown outcome`,
        `  ${harm.lost} lost, ${harm.repeated} repeated, ${harm.contradicted} contradicted`,
      ].join("\n"),
    );
  };
  const take = ({ counts, failures: found }: Tally): void => {
    addCounts(sum, counts);
    for (const { check, report } of found) {
      console.error(`\n${report}\n`);
      harm[harmOf(check)]++;
      failures++;
    }
    if (sum.histories - told < portion) return;
    told = sum.histories;
    tell();
  };
  const isOver = (): boolean => next >= first + count || failures >= mostFailures || elapsed() >= limit;
  const work = async (): Promise<void> => {
    while (!isOver()) {
      const from = next;
      const size = Math.min(portion, first + count - from);
      next += size;
      await new Promise<void>((resolve, reject) => {
        const child = fork(main, ["--from", String(from), "--count", String(size)]);
        running.add(child);
        child.on("message", (tally: Tally) => {
          take(tally);
          // Seeds that the worker finishes after its last message are not counted.
          if (elapsed() >= limit || failures >= mostFailures) child.kill();
        });
        child.on("exit", (code, signal) => {
          running.delete(child);
          if (code === 0 || signal === "SIGTERM") resolve();
          else reject(new Error(`A worker for the seeds from ${from} on ended with ${code ?? signal}.`));
        });
      });
    }
  };
  try {
    await Promise.all(Array.from({ length: workers }, work));
  } finally {
    for (const child of running) child.kill();
    tell();
  }
  process.exitCode = failures === 0 ? 0 : 1;
}
