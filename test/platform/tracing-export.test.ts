/** Traces that a server exports to a collector over OTLP. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineAgent, definePlatform, defineTeam, defineTool, type Platform, type Server } from "../../src/index.ts";
import { type ScriptedCall, type ScriptedTurn, scriptedModel } from "../../src/testing/index.ts";
import type { Client } from "../conformance/support/client.ts";
import { startServer } from "../conformance/support/server.ts";
import { createDataDir, eachDatabase, type TestDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { OtlpReceiver, type ReceivedSpan } from "../support/otlp-receiver.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
type Any = any;

const usage = { input: 10, output: 4 };
const secrets = ["secret-question", "secret-city", "secret-weather"] as const;

function answer({ message, results, tools }: ScriptedCall): ScriptedTurn {
  if (results.length > 0) return { text: `It is ${results.map(({ text }) => text).join(", ")}.`, usage };
  const call = (name: string, input: Record<string, unknown>) => ({ toolCalls: [{ name, input }], usage });
  if (tools.includes("delegate_task_to_member"))
    return call("delegate_task_to_member", { member_id: "weather-agent", task: message });
  return message.includes("weather") ? call("get_weather", { city: "secret-city" }) : { text: "Hello.", usage };
}

function tracedPlatform(): Platform {
  const model = scriptedModel(answer);
  const tools = [
    defineTool({
      ...{ name: "get_weather", description: "Weather.", input: z.object({ city: z.string() }) },
      execute: () => "secret-weather",
    }),
  ];
  const agent = defineAgent({ id: "weather-agent", model, tools, sessionPolicy: "parallel" });
  return definePlatform({
    id: "exported",
    agents: [agent],
    teams: [defineTeam({ id: "weather-team", model, members: [agent], sessionPolicy: "parallel" })],
    settings: { compactionInterval: 50 },
  });
}

/** Starts a server with `OTEL_*` variables. The export reads them when the server is created. */
async function startWith(database: TestDatabase, variables: Readonly<Record<string, string>>, options = {}) {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  return await startServer(database, tracedPlatform(), options);
}

afterEach(() => vi.unstubAllEnvs());

const exportTo = (receiver: OtlpReceiver): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  OTEL_BSP_SCHEDULE_DELAY: "50",
});

async function run(client: Client, path: string, message: string, headers = {}): Promise<string> {
  const { json, status } = await client.post(path, { message, stream: false }, headers);
  expect(status).toBe(200);
  return (json as Any).run_id;
}

const traceIdOf = (runId: string): string => runId.replaceAll("-", "");

/** The exported spans of a trace, once there are as many. */
async function exported(receiver: OtlpReceiver, traceId: string, count: number): Promise<readonly ReceivedSpan[]> {
  return await eventually(() => {
    const spans = receiver.spans.filter((span) => span.traceId === traceId);
    expect(spans.length).toBe(count);
    return spans;
  });
}

interface Node {
  readonly id: string;
  readonly name: string;
  readonly spans: readonly Node[];
}

const byId = (a: Node, b: Node): number => (a.id < b.id ? -1 : 1);

function treeOf(spans: readonly ReceivedSpan[], parent: string | null = null): readonly Node[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .map(({ spanId: id, name }) => ({ id, name, spans: treeOf(spans, id) }))
    .sort(byId);
}

function shownTree(nodes: readonly Any[] = []): readonly Node[] {
  return nodes.map(({ id, name, spans }) => ({ id, name, spans: shownTree(spans) })).sort(byId);
}

/** Starts a server on SQLite for one test. */
async function using(
  variables: Readonly<Record<string, string>>,
  check: (client: Client, server: Server) => Promise<void>,
  options = {},
): Promise<void> {
  const folder = await createDataDir();
  const { server, client } = await startWith({ kind: "sqlite", dataDir: folder.path }, variables, options);
  try {
    await check(client, server);
  } finally {
    await server.close({ shutdownTimeout: 0 });
    await folder.remove();
  }
}

