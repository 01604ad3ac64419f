/** Rate limits per caller: requests per second and starts per minute, on every surface. */
import { expect, onTestFinished, test } from "vitest";
import type { Settings } from "../../src/model/settings.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { SocketClient } from "../support/socket-client.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { postJson, request } from "./support/a2a.ts";
import type { Answer, Client } from "./support/client.ts";
import { conformancePlatform } from "./support/platform.ts";
import { startServer } from "./support/server.ts";

const pair = makePair();
const scopes = ["agents:run", "agents:read", "workflows:run", "a2a:run"];
const alice = bearer(token({ sub: "alice", scopes }, pair));
const bob = bearer(token({ sub: "bob", scopes }, pair));
const runs = "/agents/plain-agent/runs";

async function serve(database: TestDatabase, settings: Partial<Settings>): Promise<Client> {
  const platform = conformancePlatform();
  const authorization = { verificationKeys: [pair.pem] };
  const { server, client } = await startServer(database, {
    ...platform,
    authorization,
    settings: { ...platform.settings, ...settings },
  });
  onTestFinished(() => server.close({ shutdownTimeout: 0 }));
  return client;
}

const start = (client: Client, caller = alice): Promise<Answer> =>
  client.post(runs, { message: "hi", stream: "false" }, caller);

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);

eachDatabase("rate limits", (openDatabase, kind) => {
  test("without the settings, answers have no RateLimit header", async () => {
    const client = await serve(await openDatabase(), {});
    const { headers } = await client.get("/agents", alice);
    expect(Object.keys(headers).filter((name) => name.startsWith("ratelimit"))).toEqual([]);
  });

  test("requests beyond maxRequestsPerSecond get 429 with the headers, and other callers are admitted", async () => {
    const client = await serve(await openDatabase(), { maxRequestsPerSecond: 3 });
    const answers = await Promise.all(Array.from({ length: 12 }, () => client.get("/agents", alice)));
    const rejected = answers.filter(({ status }) => status === 429);
    const admitted = answers.filter(({ status }) => status === 200);
    expect(admitted.length + rejected.length).toBe(12);
    expect(admitted.length).toBeGreaterThanOrEqual(3);
    expect(rejected.length).toBeGreaterThan(0);
    const lowest = Math.min(...admitted.map(({ headers }) => Number(headers["ratelimit-remaining"])));
    expect(lowest).toBe(0);
    const { headers, json } = rejected[0]!;
    expect(headers).toMatchObject({
      "ratelimit-limit": "3",
      "ratelimit-remaining": "0",
      "ratelimit-reset": "1",
      "ratelimit-policy": "3;w=1",
      "retry-after": "1",
    });
    expect(json).toEqual({
      detail: "Too many requests: at most 3 in 1 s. Retry after 1 s.",
      error_code: "TOO_MANY_REQUESTS",
    });
    expect((await client.get("/agents", bob)).status).toBe(200);
  });

  test("health checks are not counted, unknown paths are", async () => {
    const client = await serve(await openDatabase(), { maxRequestsPerSecond: 0.01 });
    const health = await Promise.all(Array.from({ length: 5 }, () => client.get("/health")));
    expect(statuses(health)).toEqual([200, 200, 200, 200, 200]);
    expect(health[0]!.headers["ratelimit-limit"]).toBeUndefined();
    expect((await client.get("/unknown", alice)).status).toBe(404);
    const { status, headers } = await client.get("/unknown", alice);
    expect([status, headers["ratelimit-policy"]]).toEqual([429, "1;w=100"]);
    expect(Number(headers["retry-after"])).toBeGreaterThan(90);
  });

  test("starts beyond maxRunsPerMinute get 429 and start nothing", async () => {
    const client = await serve(await openDatabase(), { maxRunsPerMinute: 2 });
    const session = { message: "hi", session_id: "limited", stream: "false" };
    const first = await client.post(runs, session, alice);
    expect(first.headers).toMatchObject({
      "ratelimit-limit": "2",
      "ratelimit-remaining": "1",
      "ratelimit-policy": "2;w=60",
    });
    const others = [await client.post(runs, session, alice), await client.post(runs, session, alice)];
    expect(statuses([first, ...others])).toEqual([200, 200, 429]);
    expect(Number(others[1]!.headers["retry-after"])).toBeGreaterThan(20);
    const listed = await client.get(`${runs}?session_id=limited`, alice);
    expect(listed.json).toHaveLength(2);
    expect((await start(client, bob)).status).toBe(200);
  });

  test("A2A and the web socket share the limit of starts", async () => {
    const client = await serve(await openDatabase(), { maxRunsPerMinute: 2 });
    expect((await start(client)).status).toBe(200);
    const send = () => postJson(client, "/a2a/agents/plain-agent/v1/message:send", request("hi"), alice);
    expect(statuses([await send(), await send()])).toEqual([200, 429]);
    const socket = await SocketClient.open(client.base);
    onTestFinished(() => socket.close());
    await socket.event("connected");
    socket.send({ action: "authenticate", token: token({ sub: "alice", scopes }, pair) });
    await socket.event("authenticated");
    socket.send({ action: "start-workflow", workflow_id: "simple-flow", message: "hi" });
    expect(JSON.stringify(await socket.event("error"))).toContain("Too many starts: at most 2 in 60 s.");
  });

  test("actions on a web socket count as requests", async () => {
    const client = await serve(await openDatabase(), { maxRequestsPerSecond: 0.01 });
    const socket = await SocketClient.open(client.base);
    onTestFinished(() => socket.close());
    await socket.event("connected");
    socket.send({ action: "authenticate", token: token({ sub: "alice", scopes }, pair) });
    await socket.event("authenticated");
    socket.send({ action: "ping" });
    await socket.event("pong");
    socket.send({ action: "ping" });
    expect(JSON.stringify(await socket.event("error"))).toContain("Too many requests: at most 1 in 100 s.");
  });

  test.runIf(kind === "postgres")("replicas share the limit of starts", async () => {
    const database = await openDatabase();
    const replicas = [await serve(database, { maxRunsPerMinute: 3 }), await serve(database, { maxRunsPerMinute: 3 })];
    const answers = await Promise.all(Array.from({ length: 10 }, (_, place) => start(replicas[place % 2]!)));
    expect(statuses(answers).sort()).toEqual([200, 200, 200, 429, 429, 429, 429, 429, 429, 429]);
  });
});
