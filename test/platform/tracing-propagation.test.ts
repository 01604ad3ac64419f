/** The trace context of calls that runs make: models, remote components, push notifications, and the code of tools. */
import { AsyncLocalStorage } from "node:async_hooks";
import { createOpenAI } from "@ai-sdk/openai";
import { type Context, context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  defineAgent,
  definePlatform,
  defineTeam,
  defineTool,
  defineWorkflow,
  type PlatformOptions,
  remoteAgent,
  step,
} from "../../src/index.ts";
import { type ScriptedCall, type ScriptedTurn, scriptedModel } from "../../src/testing/index.ts";
import { receiver } from "../a2a/support/desk.ts";
import { Raw, said10 } from "../a2a/support/raw.ts";
import type { Client } from "../conformance/support/client.ts";
import { startServer } from "../conformance/support/server.ts";
import { createDataDir } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { OtlpReceiver } from "../support/otlp-receiver.ts";
import { ProviderServer } from "../support/provider-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
type Any = any;

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
const tracestate = "vendor=value";
const other = "1".repeat(32);

let ends: (() => Promise<void>)[] = [];

beforeEach(() => {
  ends = [];
});

afterEach(async () => {
  for (const end of ends.reverse()) await end();
  vi.unstubAllEnvs();
});

async function serve(options: Omit<PlatformOptions, "id">): Promise<{ client: Client; url: string }> {
  const folder = await createDataDir();
  const platform = definePlatform({ id: "calling", settings: { compactionInterval: 50 }, ...options });
  const { server, client } = await startServer({ kind: "sqlite", dataDir: folder.path }, platform);
  ends.push(async () => {
    await server.close({ shutdownTimeout: 0 });
    await folder.remove();
  });
  return { client, url: client.base.origin };
}

async function run(client: Client, path: string, message = "hi", headers = {}): Promise<string> {
  const { json, status } = await client.post(path, { message, stream: false }, headers);
  expect(status).toBe(200);
  return (json as Any).run_id;
}

interface Node {
  readonly id: string;
  readonly name: string;
}

function flat(nodes: readonly Any[] = []): readonly Node[] {
  return nodes.flatMap(({ id, name, spans }) => [{ id, name }, ...flat(spans)]);
}

/** All spans of a trace. */
async function spansOf(client: Client, id: string): Promise<readonly Node[]> {
  return await eventually(async () => {
    const { json, status } = await client.get(`/traces/${id}`);
    expect([status, (json as Any).end_time]).toEqual([200, expect.any(String)]);
    return flat((json as Any).tree);
  });
}

const idOf = (spans: readonly Node[], name: string): string | undefined => spans.find((span) => span.name === name)?.id;

const ofRun = (runId: string): string => runId.replaceAll("-", "");

const hello = {
  events: [
    {
      id: "1",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta: { role: "assistant", content: "Hello." }, finish_reason: null }],
    },
    {
      id: "1",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
    },
    "[DONE]",
  ],
};

test("a model request carries the id of its span, and the caller's tracestate", async () => {
  await using provider = await ProviderServer.answering([hello, hello, hello]);
  const model = createOpenAI({ baseURL: provider.url, apiKey: "sk-test" }).chat("m");
  const { client } = await serve({ agents: [defineAgent({ id: "a", model })] });
  const alone = ofRun(await run(client, "/agents/a/runs"));
  await run(client, "/agents/a/runs", "hi", { traceparent, tracestate });
  await run(client, "/agents/a/runs", "hi", { traceparent: `00-${other}-00f067aa0ba902b7-00`, tracestate });
  const chatOf = async (id: string): Promise<string | undefined> => idOf(await spansOf(client, id), "chat m");
  const headers = provider.requests.map((request) => [request.headers.traceparent, request.headers.tracestate]);
  expect(headers).toEqual([
    [`00-${alone}-${await chatOf(alone)}-01`, undefined],
    [`00-${traceId}-${await chatOf(traceId)}-01`, tracestate],
    [`00-${other}-${await chatOf(other)}-00`, tracestate],
  ]);
});

