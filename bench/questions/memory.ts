/** Resident memory and its parts: at start, after a burst of 5,000 runs, and after a minute without work; and the speed of the burst in a small heap. */
import { type Bench, Figures, type QuestionOf } from "../parts/bench.ts";
import type { Memory } from "../parts/commands.ts";
import type { EngineName } from "../parts/databases.ts";
import { printTable, spread } from "../parts/table.ts";
import { sleep } from "../parts/time.ts";
import { measureBurst } from "./burst.ts";

/** 5,000 runs. */
export const memoryBurst = { connections: 100, rounds: 50 };
const MiB = 1024 * 1024;

/** Milliseconds without work before the last measurement. */
const idle = 60_000;

const heaps: Readonly<Record<string, readonly string[]>> = {
  "V8's own": [],
  "192 MiB": ["--max-old-space-size=192"],
};

export const memory: QuestionOf = async (bench) => {
  const rows = [];
  for (const engine of bench.options.engines) {
    const speeds = new Map(Object.keys(heaps).map((heap) => [heap, new Figures()]));
    const moments = new Map<string, Figures>();
    for (let pass = 0; pass < bench.options.passes; pass++) {
      for (const [heap, flags] of Object.entries(heaps)) {
        const { speed, ...memories } = await measure(bench, engine, flags);
        speeds.get(heap)?.add(speed);
        for (const [moment, figures] of Object.entries(memories)) {
          const name = `${engine}, heap ${heap}, ${moment}`;
          moments.set(name, (moments.get(name) ?? new Figures()).add(figures));
        }
      }
    }
    for (const [moment, figures] of moments) rows.push({ moment, ...figures.cells(spread) });
    printTable(
      `The burst on ${engine}`,
      [...speeds].map(([heap, figures]) => ({ heap, ...figures.cells(spread) })),
    );
  }
  printTable(`Memory, in MiB, around a burst of ${memoryBurst.connections * memoryBurst.rounds} streamed runs`, rows);
};

async function measure(bench: Bench, engine: EngineName, flags: readonly string[]) {
  const load = bench.load();
  const server = await bench.troupe(engine, { flags });
  const read = async (): Promise<Record<string, number>> => inMiB(await server.process.ask("memory", undefined));
  const atStart = await read();
  const { perSecond, cpu } = await measureBurst(bench, load, server, memoryBurst);
  const after = await read();
  await load.end();
  await sleep(idle);
  const afterIdle = await read();
  await server.process.end();
  return {
    speed: { "events/s": perSecond, "CPU us/event": cpu },
    "at start": atStart,
    "after the burst": after,
    "idle for a minute": afterIdle,
  };
}

function inMiB(memory: Memory): Record<string, number> {
  return Object.fromEntries(Object.entries(memory).map(([part, bytes]) => [part, bytes / MiB]));
}
