/** Runs without a stream, with all their records stored, compared with the same server on a store that does nothing. */
import { type Bench, type Candidate, Figures, type QuestionOf } from "../parts/bench.ts";
import type { Child } from "../parts/child.ts";
import type { LoadCommands } from "../parts/commands.ts";
import { formRequest } from "../parts/connection.ts";
import { printTable, spread } from "../parts/table.ts";

const size = { connections: 50, total: 5000 };
const request = formRequest("/agents/answer/runs", { message: "Hello", stream: "false" });

export const nonStream: QuestionOf = async (bench) => {
  const load = bench.load();
  const nothing = await bench.troupe("sqlite", { name: "a store that does nothing", store: "nothing" });
  const ours = [];
  for (const engine of bench.options.engines) ours.push(await bench.troupe(engine));
  const figures = new Map([nothing, ...ours].map((candidate) => [candidate, new Figures()]));
  for (const candidate of figures.keys()) await measureRuns(bench, load, candidate, { ...size, total: 1500 });
  for (let pass = 0; pass < bench.options.passes; pass++) {
    const bare = await measureRuns(bench, load, nothing, size);
    figures.get(nothing)?.add(bare);
    for (const candidate of ours) {
      await candidate.process.ask("compacted", undefined);
      const { "runs/s": runs, ...rest } = await measureRuns(bench, load, candidate, size);
      figures.get(candidate)?.add({ "runs/s": runs, "of nothing": runs / bare["runs/s"], ...rest });
    }
  }
  printTable(
    `Runs without a stream, ${size.connections} at a time`,
    [...figures].map(([{ name }, found]) => ({ store: name, ...found.cells(spread) })),
  );
};

/** Columns of `measureRuns`. */
type RunFigures = Record<"runs/s" | "CPU us/run" | "database us/run", number>;

/** Measures runs without a stream, `connections` at a time. */
export async function measureRuns(
  bench: Bench,
  load: Child<LoadCommands>,
  candidate: Candidate,
  { connections, total }: { readonly connections: number; readonly total: number },
): Promise<RunFigures & Record<string, number>> {
  const { port } = candidate;
  const taken = await bench.during(candidate, () => load.ask("requests", { port, request, connections, total }));
  const { perSecond, p50, p99 } = taken.result;
  return {
    "runs/s": perSecond,
    "ms p50": p50,
    p99: p99,
    "CPU us/run": (taken.cpu * 1000) / total,
    "database us/run": (taken.databaseCpu * 1000) / total,
    "loop p99 ms": taken.loopP99,
  };
}
