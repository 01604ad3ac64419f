/** The cost of a run without a stream, from request to end: statements, round trips, bytes and allocations, each by name. */
import type { QuestionOf } from "../parts/bench.ts";
import { formRequest } from "../parts/connection.ts";
import { figure, printTable } from "../parts/table.ts";

const connections = 16;
const total = 1500;
const request = formRequest("/agents/answer/runs", { message: "Hello", stream: "false" });

/** Rows below this share of a run are left out: sweeps, leases and compaction. */
const minShare = 0.02;
const minBytes = 200;

export const runAnatomy: QuestionOf = async (bench) => {
  const load = bench.load();
  for (const engine of bench.options.engines) {
    const candidate = await bench.troupe(engine, { environment: { BENCH_COUNT: "1" } });
    const { port, process } = candidate;
    await load.ask("requests", { port, request, connections, total });
    const taken = await bench.during(candidate, () => load.ask("requests", { port, request, connections, total }));
    await process.ask("compacted", undefined);
    await process.ask("beginCounting", { port });
    await load.ask("requests", { port, request, connections, total });
    const counts = await process.ask("takeCounts", undefined);
    const rows = counts
      .map(({ name, calls, bytes }) => ({ name, calls: calls / total, bytes: bytes / total }))
      .filter(({ calls, bytes }) => calls >= minShare || bytes >= minBytes)
      .sort(
        (a, b) =>
          a.name.replace(/:.*/, "").localeCompare(b.name.replace(/:.*/, "")) || b.calls - a.calls || b.bytes - a.bytes,
      );
    const allocated = rows.filter(({ calls }) => calls === 0).reduce((sum, { bytes }) => sum + bytes, 0);
    const cpu = (milliseconds: number): string => `${figure((milliseconds * 1000) / total)} us`;
    printTable(`A run on ${engine}, ${connections} at a time`, [
      { "per run": "CPU of the server", calls: cpu(taken.cpu), bytes: "" },
      { "per run": "CPU of the database", calls: cpu(taken.databaseCpu), bytes: "" },
      { "per run": "allocated", calls: "", bytes: figure(allocated) },
      ...rows.map(({ name, calls, bytes }) => ({
        "per run": name,
        calls: calls > 0 ? figure(calls) : "",
        bytes: bytes > 0 ? figure(bytes) : "",
      })),
    ]);
  }
};