eachDatabase("export", (openDatabase) => {
  test("a team's run is exported as one trace with members and tools, which equals the stored tree", async () => {
    await using receiver = await OtlpReceiver.open();
    const { server, client } = await startWith(await openDatabase(), exportTo(receiver));
    try {
      const runId = await run(client, "/teams/weather-team/runs", "weather? secret-question");
      const spans = await exported(receiver, traceIdOf(runId), 9);
      const { json } = await client.get(`/traces/${traceIdOf(runId)}`);
      expect(treeOf(spans)).toEqual(shownTree((json as Any).tree));
      const named = (name: string): ReceivedSpan => spans.find((span) => span.name === name)!;
      expect(named("run team weather-team").kind).toBe(2);
      expect(named("chat scripted-model")).toMatchObject({ kind: 3, status: { code: 1 } });
      expect(named("chat scripted-model").attributes).toMatchObject({
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "scripted-model",
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 4,
      });
      expect(named("execute_tool get_weather").attributes["gen_ai.tool.call.id"]).toEqual(expect.any(String));
      for (const { startedAt, endedAt, resource } of spans) {
        expect(Math.abs(Date.now() - startedAt)).toBeLessThan(60_000);
        expect(endedAt).toBeGreaterThanOrEqual(startedAt);
        expect(resource).toMatchObject({ "service.name": "exported", "service.instance.id": expect.any(String) });
      }
      for (const secret of secrets) expect(receiver.text).not.toContain(secret);
    } finally {
      await server.close({ shutdownTimeout: 0 });
    }
  });

  test("texts are exported with the capture variable, and are not stored", async () => {
    await using receiver = await OtlpReceiver.open();
    const capture = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" };
    const { server, client } = await startWith(await openDatabase(), { ...exportTo(receiver), ...capture });
    try {
      const runId = await run(client, "/agents/weather-agent/runs", "weather? secret-question");
      const spans = await exported(receiver, traceIdOf(runId), 5);
      const [first, second] = spans.filter(({ name }) => name.startsWith("chat"));
      const texts = ({ attributes }: ReceivedSpan, name: string): Any => JSON.parse(String(attributes[name]));
      const question = { role: "user", parts: [{ type: "text", content: "weather? secret-question" }] };
      const call = {
        type: "tool_call",
        id: expect.any(String),
        name: "get_weather",
        arguments: { city: "secret-city" },
      };
      expect(texts(first!, "gen_ai.input.messages")).toEqual([question]);
      const made = { role: "assistant", parts: [call] };
      expect(texts(first!, "gen_ai.output.messages")).toEqual([{ ...made, finish_reason: "tool_call" }]);
      const result = { type: "tool_call_response", id: expect.any(String), response: "secret-weather" };
      expect(texts(second!, "gen_ai.input.messages")).toEqual([question, made, { role: "tool", parts: [result] }]);
      const tool = spans.find(({ name }) => name.startsWith("execute_tool"))!;
      expect(texts(tool, "gen_ai.tool.call.arguments")).toEqual({ city: "secret-city" });
      expect(tool.attributes["gen_ai.tool.call.result"]).toBe("secret-weather");
      const agent = spans.find(({ name }) => name.startsWith("invoke_agent"))!;
      expect(texts(agent, "gen_ai.output.messages")).toEqual([
        { role: "assistant", parts: [{ type: "text", content: "It is secret-weather." }], finish_reason: "stop" },
      ]);
      const { json } = await client.get(`/traces/${traceIdOf(runId)}`);
      expect(JSON.stringify((json as Any).tree)).not.toMatch(/secret-/);
    } finally {
      await server.close({ shutdownTimeout: 0 });
    }
  });
});

