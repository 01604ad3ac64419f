/**
 * Simulated histories of the engine, a million by default, on all cores; see docs/reliability.md.
 * Usage: node scripts/simulate.ts [--count 1000000] [--from 1] [--workers 2]
 *        node scripts/simulate.ts --seed 7 [--only 0,3]     one seed again, made small, with its trace
 */
import { fork, spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

interface Tally {
  readonly histories: number;
  readonly steps: number;
  readonly seconds: number;
  readonly runs: number;
  readonly takeovers: number;
  readonly failures: readonly { readonly seed: number; readonly report: string }[];
}

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "1000000" },
    from: { type: "string", default: "1" },
    workers: { type: "string", default: String(availableParallelism()) },
    seed: { type: "string" },
    only: { type: "string" },
  },
});
const main = join(import.meta.dirname, "../test/simulation/main.ts");

if (values.seed !== undefined) {
  const args = ["--seed", values.seed, ...(values.only ? ["--only", values.only] : [])];
  process.exitCode = spawnSync(process.execPath, [main, ...args], { stdio: "inherit" }).status ?? 1;
} else {
  await simulate(Number(values.from), Number(values.count), Number(values.workers));
}

/** Gives each worker a thousand seeds at a time. */
async function simulate(first: number, count: number, workers: number): Promise<void> {
  const begun = performance.now();
  const sum = { histories: 0, steps: 0, seconds: 0, runs: 0, takeovers: 0 };
  let failures = 0;
  let next = first;
  const tell = (): void => {
    const seconds = (performance.now() - begun) / 1000;
    const rate = sum.histories / seconds;
    const { runs, takeovers, steps } = sum;
    console.log(
      `${sum.histories} histories in ${seconds.toFixed(0)} s (${rate.toFixed(0)}/s): ${runs} runs, ${takeovers} takeovers, ` +
        `${(sum.seconds / 3600).toFixed(1)} h of virtual time, ${steps} steps; ${failures} failed`,
    );
  };
  const work = async (): Promise<void> => {
    while (next < first + count && failures < 10) {
      const from = next;
      const size = Math.min(10_000, first + count - from);
      next += size;
      await new Promise<void>((resolve, reject) => {
        const child = fork(main, ["--from", String(from), "--count", String(size)]);
        child.on("message", (tally: Tally) => {
          for (const name of ["histories", "steps", "seconds", "runs", "takeovers"] as const) sum[name] += tally[name];
          for (const { report } of tally.failures) console.error(`\n${report}\n`);
          failures += tally.failures.length;
          if (sum.histories % 10_000 < tally.histories) tell();
        });
        child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))));
      });
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  tell();
  process.exitCode = failures === 0 ? 0 : 1;
}
