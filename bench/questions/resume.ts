/** A finished run of 5,000 events, read again from the beginning: from memory, and from the database after a restart. */
import { type Bench, type Candidate, Figures, type QuestionOf } from "../parts/bench.ts";
import type { Child } from "../parts/child.ts";
import type { LoadCommands } from "../parts/commands.ts";
import { formRequest } from "../parts/connection.ts";
import { printTable, spread } from "../parts/table.ts";

const start = formRequest("/agents/long/runs", { message: "Hello", stream: "true" });

/** A ring that holds the whole run: with the default size, only the newest 256 KiB come from memory. */
const wholeRing = { maxRingBytes: 8 * 2 ** 20 };

export const resume: QuestionOf = async (bench) => {
  const load = bench.load();
  const rows = new Map<string, Figures>();
  for (const engine of bench.options.engines) {
    const database = await bench.database(engine);
    const writer = await bench.troupe(engine, { database, settings: wholeRing });
    const { runIds } = await load.ask("burst", { port: writer.port, requests: [start], connections: 1, rounds: 1 });
    const request = formRequest(`/agents/long/runs/${runIds[0]}/resume`, {});
    for (let pass = 0; pass < bench.options.passes; pass++) {
      add(rows, `${engine}, memory`, await measure(bench, load, writer, request));
    }
    await writer.process.ask("compacted", undefined);
    await writer.process.end();
    const reader = await bench.troupe(engine, { database });
    for (let pass = 0; pass < bench.options.passes; pass++) {
      add(rows, `${engine}, database`, await measure(bench, load, reader, request));
    }
    await reader.process.end();
  }
  printTable(
    "Resume of 5,000 events from the beginning",
    [...rows].map(([source, found]) => ({ source, ...found.cells(spread) })),
  );
};

function add(rows: Map<string, Figures>, name: string, pass: Record<string, number>): void {
  rows.set(name, (rows.get(name) ?? new Figures()).add(pass));
}

async function measure(
  bench: Bench,
  load: Child<LoadCommands>,
  candidate: Candidate,
  request: string,
): Promise<Record<string, number>> {
  const { port } = candidate;
  const requests = [request];
  const alone = await load.ask("burst", { port, requests, connections: 1, rounds: 10 });
  const taken = await bench.during(candidate, () => load.ask("burst", { port, requests, connections: 20, rounds: 10 }));
  const together = taken.result;
  return {
    "alone ms": alone.wholeP50,
    "first ms": alone.firstP50,
    "20 readers, events/s": together.events / together.seconds,
    "CPU us/event": (taken.cpu * 1000) / together.events,
    "loop p99 ms": taken.loopP99,
  };
}
