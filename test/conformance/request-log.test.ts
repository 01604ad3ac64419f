/** The log entries of requests: one per finished request, with its ids, and never with a secret. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { defineAgent, definePlatform, type Server } from "../../src/index.ts";
import { jsonLog } from "../../src/platform/runtime.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { createDataDir } from "../support/databases.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import type { Client } from "./support/client.ts";
import { startServer } from "./support/server.ts";

interface Entry {
  readonly msg: string;
  readonly level: number;
  readonly requestId?: string;
  readonly [field: string]: unknown;
}

const pair = makePair();
const lines: string[] = [];
const clerk = defineAgent({
  id: "clerk",
  model: scriptedModel(({ message }) => {
    if (message.includes("explode")) return { error: { message: `bad key sk-${"q".repeat(30)}`, status: 400 } };
    return {
      text: "an answer ".repeat(20),
      delay: message.includes("slow") ? 50 : 0,
      wait: message === "idle" ? 900 : 0,
    };
  }),
});

let server: Server;
let client: Client;
let removeFolder: () => Promise<void>;

beforeAll(async () => {
  const { path, remove } = await createDataDir();
  removeFolder = remove;
  const platform = definePlatform({
    id: "logged",
    agents: [clerk],
    settings: { heartbeatInterval: 200 },
    authorization: { verificationKeys: [pair.pem], userIsolation: true },
  });
  const log = jsonLog("debug", { write: (line) => void lines.push(line) });
  ({ server, client } = await startServer({ kind: "sqlite", dataDir: path }, platform, { log }));
});

afterAll(async () => {
  await server.close({ shutdownTimeout: 0 });
  await removeFolder();
});

const ann = (): Record<string, string> =>
  bearer(token({ sub: "ann", scopes: ["agents:read", "agents:run", "sessions:read"] }, pair));

/** Waits for the entry of a request. */
async function entryOf(requestId: string): Promise<Entry> {
  const find = (): Entry | undefined =>
    lines
      .map((line) => JSON.parse(line) as Entry)
      .find((entry) => entry.requestId === requestId && entry.msg === "A request finished.");
  await expect.poll(find).toBeDefined();
  return find() as Entry;
}

async function sessionOf(id: string): Promise<Record<string, string>> {
  return { message: "hi", session_id: id, stream: "false" };
}

test("a finished run's request has one entry with its ids, route, status and duration", async () => {
  const id = randomUUID();
  const fields = await sessionOf("s-1");
  const { headers, json } = await client.post("/agents/clerk/runs", fields, { ...ann(), "x-request-id": id });
  expect(headers["x-request-id"]).toBe(id);
  const { time: _, pid: __, hostname: ___, milliseconds, ...entry } = await entryOf(id);
  expect(entry).toEqual({
    level: 30,
    requestId: id,
    method: "POST",
    route: "/agents/{agent_id}/runs",
    status: 200,
    userId: "ann",
    runId: json.run_id,
    sessionId: "s-1",
    traceId: json.run_id.replaceAll("-", ""),
    msg: "A request finished.",
  });
  expect(milliseconds).toBeGreaterThan(0);
  expect(lines.filter((line) => line.includes(id))).toHaveLength(1);
});

test("the entry of a start has the caller's trace id", async () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const traced = { ...ann(), traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  const { headers } = await client.post("/agents/clerk/runs", await sessionOf("s-3"), traced);
  expect(await entryOf(String(headers["x-request-id"]))).toMatchObject({ traceId });
});

test("a request without a sane id gets one, which the response and the entry have", async () => {
  const { headers } = await client.get("/agents", { ...ann(), "x-request-id": "two words" });
  const id = String(headers["x-request-id"]);
  expect(id).toMatch(/^[\da-f-]{36}$/);
  expect(await entryOf(id)).toMatchObject({ route: "/agents", status: 200, userId: "ann" });
});

test("reads and resumes of a run have its id; a run that is not found is not named", async () => {
  const fields = await sessionOf("s-2");
  const { json } = await client.post("/agents/clerk/runs", fields, ann());
  const run = `/agents/clerk/runs/${json.run_id}`;
  const read = await client.get(`${run}?session_id=s-2`, ann());
  expect(await entryOf(String(read.headers["x-request-id"]))).toMatchObject({ runId: json.run_id, sessionId: "s-2" });
  const resumed = await client.post(`${run}/resume`, { session_id: "s-2" }, ann());
  expect(await entryOf(String(resumed.headers["x-request-id"]))).toMatchObject({ runId: json.run_id });
  const missing = await client.get(`/agents/clerk/runs/${randomUUID()}?session_id=s-2`, ann());
  const entry = await entryOf(String(missing.headers["x-request-id"]));
  expect(entry.status).toBe(404);
  expect(entry).not.toHaveProperty("runId");
});