test("without the variables, a server loads no package of OpenTelemetry", async () => {
  const program = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({
      resolve(name, context, next) {
        if (name.startsWith("@opentelemetry/")) loaded.push(name);
        return next(name, context);
      },
    });
    const { createServer, definePlatform } = await import("troupe");
    const server = await createServer(definePlatform({ id: "plain" }), { dataDir: ":memory:", port: 0 });
    await server.listen();
    await server.close();
    console.log(JSON.stringify(loaded));`;
  const loadedWith = async (variables: Readonly<Record<string, string>>): Promise<readonly string[]> => {
    const options = ["--conditions=troupe-source", "--input-type=module", "-e", program];
    const env = { ...process.env, ...variables };
    const { stdout } = await promisify(execFile)(process.execPath, options, { env });
    return JSON.parse(stdout);
  };
  expect(await loadedWith({})).toEqual([]);
  expect(await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" })).toContain("@opentelemetry/sdk-trace");
});

describe("variables", () => {
  const agent = "/agents/weather-agent/runs";

  test("headers, service name and resource attributes of the environment are sent", async () => {
    await using receiver = await OtlpReceiver.open();
    const variables = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces`,
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=abc",
      OTEL_SERVICE_NAME: "named",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
      OTEL_BSP_SCHEDULE_DELAY: "50",
    };
    await using(variables, async (client) => {
      const [span] = await exported(receiver, traceIdOf(await run(client, agent, "hi")), 3);
      expect(span?.resource).toMatchObject({ "service.name": "named", "deployment.environment.name": "test" });
      expect(receiver.headers[0]).toMatchObject({ "x-key": "abc", "content-type": "application/x-protobuf" });
    });
  });

  test.each([{ OTEL_SDK_DISABLED: "true" }, { OTEL_TRACES_EXPORTER: "none" }, { OTEL_TRACES_SAMPLER: "always_off" }])(
    "nothing is exported with %o",
    async (off) => {
      await using receiver = await OtlpReceiver.open();
      await using({ ...exportTo(receiver), ...off }, async (client, server) => {
        const traceId = traceIdOf(await run(client, agent, "hi"));
        await eventually(async () =>
          expect((await client.get("/traces")).json).toMatchObject({ data: [{ trace_id: traceId }] }),
        );
        await server.close();
        expect(receiver.headers).toEqual([]);
      });
    },
  );

  test("a shutdown exports the traces that wait for the batch", async () => {
    await using receiver = await OtlpReceiver.open();
    const slow = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: "600000" };
    await using(slow, async (client, server) => {
      const traceId = traceIdOf(await run(client, agent, "hi"));
      await eventually(async () =>
        expect((await client.get("/traces")).json).toMatchObject({ data: [{ trace_id: traceId }] }),
      );
      expect(receiver.spans).toEqual([]);
      await server.close();
      expect(receiver.spans.length).toBe(3);
    });
  });

  test("an unreachable collector delays no run and no shutdown, and is logged once a minute", async () => {
    const entries: unknown[] = [];
    const add = (fields: Record<string, unknown>, message: string): void => void entries.push({ ...fields, message });
    const quiet = (): void => undefined;
    const log = { debug: quiet, info: quiet, warn: add, error: add };
    const variables = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
      OTEL_EXPORTER_OTLP_TIMEOUT: "100",
      OTEL_BSP_SCHEDULE_DELAY: "20",
    };
    await using(
      variables,
      async (client, server) => {
        for (let count = 0; count < 5; count++) {
          const begun = performance.now();
          const traceId = traceIdOf(await run(client, agent, "hi"));
          expect(performance.now() - begun).toBeLessThan(20_000);
          await eventually(async () => expect((await client.get(`/traces/${traceId}`)).status).toBe(200));
        }
        await eventually(() => expect(entries.length).toBeGreaterThan(0));
        const begun = performance.now();
        await server.close({ shutdownTimeout: 500 });
        expect(performance.now() - begun).toBeLessThan(20_000);
        const text = "Traces could not be exported. They stay in the database.";
        expect(entries).toEqual([{ spans: expect.any(Number), reason: expect.any(String), message: text }]);
      },
      { log },
    );
  });

  test("a value that is not supported is logged, and traces are exported as if it were absent", async () => {
    const warnings: string[] = [];
    const quiet = (): void => undefined;
    const log = {
      debug: quiet,
      info: quiet,
      error: quiet,
      warn: (_: unknown, text: string) => void warnings.push(text),
    };
    await using receiver = await OtlpReceiver.open();
    const variables = { OTEL_TRACES_SAMPLER: "jaeger_remote", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" };
    await using(
      { ...exportTo(receiver), ...variables },
      async (client) => {
        await exported(receiver, traceIdOf(await run(client, agent, "hi")), 3);
        expect(warnings).toEqual([
          "OTEL_TRACES_SAMPLER=jaeger_remote is not supported: all traces are exported.",
          "OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not supported: traces are sent as http/protobuf.",
        ]);
      },
      { log },
    );
  });
});

describe("a caller's trace context", () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const parent = "00f067aa0ba902b7";
  const path = "/agents/weather-agent/runs";

  test("a run with a traceparent belongs to the caller's trace, and an unsampled one is not exported", async () => {
    await using receiver = await OtlpReceiver.open();
    await using(exportTo(receiver), async (client) => {
      const unsampled = "11111111111111111111111111111111";
      await run(client, path, "hi", { traceparent: `00-${unsampled}-${parent}-00` });
      await run(client, path, "hi", { traceparent: `00-${traceId}-${parent}-01` });
      const spans = await exported(receiver, traceId, 3);
      expect(treeOf(spans, parent)).toMatchObject([{ name: "run agent weather-agent" }]);
      expect(receiver.spans.length).toBe(3);
      await eventually(async () => expect((await client.get(`/traces/${unsampled}`)).status).toBe(200));
    });
  });

  test.each([
    "",
    "00-0-0-00",
    `00-${"0".repeat(32)}-${parent}-01`,
    `ff-${traceId}-${parent}-01`,
    `00-${traceId}-${parent}-01-x`,
  ])("an invalid traceparent %o is ignored", async (traceparent) => {
    await using({}, async (client) => {
      const runId = await run(client, path, "hi", { traceparent });
      await eventually(async () => expect((await client.get(`/traces/${traceIdOf(runId)}`)).status).toBe(200));
    });
  });
});
