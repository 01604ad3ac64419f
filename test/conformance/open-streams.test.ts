/** The limit on open streams of one caller. */
import { randomUUID } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { definePlatform } from "../../src/define/platform.ts";
import { createServer, type Server } from "../../src/platform/server.ts";
import { eachDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { SocketClient } from "../support/socket-client.ts";
import { type EventStream, StreamClient } from "../support/stream-client.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { conformancePlatform } from "./support/platform.ts";
import { databaseOptions } from "./support/server.ts";

const pair = makePair();
const runs = "/agents/plain-agent/runs";
const scopes = ["agents:read", "agents:run", "workflows:run", "schedules:write"];
const tokenOf = (sub: string) => token({ sub, scopes }, pair);
const as = (sub: string) => bearer(tokenOf(sub));

eachDatabase("the streams of one caller", (openDatabase) => {
  let server: Server;
  let client: StreamClient;

  beforeAll(async () => {
    const { agents, workflows } = conformancePlatform();
    const own = { authorization: { verificationKeys: [pair.pem] }, settings: { maxStreamsPerCaller: 2 } };
    const platform = definePlatform({ id: "streams", agents, workflows, ...own });
    const place = { ...databaseOptions(await openDatabase()), port: 0, logLevel: "silent", environment: {} };
    server = await createServer(platform, { ...place });
    client = new StreamClient(await server.listen());
  });
  afterAll(() => server.close({ shutdownTimeout: 0 }));

  const start = (user: string, message = "endless") =>
    client.stream(runs, { message, session_id: randomUUID(), stream: true }, as(user));

  test("return 429 beyond maxStreamsPerCaller, while other callers and requests without a stream are served", async () => {
    const open: EventStream[] = [await start("ada"), await start("ada")];
    expect(open.map(({ status }) => status)).toEqual([200, 200]);
    const [first, second] = open;
    const refused = await client.post(runs, { message: "hello", session_id: "no" }, as("ada"));
    expect(refused).toMatchObject({
      status: 429,
      headers: { "retry-after": "5" },
      body: { error_code: "TOO_MANY_REQUESTS", detail: expect.stringContaining("2 streams of this caller are open") },
    });
    // The rejected start created no session.
    const listed = await fetch(new URL(`${runs}?session_id=no`, client.address), { headers: as("ada") });
    expect(listed.status).toBe(404);
    const again = await client.post(`${runs}/${first!.runId}/resume`, { session_id: "s" }, as("ada"));
    expect(again.status).toBe(429);
    const message = { kind: "message", role: "user", messageId: "m", parts: [{ kind: "text", text: "hello" }] };
    const sent = await fetch(new URL("/a2a/agents/plain-agent", client.address), {
      method: "POST",
      headers: { ...as("ada"), "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/stream", params: { message } }),
    });
    expect([sent.status, await sent.text()]).toEqual([429, expect.stringContaining("streams of this caller are open")]);
    const other = await start("bob");
    expect(other.status).toBe(200);
    const cancelled = await client.post(`${runs}/${first!.runId}/cancel`, {}, as("ada"));
    expect(cancelled.status).toBe(200);
    await first!.closed;
    // Completed and disconnected streams no longer count.
    second!.cut();
    await eventually(async () => expect((await client.post(runs, { message: "hello" }, as("ada"))).status).toBe(200));
    for (const [user, { runId }] of [["ada", second!] as const, ["bob", other] as const])
      await client.post(`${runs}/${runId}/cancel`, {}, as(user));
    await other.closed;
  });

  test("count before they begin: of eight concurrent starts, only maxStreamsPerCaller are accepted", async () => {
    const streams = await Promise.all(Array.from({ length: 8 }, () => start("eve")));
    expect(streams.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429, 429, 429, 429, 429]);
    for (const { status, runId } of streams)
      if (status === 200) await client.post(`${runs}/${runId}/cancel`, {}, as("eve"));
    await Promise.all(streams.map(({ closed }) => closed));
  });

  test("include runs that the caller follows on a web socket", async () => {
    const overHttp = await start("sam");
    const socket = await SocketClient.open(client.address);
    await socket.event("connected");
    socket.send({ action: "authenticate", token: tokenOf("sam") });
    await socket.event("authenticated");
    const flow = { action: "start-workflow", workflow_id: "simple-flow", message: "endless", session_id: randomUUID() };
    socket.send(flow);
    const { run_id: runId } = await socket.event("WorkflowStarted");
    socket.send({ ...flow, session_id: "no" });
    const { error } = await socket.event("error");
    expect(error).toMatch(/^2 streams of this caller are open at this process/);
    expect((await client.post(runs, { message: "hello" }, as("sam"))).status).toBe(429);
    // Ended runs and rejected starts no longer count.
    await client.post(`/workflows/simple-flow/runs/${runId}/cancel`, {}, as("sam"));
    await socket.event("WorkflowCancelled");
    const isRoom = async () => expect((await client.post(runs, { message: "hello" }, as("sam"))).status).toBe(200);
    await eventually(isRoom);
    for (let time = 0; time < 3; time++) socket.send({ ...flow, workflow_id: "nope" });
    await socket.until((messages) => messages.filter(({ error }) => error === "Workflow nope not found").length === 3);
    await isRoom();
    socket.send({ ...flow, session_id: randomUUID() });
    await socket.until((messages) => messages.filter(({ event }) => event === "WorkflowStarted").length === 2);
    expect((await client.post(runs, { message: "hello" }, as("sam"))).status).toBe(429);
    socket.close();
    await eventually(isRoom);
    await client.post(`${runs}/${overHttp.runId}/cancel`, {}, as("sam"));
    await overHttp.closed;
  });

  /** Requests that wait for a run, on each interface; each starts a run without an end. */
  const waiting: Readonly<
    Record<string, (json: (path: string, body: object) => Promise<Response>) => Promise<Response>>
  > = {
    "stream=false": () =>
      fetch(new URL(runs, client.address), {
        ...{ method: "POST", headers: as("will") },
        body: new URLSearchParams({ message: "endless", stream: "false" }),
      }),
    "a call of JSON-RPC": (json) => json("/a2a/agents/plain-agent", { ...call, method: "message/send" }),
    "A2A over plain HTTP": (json) =>
      json("/a2a/agents/plain-agent/rest/message:send", {
        message: { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text: "endless" }] },
      }),
    "the platform's own A2A": (json) =>
      json("/a2a/agents/plain-agent/v1/message:send", { ...call, method: "message/send" }),
    "the deprecated path": (json) => json("/a2a/message/send", { ...call, method: "message/send" }),
    "a trigger": async (json) => await json(`/schedules/${await schedule()}/trigger`, {}),
  };
  const call = {
    ...{ jsonrpc: "2.0", id: "1" },
    params: {
      message: {
        ...{ kind: "message", role: "user", messageId: "m", agentId: "plain-agent" },
        parts: [{ kind: "text", text: "endless" }],
      },
    },
  };
  const asWill = () => ({ ...as("will"), "content-type": "application/json" });
  let scheduled: Promise<string> | undefined;
  const schedule = (): Promise<string> =>
    (scheduled ??= fetch(new URL("/schedules", client.address), {
      ...{ method: "POST", headers: asWill() },
      body: JSON.stringify({
        ...{ name: "yearly", cron_expr: "0 0 1 1 *", endpoint: runs, payload: { message: "endless" } },
      }),
    }).then(async (made) => ((await made.json()) as { id: string }).id));

  test.each(Object.keys(waiting))("include requests that wait for a run: %s", async (name) => {
    const json = (path: string, body: object) =>
      fetch(new URL(path, client.address), { method: "POST", headers: asWill(), body: JSON.stringify(body) });
    const answered: { status: number; retryAfter: string | null; text: string }[] = [];
    const sent = Array.from({ length: 4 }, async () => {
      const answer = await waiting[name]!(json);
      answered.push({
        ...{ status: answer.status, retryAfter: answer.headers.get("retry-after"), text: await answer.text() },
      });
    });
    await eventually(() => expect(answered).toHaveLength(2));
    const refused = {
      status: 429,
      retryAfter: "5",
      text: expect.stringContaining("2 streams of this caller are open"),
    };
    expect(answered).toEqual([refused, refused]);
    const working = await eventually(async () => {
      const listed = await fetch(new URL(`${runs}?status=RUNNING&user_id=will`, client.address), {
        headers: as("will"),
      });
      const found = (await listed.json()) as { run_id: string }[];
      expect(found).toHaveLength(2);
      return found;
    });
    for (const { run_id } of working) await client.post(`${runs}/${run_id}/cancel`, {}, as("will"));
    await Promise.all(sent);
    expect(answered.slice(2).map(({ status }) => status)).toEqual([200, 200]);
  });

  test("exclude requests whose clients disconnect before authentication completes", async () => {
    const provider = await slowProvider();
    const { agents } = conformancePlatform();
    const issuers = [{ issuer: provider.url, jwksUrl: provider.url, audience: "api" }];
    const settings = { maxStreamsPerCaller: 2 };
    const platform = definePlatform({ id: "patient", agents, authorization: { issuers }, settings });
    const place = { ...databaseOptions(await openDatabase()), port: 0, logLevel: "silent", environment: {} };
    const patient = await createServer(platform, place);
    onTestFinished(() => patient.close({ shutdownTimeout: 0 }));
    const own = new StreamClient(await patient.listen());
    const claims = { sub: "ada", iss: provider.url, aud: "api", scopes: ["agents:read", "agents:run"] };
    const headers = bearer(token(claims, pair));
    await Promise.all([leftEarly(own.address, headers), leftEarly(own.address, headers)]);
    provider.answer();
    // A request after them is authenticated, so they have been authenticated, too.
    expect((await fetch(new URL("/agents", own.address), { headers })).status).toBe(200);
    expect((await own.post(runs, { message: "hello", stream: false }, headers)).status).toBe(200);
    expect((await (await fetch(new URL(runs, own.address), { headers })).json()) as unknown[]).toHaveLength(1);
  });
});

