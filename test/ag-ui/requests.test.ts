/** Requests to AG-UI that the server rejects, and the callers that it admits. */
import { expect, test } from "vitest";
import { definePlatform } from "../../src/index.ts";
import { openDatabaseOf } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";
import { bearer, inSeconds, makePair, type Pair, token } from "../support/tokens.ts";
import { framesOf, inputOf, type Json, post } from "./support/client.ts";
import { desk } from "./support/desk.ts";

test("the routes at the root have the recorded answers", async () => {
  await using database = await openDatabaseOf("sqlite");
  await using server = await openServer(database, desk());
  const { origin } = server.client.address;
  const status = await fetch(new URL("/status", origin));
  expect([status.status, await status.text()]).toEqual([200, '{"status":"available"}']);
  const empty = await post(origin, "/agui", {});
  const missing = (name: string): Json => ({ type: "missing", loc: ["body", name], msg: "Field required", input: {} });
  expect(empty.status).toBe(422);
  expect(await empty.json()).toEqual({ detail: [missing("threadId"), missing("runId"), missing("messages")] });
  const reserved = await post(origin, "/agui", inputOf("hello", { forwardedProps: { user_id: "sa:x" } }));
  expect(reserved.status).toBe(403);
  expect(await reserved.json()).toMatchObject({ detail: "Client-supplied user_id may not claim a reserved principal" });
  const ok = await post(origin, "/agui", inputOf("hello"));
  expect(ok.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect((await framesOf(ok)).at(-1)!.event.result).toBe("You said: hello");
});

test("bad requests get a client error that says what to do", async () => {
  await using database = await openDatabaseOf("sqlite");
  await using server = await openServer(database, desk());
  const { origin } = server.client.address;
  const path = "/agents/clerk/agui";
  const user = (content: unknown): Json => inputOf("", { messages: [{ id: "1", role: "user", content }] });
  const cases: [string, Json, number, Record<string, string>?][] = [
    ["/agents/nobody/agui", inputOf("hi"), 404],
    [path, inputOf("hi", { messages: [] }), 400],
    [path, inputOf("hi", { messages: [{ role: "assistant", content: "x" }] }), 400],
    [path, inputOf("hi", { messages: "x" }), 422],
    [path, inputOf("hi", { threadId: "a\u0000b" }), 422],
    [path, inputOf("hi", { threadId: 7 }), 422],
    [path, inputOf("hi", { resume: [{}] }), 422],
    [path, inputOf("hi", { tools: [{ name: "no spaces allowed" }] }), 422],
    [path, user(7), 422],
    [path, user([{ type: "text" }]), 422],
    [path, user([{ type: "image" }]), 422],
    [path, user([{ type: "image", source: { type: "file", value: "id-1" } }]), 422],
    [path, user([{ type: "image", source: { type: "url", value: "ftp://x" } }]), 422],
    [path, inputOf("hi"), 422, { "Last-Event-ID": "7" }],
    [path, inputOf("hi"), 422, { "Last-Event-ID": "-1.0" }],
  ];
  for (const [to, body, status, headers] of cases) {
    const response = await post(origin, to, body, headers);
    const answer = (await response.json()) as Json;
    expect([response.status, JSON.stringify(answer)]).toEqual([status, expect.stringContaining("detail")]);
  }
  const text = await fetch(new URL(path, origin), { method: "POST", body: "hello" });
  expect(text.status).toBe(422);
});

test("the option names a component of the platform, or turns AG-UI off", async () => {
  expect(() => definePlatform({ id: "x", agUi: { component: "agent:nobody" } })).toThrow("agent:<id>");
  expect(() => definePlatform({ id: "x", agUi: { what: 1 } as never })).toThrow("what");
  await using database = await openDatabaseOf("sqlite");
  await using server = await openServer(database, desk({ agUi: false }));
  const { origin } = server.client.address;
  expect((await post(origin, "/agui", inputOf("hi"))).status).toBe(404);
  expect((await post(origin, "/agents/clerk/agui", inputOf("hi"))).status).toBe(404);
});

test("callers need the scope of the component, and see only their own runs", async () => {
  const pair: Pair = makePair("ES256");
  const as = (sub: string, ...scopes: string[]): Record<string, string> =>
    bearer(token({ sub, scopes, exp: inSeconds(600) }, pair));
  const authorization = { verificationKeys: [pair.pem], algorithm: "ES256", userIsolation: true } as const;
  await using database = await openDatabaseOf("sqlite");
  await using server = await openServer(database, desk({ authorization }));
  const { origin } = server.client.address;
  const ada = as("ada", "agents:clerk:run");
  const bo = as("bo", "agents:run");
  expect((await post(origin, "/agui", inputOf("hi"))).status).toBe(401);
  expect((await fetch(new URL("/status", origin))).status).toBe(401);
  for (const path of ["/agui", "/agents/clerk/agui"]) {
    expect((await post(origin, path, inputOf("hi"), as("eve", "teams:run"))).status).toBe(403);
    expect((await post(origin, path, inputOf("hi"), ada)).status).toBe(200);
  }
  expect((await post(origin, "/agents/counter/agui", inputOf("hi"), ada)).status).toBe(403);
  const body = inputOf("letter");
  const paused = await framesOf(await post(origin, "/agui", body, ada));
  const [{ id: interruptId }] = paused.at(-1)!.event.outcome.interrupts;
  const resume = [{ interruptId, status: "resolved", payload: true }];
  expect((await post(origin, "/agui", inputOf("", { messages: [], resume }), bo)).status).toBe(404);
  const stolen = await post(origin, "/agui", body, { ...bo, "Last-Event-ID": paused[0]!.id! });
  expect(stolen.status).toBe(404);
  const own = await framesOf(await post(origin, "/agui", inputOf("", { messages: [], resume }), ada));
  expect(own.at(-1)!.event.type).toBe("RUN_FINISHED");
});

test("the operator's scope mappings for runs apply to starts, answers and abandoned questions", async () => {
  const pair: Pair = makePair("ES256");
  const as = (...scopes: string[]): Record<string, string> =>
    bearer(token({ sub: "ada", scopes: ["agents:run", ...scopes], exp: inSeconds(600) }, pair));
  const run = "/agents/{agent_id}/runs";
  const scopeMappings = { [`POST ${run}`]: ["launch"], [`POST ${run}/{run_id}/continue`]: ["approve"] };
  const authorization = { verificationKeys: [pair.pem], algorithm: "ES256", scopeMappings } as const;
  await using database = await openDatabaseOf("sqlite");
  await using server = await openServer(database, desk({ authorization }));
  const { origin } = server.client.address;
  for (const path of ["/agui", "/agents/clerk/agui"]) {
    expect((await post(origin, path, inputOf("hi"), as("approve"))).status).toBe(403);
    expect((await post(origin, path, inputOf("hi"), as("launch"))).status).toBe(200);
  }
  const paused = await framesOf(await post(origin, "/agents/clerk/agui", inputOf("letter"), as("launch")));
  const [{ id: interruptId }] = paused.at(-1)!.event.outcome.interrupts;
  const answer = inputOf("", { messages: [], resume: [{ interruptId, status: "resolved", payload: true }] });
  expect((await post(origin, "/agents/clerk/agui", answer, as("launch"))).status).toBe(403);
  expect((await post(origin, "/agents/clerk/agui", answer, as("approve"))).status).toBe(200);
});
