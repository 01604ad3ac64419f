/**
 * 100 concurrent streams of 200 content events each, without delay: in turn as the platform's own stream, its A2A stream, and the standard A2A
 * stream.
 */
import { Figures, type QuestionOf } from "../parts/bench.ts";
import { formRequest, jsonRequest } from "../parts/connection.ts";
import { printTable, spread } from "../parts/table.ts";

const connections = 100;
const rounds = 10;

const message = { messageId: "m", parts: [{ kind: "text", text: "Hello" }] };
const call = { jsonrpc: "2.0", id: 1, method: "message/stream", params: { message } };

const said = { messageId: "m", role: "ROLE_USER", parts: [{ text: "Hello" }] };
const standardCall = { jsonrpc: "2.0", id: 1, method: "SendStreamingMessage", params: { message: said } };

const streams = {
  "plain stream": { requests: [formRequest("/teams/burst/runs", { message: "Hello", stream: "true" })] },
  A2A: { requests: [jsonRequest("/a2a/teams/burst/v1/message:stream", call)], hasGaps: true },
  "A2A 1.0": { requests: [jsonRequest("/a2a/teams/burst", standardCall)], hasGaps: true },
} as const;

export const a2a: QuestionOf = async (bench) => {
  const load = bench.load();
  const rows: Record<string, string>[] = [];
  for (const engine of bench.options.engines) {
    const server = await bench.troupe(engine);
    const { port } = server;
    const figures = { "plain stream": new Figures(), A2A: new Figures(), "A2A 1.0": new Figures() };
    for (const asked of Object.values(streams)) await load.ask("burst", { port, connections, rounds: 3, ...asked });
    for (let pass = 0; pass < bench.options.passes; pass++) {
      const plain = await measure("plain stream");
      figures["plain stream"].add(plain);
      for (const stream of ["A2A", "A2A 1.0"] as const) {
        const told = await measure(stream);
        figures[stream].add({ ...told, "of plain": told["events/s"] / plain["events/s"] });
      }
    }
    for (const [stream, found] of Object.entries(figures))
      rows.push({ server: server.name, stream, ...found.cells(spread) });

    async function measure(stream: keyof typeof streams): Promise<{ "events/s": number } & Record<string, number>> {
      await server.process.ask("compacted", undefined);
      const asked = { port, connections, rounds, ...streams[stream] };
      const taken = await bench.during(server, () => load.ask("burst", asked));
      const { events, seconds, firstP50, firstP99 } = taken.result;
      return {
        "events/s": events / seconds,
        "CPU us/event": (taken.cpu * 1000) / events,
        "first ms p50": firstP50,
        p99: firstP99,
        "loop p99 ms": taken.loopP99,
      };
    }
  }
  printTable(`A2A: ${connections} streams at once, 200 content events each`, rows);
};
