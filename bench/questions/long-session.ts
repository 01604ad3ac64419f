/** The cost of a run in a session of 1,000 runs whose older runs are summarised and whose prompts are compacted: early, at run 100, and at run 1,000. */
import { randomUUID } from "node:crypto";
import type { Candidate, QuestionOf } from "../parts/bench.ts";
import type { TroupeCommands } from "../parts/commands.ts";
import { figure, printTable } from "../parts/table.ts";

/** Runs between two summaries: each span has as many summaries as every other one. */
const span = 20;
/** The last run of each span; the first one ends before the prompt has its full length. */
const places = [20, 40, 100, 1_000];

export const longSession: QuestionOf = async (bench) => {
  for (const engine of bench.options.engines) {
    // Counting slows the server down, so it has a pass of its own.
    const cost = await spansOf(await bench.troupe(engine), false);
    const counted = await spansOf(await bench.troupe(engine, { environment: { BENCH_COUNT: "1" } }), true);
    const rows = places.map((place, number) => ({
      runs: `${place - span + 1}-${place}`,
      "CPU ms/run": figure(cost[number]?.cpu ?? Number.NaN),
      "database ms/run": figure(cost[number]?.databaseCpu ?? Number.NaN),
      "prompt tokens/run": Math.round(cost[number]?.tokens ?? Number.NaN),
      "statements/run": figure(counted[number]?.statements ?? Number.NaN),
    }));
    printTable(`Runs of one session on ${engine}, with summaries and compaction`, rows);
  }

  async function spansOf(server: Candidate<TroupeCommands>, isCounted: boolean) {
    const session = randomUUID();
    const spans: { cpu: number; databaseCpu: number; tokens: number; statements: number }[] = [];
    let made = 0;
    const runsUntil = async (end: number): Promise<number> => {
      let tokens = 0;
      for (; made < end; made++) tokens += await run(server.port, session);
      return tokens;
    };
    // The same code on another session warms the server up.
    for (let warm = 0; warm < 200; warm++) await run(server.port, "warm-up");
    for (const place of places) {
      await runsUntil(place - span);
      if (isCounted) await server.process.ask("beginCounting", { port: server.port });
      const { cpu, databaseCpu, result } = await bench.during(server, () => runsUntil(place));
      const counts = isCounted ? await server.process.ask("takeCounts", undefined) : [];
      const statements = counts
        .filter(({ name }) => /^(SQLite|Postgres):/.test(name))
        .reduce((sum, { calls }) => sum + calls, 0);
      spans.push({
        ...{ cpu: cpu / span, databaseCpu: databaseCpu / span, tokens: result / span, statements: statements / span },
      });
    }
    await server.process.end();
    return spans;
  }
};

/** Makes a run, and returns the tokens of all its prompts. */
async function run(port: number, session: string): Promise<number> {
  const body = new URLSearchParams({ message: "Read the next page.", stream: "false", session_id: session });
  const response = await fetch(`http://127.0.0.1:${port}/agents/conversation/runs`, { method: "POST", body });
  const { status, metrics } = (await response.json()) as {
    readonly status: string;
    readonly metrics: { readonly input_tokens: number };
  };
  if (status !== "COMPLETED") throw new Error(`The run is ${status}.`);
  return metrics.input_tokens;
}
