/** `server.handler` and `server.fetch`: start, idle streams, slow readers, aborts, addresses, and closing. */
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createServer, defineAgent, definePlatform, type ServerOptions } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { makePair, token } from "../support/tokens.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const slow = (count: number, delay: number) => ({ text: Array.from({ length: count }, () => "on "), delay });
const big = { text: Array.from({ length: 400 }, () => "x".repeat(10_000)) };

async function open(options: ServerOptions = {}, settings: Record<string, number> = {}, more = {}) {
  const agent = defineAgent({
    id: "clerk",
    name: "Clerk",
    model: scriptedModel(({ message }) =>
      message === "slow"
        ? slow(200, 20)
        : message === "big"
          ? big
          : message === "wait"
            ? { wait: 3_000, text: "late" }
            : "Hello",
    ),
  });
  const platform = definePlatform({ id: "test", agents: [agent], settings, ...more });
  const server = await createServer(platform, { dataDir: ":memory:", logLevel: "silent", ...options });
  ends.push(() => server.close({ shutdownTimeout: 0 }));
  return server;
}

const start = (message: string, path = "/agents/clerk/runs", signal?: AbortSignal): Request =>
  new Request(`http://localhost:3000${path}`, {
    method: "POST",
    body: new URLSearchParams({ message, stream: "true" }),
    ...(signal && { signal }),
  });
const local = { address: "127.0.0.1" };

test("fetch serves a run as a stream, and the base path may be there or not", async () => {
  const server = await open({ basePath: "/api/troupe" });
  for (const path of ["/api/troupe/agents/clerk/runs", "/agents/clerk/runs"]) {
    const answer = await server.fetch(start("hi", path), local);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
    expect(await answer.text()).toContain("event: RunCompleted");
  }
  expect((await server.fetch(new Request("http://localhost/api/troupely/agents"), local)).status).toBe(404);
});

test("an aborted request and a cancelled body stop no run", async () => {
  const server = await open();
  const gone = new AbortController();
  const aborted = await server.fetch(start("slow", undefined, gone.signal), local);
  const cancelled = await server.fetch(start("slow"), local);
  gone.abort();
  await expect(aborted.text()).rejects.toThrow();
  await cancelled.body?.cancel();
  for (const { headers } of [aborted, cancelled]) {
    const run = () => server.inject({ method: "GET", url: `/v1/responses/resp_${headers.get("x-run-id")}` });
    await expect
      .poll(async () => (await run()).json<{ status: string }>().status, { timeout: 30_000 })
      .toBe("completed");
  }
  await expect(server.fetch(start("hi", undefined, AbortSignal.abort()), local)).rejects.toThrow();
});

test("a reader that stops makes the writer wait, and gets everything later", async () => {
  const server = await open();
  const answer = await server.fetch(start("big"), local);
  const runId = answer.headers.get("x-run-id");
  const run = () => server.inject({ method: "GET", url: `/v1/responses/resp_${runId}` });
  await expect.poll(async () => (await run()).json<{ status: string }>().status, { timeout: 30_000 }).toBe("completed");
  const text = await answer.text();
  expect(text.length).toBeGreaterThan(4_000_000);
  expect(text).toContain("event: RunCompleted");
});

test("a body that breaks off is rejected, and starts nothing", async () => {
  const server = await open();
  const body = new ReadableStream({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode("message=hi"));
      controller.error(new Error("gone"));
    },
  });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const request = new Request("http://localhost/agents/clerk/runs", {
    method: "POST",
    body,
    headers,
    duplex: "half",
  } as RequestInit);
  const answer = await server.fetch(request, local).catch(() => undefined);
  expect(answer?.status ?? 400).toBeGreaterThanOrEqual(400);
  expect((await server.inject({ method: "GET", url: "/agents/clerk/runs" })).json()).toEqual([]);
});