/** An identity provider that responds only after `answer` is called. */
async function slowProvider(): Promise<{ readonly url: string; answer(): void }> {
  const answered = Promise.withResolvers<void>();
  const server = createHttpServer((_, response) => {
    void answered.promise.then(() => response.end(JSON.stringify({ keys: [pair.jwk] })));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, answer: answered.resolve };
}

const serverRequests = "http.server.request.start";

/** Sends a start and disconnects; resolves once the server has noticed. */
async function leftEarly({ hostname, port }: URL, headers: Readonly<Record<string, string>>): Promise<void> {
  const agent = `early-${randomUUID()}`;
  const closed = Promise.withResolvers<void>();
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  const see = (seen: unknown): void => {
    const { request, response } = seen as { request: IncomingMessage; response: ServerResponse };
    if (request.headers["user-agent"] !== agent) return;
    unsubscribe(serverRequests, see);
    response.once("close", closed.resolve);
    socket.resetAndDestroy();
  };
  subscribe(serverRequests, see);
  const lines = Object.entries({ host: "localhost", "user-agent": agent, "content-length": "10", ...headers });
  const type = "content-type: application/x-www-form-urlencoded";
  const head = [`POST ${runs} HTTP/1.1`, type, ...lines.map(([name, value]) => `${name}: ${value}`)];
  socket.write(`${head.join("\r\n")}\r\n\r\nmessage=hi`);
  await closed.promise;
}
