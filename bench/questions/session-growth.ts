/** The cost of a late run in a long session compared with an early one, with a history of five runs. */
import { randomUUID } from "node:crypto";
import { Figures, type QuestionOf } from "../parts/bench.ts";
import { formRequest } from "../parts/connection.ts";
import { median } from "../parts/statistics.ts";
import { printTable, spread } from "../parts/table.ts";

const runs = 300;
/** Runs measured on each side: a single run is too noisy. */
const around = 20;

export const sessionGrowth: QuestionOf = async (bench) => {
  const load = bench.load();
  const rows = [];
  for (const engine of bench.options.engines) {
    const server = await bench.troupe(engine);
    const figures = new Figures();
    const session = (): string =>
      formRequest("/agents/growing/runs", { message: "Hello", stream: "false", session_id: randomUUID() });
    await load.ask("requests", { port: server.port, request: session(), connections: 1, total: 300 });
    for (let pass = 0; pass < bench.options.passes; pass++) {
      const request = session();
      const ask = (total: number) => load.ask("requests", { port: server.port, request, connections: 1, total });
      // From the sixth run on, the history has its full length.
      await ask(5);
      const early = await bench.during(server, () => ask(around));
      await ask(runs - around - 5);
      const late = await bench.during(server, () => ask(around));
      const [first, last] = [median(early.result.each), median(late.result.each)];
      figures.add({
        "early ms": first,
        "late ms": last,
        "late / early": last / first,
        "CPU early ms": early.cpu / around,
        "CPU late ms": late.cpu / around,
      });
    }
    rows.push({ database: engine, ...figures.cells(spread) });
    await server.process.end();
  }
  printTable(`Run ${runs} of a session against run 6, history of 5 runs`, rows);
};
