/**
 * The cost of memory: the same runs of 20 users on a server with and on one without it. Each run with memory reads the user's memories, puts them into its prompt, and
 * is extracted by a job afterwards; the figures include the jobs. Servers take turns. A run at the pace of models has far more CPU of its own than a run whose
 * model answers at once.
 */
import { type Candidate, Figures, type QuestionOf } from "../parts/bench.ts";
import type { TroupeCommands } from "../parts/commands.ts";
import { formRequest } from "../parts/connection.ts";
import { pacedEvents } from "../parts/platform.ts";
import { printTable, spread } from "../parts/table.ts";

const users = 20;
const connections = 60;
const rounds = 3;

/** Requests of all users in turn. */
function requestsTo(agent: string): readonly string[] {
  return Array.from({ length: users }, (_, user) =>
    formRequest(`/agents/${agent}/runs`, { message: "What do I like?", stream: "true", user_id: `user-${user}` }),
  );
}

const agents = { burst: requestsTo("burst"), paced: requestsTo("paced") };

export const memories: QuestionOf = async (bench) => {
  const load = bench.load();
  for (const engine of bench.options.engines) {
    const start = (name: string, environment: Record<string, string>) =>
      bench.troupe(engine, { name, environment, settings: { compactionInterval: 3_600_000 } });
    const without = await start("without memory", {});
    const withMemory = await start("with memory", { BENCH_MEMORY: "on" });
    const figures = new Map([without, withMemory].map((server) => [server, new Figures()]));
    // The first pass warms up, and gives every user memories.
    for (let pass = 0; pass <= bench.options.passes; pass++) {
      for (const server of pass % 2 === 0 ? [without, withMemory] : [withMemory, without]) {
        const burst = await measure(server, "burst", rounds);
        const paced = await measure(server, "paced", 1);
        await server.process.ask("compact", undefined);
        if (pass === 0) continue;
        figures.get(server)?.add({
          [`${pacedEvents} events at 30/s: us/event`]: paced.perEvent,
          "us/run": paced.perRun,
          "200 events at once: us/event": burst.perEvent,
          "us/run ": burst.perRun,
          ...(engine === "postgres" && { "database us/run": paced.ofDatabase, "database us/run ": burst.ofDatabase }),
        });
      }
    }
    const base = figures.get(without) as Figures;
    printTable(
      `Memory on ${engine}: CPU, and the ratio to the server without memory in the same pass`,
      [...figures].flatMap(([server, found]) => [
        { server: server.name, ...found.cells(spread) },
        ...(server === without ? [] : [{ server: "  ratio", ...found.over(base).cells(spread) }]),
      ]),
    );
    await Promise.all([without, withMemory].map(({ process }) => process.end()));
  }

  async function measure(server: Candidate<TroupeCommands>, agent: keyof typeof agents, count: number) {
    const runs = connections * count;
    const before = await server.process.ask("extractions", undefined);
    const { result, cpu, databaseCpu } = await bench.during(server, async () => {
      const input = { port: server.port, connections, rounds: count, requests: agents[agent] };
      const taken = await load.ask("burst", input);
      if (server.name === "with memory") await server.process.ask("extracted", { count: before + runs });
      return taken;
    });
    const { events } = result;
    return {
      ...{ perEvent: (cpu * 1_000) / events, perRun: (cpu * 1_000) / runs },
      ofDatabase: (databaseCpu * 1_000) / runs,
    };
  }
};
