/** The metrics of a server: their values, their labels, and the listener that serves them. */
import { createServer as createTcpServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import {
  agentFactory,
  ConfigurationError,
  createServer,
  defineAgent,
  definePlatform,
  defineTool,
  type Server,
} from "../../src/index.ts";
import { createMetrics } from "../../src/platform/metrics.ts";
import { maxNamedComponents } from "../../src/platform/metrics-names.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { Client } from "../conformance/support/client.ts";
import { createDataDir } from "../support/databases.ts";
import { Gate } from "../support/gate.ts";
import { type Series, scrape, seriesOf } from "../support/scrape.ts";

const stock = defineTool({
  name: "stock",
  description: "Units in stock",
  input: z.object({ item: z.string() }),
  execute: ({ item }) => {
    if (item === "broken") throw new Error("no such item");
    return 7;
  },
});

const slowAnswers = new Gate();
let isOverloaded = false;

const clerk = defineAgent({
  id: "clerk",
  tools: [stock],
  model: scriptedModel(async ({ message, results }) => {
    if (message === "slow") await slowAnswers.pass();
    if (isOverloaded) {
      isOverloaded = false;
      return { error: { message: "overloaded", status: 529, headers: { "retry-after-ms": "1" } } };
    }
    if (message.includes("explode")) return { error: { message: "no", status: 400 } };
    if (results.length > 0) return { text: "done", usage: { input: 30, output: 12, reasoning: 5 } };
    if (message.includes("odd tool")) return { toolCalls: [{ name: message, input: {} }], usage: null };
    if (message.includes("item")) return { toolCalls: [{ name: "stock", input: { item: message.slice(5) } }] };
    return { text: "hello", usage: { input: 10, output: 2 } };
  }),
});

const platform = definePlatform({ id: "metered", agents: [clerk] });

let server: Server;
let client: Client;
let removeFolder: () => Promise<void>;

beforeAll(async () => {
  const { path, remove } = await createDataDir();
  removeFolder = remove;
  server = await createServer(platform, {
    dataDir: path,
    port: 0,
    metricsPort: 0,
    logLevel: "silent",
    environment: {},
  });
  client = new Client(await server.listen());
});

afterAll(async () => {
  await server.close({ shutdownTimeout: 0 });
  await removeFolder();
});

const start = (message: string) => client.post("/agents/clerk/runs", { message, stream: "false" });

/** Returns how much the series have grown during the work. */
async function growthDuring(work: () => Promise<unknown>): Promise<(name: string, labels?: string) => number> {
  const before = await scrape(server);
  await work();
  const after = await scrape(server);
  return (name, labels = "") => (after.get(name + labels) ?? 0) - (before.get(name + labels) ?? 0);
}

test("a run counts as a request, a started and an ended run, a model request and its tokens", async () => {
  const grown = await growthDuring(() => start("hi"));
  const component = 'kind="agent",component="clerk"';
  const model = 'model="scripted-model",provider="Scripted"';
  expect(grown("troupe_http_requests_total", '{method="POST",route="/agents/{agent_id}/runs",status="200"}')).toBe(1);
  expect(grown("troupe_runs_started_total", `{${component}}`)).toBe(1);
  expect(grown("troupe_runs_ended_total", `{${component},status="completed"}`)).toBe(1);
  expect(grown("troupe_model_requests_total", `{${model},outcome="ok"}`)).toBe(1);
  expect(grown("troupe_model_request_duration_seconds_count", `{${model}}`)).toBe(1);
  expect(grown("troupe_model_time_to_first_token_seconds_count", `{${model}}`)).toBe(1);
  expect(grown("troupe_model_tokens_total", `{${model},kind="input"}`)).toBe(10);
  expect(grown("troupe_model_tokens_total", `{${model},kind="output"}`)).toBe(2);
  expect(grown("troupe_flush_duration_seconds_count")).toBeGreaterThan(1);
  expect(grown("troupe_flush_size_bytes_sum")).toBeGreaterThan(500);
  expect(grown("troupe_commit_latency_seconds_sum")).toBeGreaterThan(0);
});

test("a request is timed, unless its response may take as long as a run", async () => {
  const grown = await growthDuring(async () => {
    await start("hi");
    await client.get("/agents");
  });
  expect(grown("troupe_http_request_duration_seconds_count", '{method="GET",route="/agents"}')).toBe(1);
  expect(grown("troupe_http_request_duration_seconds_count", '{method="POST",route="/agents/{agent_id}/runs"}')).toBe(
    0,
  );
});

test("tool calls count by outcome, and a failed run counts as an error", async () => {
  const grown = await growthDuring(async () => {
    await start("item screws");
    await start("item broken");
    await start("explode");
  });
  expect(grown("troupe_tool_calls_total", '{tool="stock",outcome="ok"}')).toBe(1);
  expect(grown("troupe_tool_calls_total", '{tool="stock",outcome="error"}')).toBe(1);
  expect(grown("troupe_runs_ended_total", '{kind="agent",component="clerk",status="error"}')).toBe(1);
  expect(grown("troupe_model_requests_total", '{model="scripted-model",provider="Scripted",outcome="error"}')).toBe(1);
});

test("a repeated model request counts as a retry, and as a request of its own", async () => {
  isOverloaded = true;
  const grown = await growthDuring(() => start("hi"));
  const model = 'model="scripted-model",provider="Scripted"';
  expect(grown("troupe_model_retries_total", `{${model}}`)).toBe(1);
  expect(grown("troupe_model_requests_total", `{${model},outcome="error"}`)).toBe(1);
  expect(grown("troupe_model_requests_total", `{${model},outcome="ok"}`)).toBe(1);
});

test("the live gauge counts a run while it executes, and the follower gauge its open stream", async () => {
  const stream = await client.stream("/agents/clerk/runs", { message: "slow" });
  const live = 'troupe_live_runs{kind="agent",component="clerk"}';
  const gauges = async (): Promise<unknown> => {
    const series = await scrape(server);
    return [series.get(live), series.get("troupe_followers")];
  };
  await expect.poll(gauges).toEqual([1, 1]);
  expect((await scrape(server)).get("troupe_ring_bytes")).toBeGreaterThan(100);
  slowAnswers.open();
  await stream.all();
  await expect.poll(gauges).toEqual([0, 0]);
});

test("10,000 requests with other routes, methods, ids and tools add at most one series of each kind", async () => {
  const odd = (number: number): Promise<unknown> => {
    const id = `x${number}`;
    const kinds = [
      () => client.get(`/nothing/${id}?token=${id}`),
      () => client.get(`/agents/${id}`),
      () => client.get(`/agents/clerk/runs/${id}`, { "x-request-id": id }),
      () => client.get(`/sessions/${id}?user_id=${id}`),
      () => client.send(`/agents/${id}/runs`, { method: "PURGE" }),
    ];
    return kinds[number % kinds.length]?.() as Promise<unknown>;
  };
  const many = async (from: number, to: number): Promise<void> => {
    for (let first = from; first < to; first += 50)
      await Promise.all(Array.from({ length: 50 }, (_, place) => odd(first + place)));
  };
  await many(0, 50);
  await start("odd tool 1");
  const known = namesOf(await scrape(server));
  await many(50, 10_050);
  for (let number = 2; number < 20; number++) await start(`odd tool ${number}`);
  const after = await scrape(server);
  expect(namesOf(after)).toEqual(known);
  const lost = [...after.keys()].filter((name) => /"x\d+|odd/.test(name));
  expect(lost).toEqual([]);
});

function namesOf(series: Series): readonly string[] {
  return [...series.keys()].filter((name) => name.startsWith("troupe_")).sort();
}

test("the model of a factory's component is not known before, so it counts as other", async () => {
  const made = agentFactory({
    id: "maker",
    build: () => defineAgent({ id: "made", model: scriptedModel(["hi"], { modelId: "any-model" }) }),
  });
  const { path, remove } = await createDataDir();
  const other = await createServer(definePlatform({ id: "f", agents: [made] }), {
    ...{ dataDir: path, port: 0, metricsPort: 0, logLevel: "silent", environment: {} },
  });
  await new Client(await other.listen()).post("/agents/maker/runs", { message: "hi", stream: "false" });
  const series = await scrape(other);
  expect(series.get('troupe_model_requests_total{model="other",provider="other",outcome="ok"}')).toBe(1);
  expect(series.get('troupe_runs_ended_total{kind="agent",component="maker",status="completed"}')).toBe(1);
  await other.close({ shutdownTimeout: 0 });
  await remove();
});

test("the listener serves GET /metrics only, and only under a loopback name", async () => {
  const url = server.metricsUrl ?? "";
  const listener = new Client(new URL(url).origin);
  const { status, headers, text } = await listener.get("/metrics");
  expect([status, headers["content-type"]]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
  expect(seriesOf(text).get("process_cpu_seconds_total")).toBeGreaterThan(0);
  expect((await listener.get("/")).status).toBe(404);
  expect((await listener.get("/agents")).status).toBe(404);
  expect((await listener.send("/metrics", { method: "POST" })).status).toBe(405);
  expect((await listener.get("/metrics", { host: "evil.example" })).status).toBe(403);
});

test("without a metrics port there are no metrics, and GET /metrics is no route of the listener", async () => {
  const { path, remove } = await createDataDir();
  const plain = await createServer(platform, { dataDir: path, port: 0, logLevel: "silent", environment: {} });
  await plain.listen();
  expect(plain.metricsUrl).toBeUndefined();
  await plain.close({ shutdownTimeout: 0 });
  await remove();
});

test("a metrics port in use throws a ConfigurationError that names the option", async () => {
  const { path, remove } = await createDataDir();
  const taken = createTcpServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  const { port } = taken.address() as { port: number };
  const late = await createServer(platform, { dataDir: path, port: 0, metricsPort: port, logLevel: "silent" });
  const listening = late.listen();
  await expect(listening).rejects.toThrow(ConfigurationError);
  await expect(listening).rejects.toThrow(
    `127.0.0.1:${port} is in use: end what listens there, or choose another port (--metrics-port)`,
  );
  await late.close({ shutdownTimeout: 0 });
  taken.close();
  await remove();
});

test("components without code have their ids as labels, up to a bound, and their gauges return to 0", async () => {
  const metrics = createMetrics(definePlatform({ id: "run-time" }));
  const { measurements } = metrics;
  const run = (place: number) => ({ kind: "agent", componentId: `made-${place}` }) as const;
  const places = Array.from({ length: maxNamedComponents + 2 }, (_, place) => place);
  for (const place of places) {
    measurements.runStarted(run(place));
    measurements.runOpened(run(place));
  }
  const named = (component: string): string => `{kind="agent",component="${component}"}`;
  const series = seriesOf(await metrics.scrape());
  expect(series.get(`troupe_runs_started_total${named("made-0")}`)).toBe(1);
  expect(series.get(`troupe_runs_started_total${named(`made-${maxNamedComponents - 1}`)}`)).toBe(1);
  expect(series.get(`troupe_runs_started_total${named(`made-${maxNamedComponents}`)}`)).toBeUndefined();
  expect(series.get(`troupe_live_runs${named("other")}`)).toBe(2);
  for (const place of places) measurements.runClosed(run(place), "COMPLETED");
  const live = [...seriesOf(await metrics.scrape())].filter(([name]) => name.startsWith("troupe_live_runs"));
  expect(new Set(live.map(([, value]) => value))).toEqual(new Set([0]));
});