test("a client that leaves its stream is noted", async () => {
  const id = randomUUID();
  const fields = { message: "slow", session_id: "s-3" };
  const stream = await client.stream("/agents/clerk/runs", fields, { ...ann(), "x-request-id": id });
  await stream.untilEvents(2);
  stream.cut();
  expect(await entryOf(id)).toMatchObject({ status: 200, clientLeft: true });
});

test("a stream that was idle, so that its connection left the HTTP server, is logged at its end", async () => {
  const [ended, cut] = [randomUUID(), randomUUID()];
  const open = (id: string, message: string) =>
    client.stream("/agents/clerk/runs", { message, session_id: id }, { ...ann(), "x-request-id": id });
  const [first, second] = await Promise.all([open(ended, "idle"), open(cut, "idle")]);
  // Two heartbeats pass.
  await Promise.all([first, second].map((stream) => stream.until(() => stream.text.includes(": heartbeat"))));
  second.cut();
  await first.all();
  expect(await entryOf(ended)).toMatchObject({ status: 200, sessionId: ended });
  expect(await entryOf(ended)).not.toHaveProperty("clientLeft");
  expect(await entryOf(cut)).toMatchObject({ status: 200, clientLeft: true });
});

test("an injected request has the same entry as a request on a socket", async () => {
  const id = randomUUID();
  await server.inject({ method: "GET", url: "/nothing", headers: { ...ann(), "x-request-id": id } });
  const entry = await entryOf(id);
  expect(entry.status).toBe(404);
  expect(entry).not.toHaveProperty("clientLeft");
});

test("health checks have entries of the level debug", async () => {
  for (const path of ["/health", "/health/live", "/health/ready"]) {
    const { headers } = await client.get(path);
    expect(await entryOf(String(headers["x-request-id"]))).toMatchObject({ level: 20, route: path });
  }
});

test("a rejected request has its status, without a route for an unknown path", async () => {
  const refused = await client.get("/agents");
  expect(await entryOf(String(refused.headers["x-request-id"]))).toMatchObject({ route: "/agents", status: 401 });
  const unknown = await client.get("/nothing", ann());
  const entry = await entryOf(String(unknown.headers["x-request-id"]));
  expect(entry.status).toBe(404);
  expect(entry).not.toHaveProperty("route");
});

test("no secret of a request appears in the log, wherever it stands", async () => {
  const secret = `hush${randomUUID().replaceAll("-", "")}`;
  const wrong = { authorization: `Bearer ${secret}` };
  const asAnn = { ...ann(), cookie: `access_token=${secret}`, "x-api-key": secret, referer: `http://x/?t=${secret}` };
  const form = { message: `my password is ${secret}`, session_id: "s-4", stream: "false" };
  const dependencies = JSON.stringify({ key: secret });
  const requests: Promise<unknown>[] = [
    client.get("/agents", wrong),
    client.get(`/agents?token=${secret}&api_key=${secret}`, asAnn),
    client.get(`/${secret}`, asAnn),
    client.get(`/agents/${secret}`, asAnn),
    client.get(`/agents/clerk/runs/${secret}?session_id=${secret}`, asAnn),
    client.get(`/sessions/${secret}`, asAnn),
    client.get(`/%zz${secret}`, asAnn),
    client.send(`/agents/${secret}`, { method: "PURGE", headers: asAnn }),
    client.post("/agents/clerk/runs", form, asAnn),
    client.post("/agents/clerk/runs", { ...form, dependencies, metadata: dependencies }, asAnn),
    client.post("/agents/clerk/runs", { ...form, message: `explode ${secret}` }, asAnn),
    client.post("/agents/clerk/runs", { ...form, [secret]: secret, stream: secret }, asAnn),
    client.post("/agents/clerk/runs", form, { ...asAnn, "idempotency-key": secret }),
    client.post(`/agents/clerk/runs/${secret}/resume`, { session_id: secret, last_event_index: secret }, asAnn),
    client.send("/agents/clerk/runs", { method: "POST", headers: { ...asAnn, "content-type": secret }, body: secret }),
    client.send("/sessions", {
      method: "POST",
      headers: { ...asAnn, "content-type": "application/json" },
      body: `{"session_name": "${secret}`,
    }),
    client.get("/agents", { ...asAnn, "x-request-id": `${secret} ${secret}` }),
    client.get("/agents", { host: `${secret}.example`, ...asAnn }),
  ];
  const settled = await Promise.allSettled(requests);
  expect(settled.filter(({ status }) => status === "rejected")).toEqual([]);
  await entryOf(String((await client.get("/agents", ann())).headers["x-request-id"]));
  const { authorization } = ann();
  const whole = lines.join("");
  expect(whole.match(/A request finished/g)?.length).toBeGreaterThan(requests.length);
  for (const hidden of [secret, authorization?.split(".")[2] ?? "", "q".repeat(30)])
    expect(whole).not.toContain(hidden);
});
