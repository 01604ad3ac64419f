/**
 * 100 concurrent runs of 200 content events each, without delay, streamed over each surface in turn. The same runs are behind every surface, so the figures are per
 * run: surfaces make different numbers of frames of one event. The plain stream is measured again before each surface, because the machine's speed changes.
 */
import { Figures, type QuestionOf } from "../parts/bench.ts";
import { formRequest, jsonRequest } from "../parts/connection.ts";
import { printTable, spread } from "../parts/table.ts";

const connections = 100;
const rounds = 5;

const parts = [{ kind: "text", text: "Hello" }];
const messages = [{ role: "user", content: "Hello" }];

/** A request over a surface. AG-UI and the AI SDK repeat a run whose id they have seen, so each of their requests has ids of its own. */
type RequestOf = (id: string) => string;

const mcpArguments = { agent_id: "burst", message: "Hello" };

const plainOf =
  (path: string): RequestOf =>
  () =>
    formRequest(path, { message: "Hello", stream: "true" });

const plain = plainOf("/agents/burst/runs");
const plainWorkflow = plainOf("/workflows/burst/runs");

/** The web socket of workflows. */
const socket = Symbol("socket");

/** Names of the surfaces to measure, with commas between them; all by default. */
const chosen = process.env.BENCH_SURFACES?.split(",");

const allSurfaces: Readonly<Record<string, RequestOf | typeof socket>> = {
  "A2A 0.3": () =>
    jsonRequest("/a2a/agents/burst", {
      ...{ jsonrpc: "2.0", id: 1, method: "message/stream" },
      params: { message: { kind: "message", messageId: "m", role: "user", parts } },
    }),
  "A2A 1.0": () =>
    jsonRequest("/a2a/agents/burst", {
      ...{ jsonrpc: "2.0", id: 1, method: "SendStreamingMessage" },
      params: { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "Hello" }] } },
    }),
  "OpenAI responses": () => jsonRequest("/v1/responses", { model: "agent:burst", input: "Hello", stream: true }),
  "OpenAI chat": () => jsonRequest("/v1/chat/completions", { model: "agent:burst", messages, stream: true }),
  "AG-UI": (id) =>
    jsonRequest("/agents/burst/agui", {
      ...{ threadId: id, runId: id, protocolVersion: "1.0" },
      messages: [{ id: "1", role: "user", content: "Hello" }],
    }),
  "AI SDK UI": (id) =>
    jsonRequest("/ui/agents/burst", { id, message: { id, role: "user", parts: [{ type: "text", text: "Hello" }] } }),
  MCP: () =>
    jsonRequest("/mcp", {
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name: "run_agent", arguments: mcpArguments, _meta: { progressToken: 1 } },
    }).replace("\r\n\r\n", "\r\naccept: application/json, text/event-stream\r\n\r\n"),
  "web socket": socket,
};

const surfaces = Object.fromEntries(Object.entries(allSurfaces).filter(([name]) => chosen?.includes(name) ?? true));

let lastId = 0;

function requestsOf(toRequest: RequestOf, count: number): readonly string[] {
  return Array.from({ length: count }, () => toRequest(`bench-${process.pid}-${++lastId}`));
}

export const surfaceStreams: QuestionOf = async (bench) => {
  const load = bench.load();
  const rows: Record<string, string>[] = [];
  for (const engine of bench.options.engines) {
    const server = await bench.troupe(engine, { settings: { compactionInterval: 3_600_000 } });
    const { port } = server;
    const figures = new Map(Object.keys(surfaces).map((name) => [name, new Figures()]));
    const plainFigures = new Figures();
    // A pass of each before the first measurement: V8 optimizes a surface's code meanwhile.
    for (const surface of [plain, plainWorkflow, ...Object.values(surfaces)]) await burst(surface, rounds);
    for (let pass = 0; pass < bench.options.passes; pass++) {
      for (const [name, surface] of Object.entries(surfaces)) {
        const base = await measure(surface === socket ? plainWorkflow : plain);
        const found = await measure(surface);
        if (surface !== socket) plainFigures.add(base);
        figures.get(name)?.add({
          ...found,
          "of plain, CPU": base["CPU us/run"] / found["CPU us/run"],
          "of plain, wall": found["runs/s"] / base["runs/s"],
        });
      }
    }
    rows.push({ server: server.name, surface: "plain", ...plainFigures.cells(spread) });
    for (const [surface, found] of figures) rows.push({ server: server.name, surface, ...found.cells(spread) });

    function burst(surface: RequestOf | typeof socket, count: number): Promise<{ readonly seconds: number }> {
      const input = { port, connections, rounds: count };
      if (surface === socket) return load.ask("socketBurst", { ...input, workflowId: "burst" });
      return load.ask("burst", { ...input, requests: requestsOf(surface, count * connections), hasGaps: true });
    }

    async function measure(surface: RequestOf | typeof socket): Promise<{ "runs/s": number; "CPU us/run": number }> {
      await server.process.ask("compact", undefined);
      const taken = await bench.during(server, () => burst(surface, rounds));
      const runs = connections * rounds;
      return { "runs/s": runs / taken.result.seconds, "CPU us/run": (taken.cpu * 1000) / runs };
    }
  }
  printTable(`Surfaces: ${connections} streams at once, 200 content events each`, rows);
};