test("no call carries a trace context with OTEL_PROPAGATORS=none", async () => {
  vi.stubEnv("OTEL_PROPAGATORS", "none");
  await using provider = await ProviderServer.answering([hello]);
  const model = createOpenAI({ baseURL: provider.url, apiKey: "sk-test" }).chat("m");
  const { client } = await serve({ agents: [defineAgent({ id: "a", model })] });
  await run(client, "/agents/a/runs", "hi", { traceparent, tracestate });
  expect(provider.requests[0]?.headers).not.toHaveProperty("traceparent");
  expect(provider.requests[0]?.headers).not.toHaveProperty("tracestate");
  await spansOf(client, traceId);
});

function leader({ results, message }: ScriptedCall): ScriptedTurn | string {
  if (results.length > 0) return "done";
  return { toolCalls: [{ name: "delegate_task_to_member", input: { member_id: "far", task: message } }] };
}

test.each(["url", "a2a"] as const)(
  "a remote component by %s continues the trace under the span that calls it",
  async (protocol) => {
    await using collector = await OtlpReceiver.open();
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url);
    vi.stubEnv("OTEL_BSP_SCHEDULE_DELAY", "50");
    const there = await serve({
      agents: [defineAgent({ id: "clerk", model: scriptedModel(() => "Hello."), sessionPolicy: "parallel" })],
    });
    const far =
      protocol === "url"
        ? remoteAgent({ id: "far", url: there.url, remoteId: "clerk" })
        : remoteAgent({ id: "far", a2a: `${there.url}/a2a/agents/clerk` });
    const here = await serve({
      agents: [far],
      teams: [defineTeam({ id: "team", model: scriptedModel(leader), members: [far] })],
      workflows: [defineWorkflow({ id: "flow", steps: [step({ name: "call", agent: far })] })],
    });
    for (const [path, caller] of [
      ["/agents/far/runs", "invoke_agent far"],
      ["/teams/team/runs", "execute_tool delegate_task_to_member"],
      ["/workflows/flow/runs", "step call"],
    ] as const) {
      const id = ofRun(await run(here.client, path));
      await eventually(() => {
        const spans = collector.spans.filter((span) => span.traceId === id);
        const request = spans.find(({ name }) => name === "run agent clerk");
        const parent = spans.find(({ name }) => name === caller);
        expect([path, request?.parentSpanId]).toEqual([path, parent?.spanId ?? "exported"]);
      });
    }
  },
);

test("a task over A2A belongs to the caller's trace, and its notifications carry the first span of the run", async () => {
  const clerk = defineAgent({ id: "clerk", model: scriptedModel(() => "Hello.") });
  const a2a = { pushNotifications: { allowHttp: true, allowPrivate: true } };
  const { client, url } = await serve({ agents: [clerk], a2a });
  const { url: target, got } = await receiver();
  const raw = new Raw(() => url).with({ traceparent, tracestate });
  await raw.call("SendMessage", said10("hi", {}, { taskPushNotificationConfig: { url: target } }), "/a2a/agents/clerk");
  const [request] = await spansOf(client, traceId);
  await expect.poll(() => got.length).toBeGreaterThan(1);
  for (const { headers } of got)
    expect([headers.traceparent, headers.tracestate]).toEqual([`00-${traceId}-${request?.id}-01`, tracestate]);
});

test("a tool runs in the context of its span if the application uses OpenTelemetry", async () => {
  const storage = new AsyncLocalStorage<Context>();
  const manager: Parameters<typeof context.setGlobalContextManager>[0] = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, call, self, ...given) => storage.run(active, () => call.apply(self as never, given)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  context.setGlobalContextManager(manager);
  try {
    let seen: unknown;
    const look = defineTool({
      ...{ name: "look", description: "Look.", input: z.object({}) },
      execute: async () => {
        await Promise.resolve();
        seen = trace.getSpanContext(context.active());
        return "seen";
      },
    });
    const model = scriptedModel(({ results }) =>
      results.length > 0 ? "done" : { toolCalls: [{ name: "look", input: {} }] },
    );
    const { client } = await serve({ agents: [defineAgent({ id: "a", model, tools: [look] })] });
    const id = ofRun(await run(client, "/agents/a/runs"));
    const spanId = idOf(await spansOf(client, id), "execute_tool look");
    expect(seen).toEqual({ traceId: id, spanId, traceFlags: 1 });
  } finally {
    context.disable();
  }
});