test("without authorization, only clients of this machine are served", async () => {
  const server = await open();
  const ask = (url: string, address?: string) => server.fetch(new Request(url), { address });
  expect((await ask("http://localhost/agents", "127.0.0.1")).status).toBe(200);
  expect((await ask("http://localhost/agents", "::ffff:127.0.0.1")).status).toBe(200);
  expect((await ask("http://localhost/agents", "192.0.2.1")).status).toBe(403);
  expect((await ask("http://localhost/agents")).status).toBe(403);
  expect((await ask("http://app.example/agents", "127.0.0.1")).status).toBe(403);
  const open_ = await open({ allowAnonymous: true });
  expect((await open_.fetch(new Request("http://app.example/agents"))).status).toBe(200);
  const pair = makePair();
  const closed = await open({}, {}, { authorization: { verificationKeys: [pair.pem] } });
  const headers = { authorization: `Bearer ${token({ sub: "ada", scopes: ["agents:read"] }, pair)}` };
  expect((await closed.fetch(new Request("http://app.example/agents"))).status).toBe(401);
  expect((await closed.fetch(new Request("http://app.example/agents", { headers }))).status).toBe(200);
});

async function listening(server: Awaited<ReturnType<typeof open>>, before?: (request: object) => Promise<void>) {
  const http = createHttpServer(async (request, response) => {
    await before?.(request);
    server.handler(request, response);
  });
  await new Promise<void>((done) => http.listen(0, "127.0.0.1", done));
  ends.push(async () => {
    http.closeAllConnections();
    http.close();
  });
  return { http, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` };
}

test("an idle stream stays with the application's server: heartbeats, its end, and the connection's next request", async () => {
  const server = await open({}, { heartbeatInterval: 100 });
  const { http, url } = await listening(server);
  const finished: string[] = [];
  http.on("request", (_request, response) => response.once("finish", () => finished.push("finish")));
  const body = new URLSearchParams({ message: "wait", stream: "true" });
  const text = await (await fetch(`${url}/agents/clerk/runs`, { method: "POST", body })).text();
  expect(text).toContain(": heartbeat");
  expect(text).toContain("event: RunCompleted");
  expect(finished).toEqual(["finish"]);
  expect((await fetch(`${url}/agents`)).status).toBe(200);
});

test("a body that a parser of the application has read is an error that names the remedy", async () => {
  const server = await open();
  const { url } = await listening(server, async (request) => {
    for await (const _ of request as AsyncIterable<unknown>);
  });
  const answer = await fetch(`${url}/agents/clerk/runs`, {
    method: "POST",
    body: new URLSearchParams({ message: "x" }),
  });
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("body parsers")]);
});

test("closing ends streams with their cursor, and later requests get 503; the application's server stays open", async () => {
  const server = await open();
  const { http, url } = await listening(server);
  const answer = await fetch(`${url}/agents/clerk/runs`, {
    method: "POST",
    body: new URLSearchParams({ message: "slow", stream: "true" }),
  });
  const reading = answer.text();
  await server.close({ shutdownTimeout: 0 });
  expect(await reading).toMatch(/: interrupted, resume with last_event_index=\d+\n\n$/);
  expect((await fetch(`${url}/agents`)).status).toBe(503);
  expect(http.listening).toBe(true);
});

test("start begins background work without a request; a waiting run of an earlier start ends", async () => {
  const server = await open();
  await server.start();
  await server.start();
  const begun = await server.inject({
    method: "POST",
    url: "/agents/clerk/runs",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: "message=x&stream=false&background=true",
  });
  const { run_id: id } = begun.json<{ run_id: string }>();
  const run = () => server.inject({ method: "GET", url: `/v1/responses/resp_${id}` });
  await expect.poll(async () => (await run()).json<{ status: string }>().status, { timeout: 30_000 }).toBe("completed");
});

test.each(["troupe", "/", "/a/", "/a b", "/a?b", ""])("the base path %j is rejected", async (basePath) => {
  await expect(open({ basePath })).rejects.toThrow(/basePath/);
});
