/**
 * The servers of several checkouts do the same work in turn: `BENCH_EARLIER` has the folders of the other checkouts, `BENCH_PARTS` the parts to measure, with commas
 * between them. The machine's speed changes, so the ratios of a pass are the result.
 */
import { randomUUID } from "node:crypto";
import { basename, join } from "node:path";
import { type Bench, type Candidate, Figures, type QuestionOf } from "../parts/bench.ts";
import type { Child } from "../parts/child.ts";
import type { LoadCommands, TroupeCommands } from "../parts/commands.ts";
import { formRequest } from "../parts/connection.ts";
import { printTable, spread } from "../parts/table.ts";
import { measureBurst } from "./burst.ts";
import { measureLive } from "./paced.ts";

const burstSize = { connections: 100, rounds: 2 };
const starts = { connections: 100, total: 800 };
const live = { connections: 100, ramp: 1_000, settle: 200, window: 2_500 };

type Part = (bench: Bench, load: Child<LoadCommands>, server: Candidate<TroupeCommands>) => Promise<Figure>;
type Figure = Readonly<Record<string, number>>;

const startOf = (): string => formRequest("/agents/answer/runs", { message: "Hello", stream: "false" });

const parts: Readonly<Record<string, Part>> = {
  async burst(bench, load, server) {
    const { cpu } = await measureBurst(bench, load, server, burstSize);
    return { "burst: us/event": cpu };
  },
  async runs(bench, load, server) {
    return await measureStarts(bench, load, server, "runs", startOf);
  },
  async keyed(bench, load, server) {
    const keyed = (): string => startOf().replace("\r\n\r\n", `\r\nidempotency-key: ${randomUUID()}\r\n\r\n`);
    return await measureStarts(bench, load, server, "keyed", keyed);
  },
  async live(bench, load, server) {
    const found = await measureLive(bench, load, server, live);
    return { "live: us/event": found["CPU us/event"], "live: p50 ms": found["receipt ms p50"] };
  },
};

export const compare: QuestionOf = async (bench) => {
  const load = bench.load();
  const checkouts = process.env.BENCH_EARLIER?.split(",") ?? [];
  const chosen = process.env.BENCH_PARTS?.split(",") ?? Object.keys(parts);
  for (const engine of bench.options.engines) {
    const servers: Candidate<TroupeCommands>[] = [];
    // Each server compacts between two measurements rather than during one.
    const settings = { compactionInterval: 3_600_000 };
    for (const folder of [undefined, ...checkouts]) {
      const checkout = folder === undefined ? {} : { name: basename(folder), checkout: join(folder, "bench/parts") };
      servers.push(await bench.troupe(engine, { name: "this checkout", settings, ...checkout }));
    }
    const figures = new Map(servers.map((server) => [server, new Figures()]));
    // The first passes warm up.
    for (let pass = -2; pass < bench.options.passes; pass++) {
      for (const name of chosen) {
        for (const server of pass % 2 === 0 ? servers : servers.toReversed()) {
          const found = await parts[name]?.(bench, load, server);
          await server.process.ask("compact", undefined);
          if (found && pass >= 0) figures.get(server)?.add(found);
        }
      }
    }
    const [own] = servers;
    const base = own && figures.get(own);
    printTable(
      `Comparison on ${engine}: CPU, and the ratios of this checkout to the others`,
      [...figures].flatMap(([server, found]) => [
        { server: server.name, ...found.cells(spread) },
        ...(server === own || !base ? [] : [{ server: "  ratio", ...base.over(found).cells(spread) }]),
      ]),
    );
  }
};

async function measureStarts(
  bench: Bench,
  load: Child<LoadCommands>,
  server: Candidate<TroupeCommands>,
  name: string,
  request: () => string,
): Promise<Figure> {
  const { connections, total } = starts;
  const input = { port: server.port, request: Array.from({ length: total }, request), connections, total };
  const taken = await bench.during(server, () => load.ask("requests", input));
  return { [`${name}: us/run`]: (taken.cpu * 1000) / total, [`${name}: runs/s`]: taken.result.perSecond };
}
