/** Memory cost of an open stream while it is idle. */
import { type Bench, Figures, type QuestionOf } from "../parts/bench.ts";
import type { Child } from "../parts/child.ts";
import type { LoadCommands } from "../parts/commands.ts";
import { formRequest } from "../parts/connection.ts";
import { printTable, spread } from "../parts/table.ts";
import { sleep } from "../parts/time.ts";

const connections = 5000;

export const idleConnections: QuestionOf = async (bench) => {
  const followers = new Figures();
  const runs = new Figures();
  for (let pass = 0; pass < bench.options.passes; pass++) {
    followers.add(
      await measure(bench, async (load, port) => {
        const fields = { message: "Hello", stream: "false", background: "true" };
        const runId = await load.ask("start", { port, request: formRequest("/agents/silent/runs", fields) });
        return formRequest(`/agents/silent/runs/${runId}/resume`, {});
      }),
    );
    runs.add(
      await measure(bench, async () => formRequest("/agents/silent/runs", { message: "Hello", stream: "true" })),
    );
  }
  printTable(`${connections} idle streams`, [
    { stream: "followers of one silent run", ...followers.cells(spread) },
    { stream: "each with a silent run of its own", ...runs.cells(spread) },
  ]);
};

async function measure(
  bench: Bench,
  requestFor: (load: Child<LoadCommands>, port: number) => Promise<string>,
): Promise<Record<string, number>> {
  const load = bench.load();
  const server = await bench.troupe("sqlite", { flags: ["--expose-gc"] });
  const { port } = server;
  const request = await requestFor(load, port);
  // Excludes the memory of code and pools, which the first connections allocate.
  await load.ask("keep", { ports: [port], request, connections: 500, ramp: 500, again: false });
  await sleep(1000);
  await load.ask("release", { wait: false });
  await sleep(1000);
  await server.process.ask("collect", undefined);
  const before = await server.process.ask("mark", undefined);
  await load.ask("keep", { ports: [port], request, connections, ramp: 3000, again: false });
  await sleep(2000);
  await server.process.ask("collect", undefined);
  const after = await server.process.ask("mark", undefined);
  const { faults } = await load.ask("window", undefined);
  if (faults[0]) console.error(`${faults.length} streams broke, the first one: ${faults[0]}`);
  await load.end();
  await server.process.end();
  const each = (bytes: number): number => bytes / connections / 1024;
  return { "RSS KiB each": each(after.rss - before.rss), "of it heap": each(after.heap - before.heap) };
}
