/**
 * The cost of encryption at rest: a server does the same work with and without a key. With `BENCH_EARLIER`, the folder of an earlier checkout, that checkout's
 * server does the work, too. Servers take turns.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { type Candidate, Figures, type QuestionOf } from "../parts/bench.ts";
import type { TroupeCommands } from "../parts/commands.ts";
import { printTable, spread } from "../parts/table.ts";
import { measureBurst } from "./burst.ts";
import { measureRuns } from "./non-stream.ts";
import { measureLive } from "./paced.ts";

const burstSize = { connections: 20, rounds: 8 };
const runsSize = { connections: 16, total: 500 };
const live = { connections: 150, ramp: 500, settle: 300, window: 1_500 };

export const encryption: QuestionOf = async (bench) => {
  const load = bench.load();
  const earlier = process.env.BENCH_EARLIER;
  const keys = { TROUPE_ENCRYPTION_KEYS: `bench:${randomBytes(32).toString("base64")}` };
  for (const engine of bench.options.engines) {
    // Each server compacts between two measurements rather than during one.
    const start = (name: string, options: { environment?: Record<string, string>; checkout?: string }) =>
      bench.troupe(engine, { name, settings: { compactionInterval: 3_600_000 }, ...options });
    const servers: Candidate<TroupeCommands>[] = [
      await start("without keys", {}),
      ...(earlier ? [await start("earlier checkout", { checkout: join(earlier, "bench/parts") })] : []),
      await start("with a key", { environment: keys }),
    ];
    const figures = new Map(servers.map((server) => [server, new Figures()]));
    // The first pass warms up.
    for (let pass = 0; pass <= bench.options.passes; pass++) {
      for (const server of pass % 2 === 0 ? servers : servers.toReversed()) {
        const { cpu, taken } = await measureBurst(bench, load, server, burstSize);
        const { events } = taken.result;
        const before = await server.process.ask("cpu", undefined);
        await server.process.ask("compact", undefined);
        const compaction = ((await server.process.ask("cpu", undefined)) - before) * 1000;
        const runs = await measureRuns(bench, load, server, runsSize);
        await server.process.ask("compact", undefined);
        const paced = await measureLive(bench, load, server, live);
        await server.process.ask("compact", undefined);
        if (pass === 0) continue;
        figures.get(server)?.add({
          "burst: us/event": cpu,
          compaction: compaction / events,
          "us/run": runs["CPU us/run"],
          "live runs: us/event": paced["CPU us/event"],
          ...(engine === "postgres" && {
            "database: burst us/event": (taken.databaseCpu * 1000) / events,
            "us/run ": runs["database us/run"],
            "live us/event": paced["database us/event"] ?? Number.NaN,
          }),
        });
      }
    }
    const [base] = servers;
    const ratios = (found: Figures): Figures => found.over((base && figures.get(base)) ?? found);
    printTable(
      `Encryption on ${engine}: CPU, and the ratio to the server without keys in the same pass`,
      [...figures].flatMap(([server, found]) => [
        { server: server.name, ...found.cells(spread) },
        ...(server === base ? [] : [{ server: "  ratio", ...ratios(found).cells(spread) }]),
      ]),
    );
    await Promise.all(servers.map(({ process }) => process.end()));
  }
};
