/** The example of an interface, on real sockets. */
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { lineProtocol } from "../../examples/line-protocol/line-protocol.ts";
import {
  createServer,
  defineAgent,
  definePlatform,
  type Log,
  type Server,
  type ServerOptions,
} from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { type Line, LineClient } from "../support/line-client.ts";
import { moveClock } from "../support/move-clock.ts";
import { silentLog } from "../support/runtime.ts";
import { bearer, makePair, token } from "../support/tokens.ts";

const running: Disposable[] = [];
const servers: Server[] = [];

afterEach(async () => {
  for (const client of running.splice(0)) client[Symbol.dispose]();
  for (const server of servers.splice(0)) await server.close({ shutdownTimeout: 0 });
});

/** A server with the line protocol; `errors` are its log's. */
async function serve(options: ServerOptions = {}) {
  const model = scriptedModel(({ message }) => {
    if (message === "endless") return { text: Array.from({ length: 20_000 }, () => "on "), delay: 10 };
    if (message === "torrent") return { text: Array.from({ length: 200 }, () => "z".repeat(100_000)) };
    return { text: Array.from({ length: 12 }, (_, place) => `wörd\u2028${place} `), delay: 5 };
  });
  const platform = definePlatform({
    id: "desk",
    agents: [defineAgent({ id: "clerk", model })],
    settings: { credentialCheckInterval: 50 },
  });
  let port = 0;
  const errors: object[] = [];
  const log: Log = {
    ...silentLog,
    info: ({ address }, message) => {
      if (message.startsWith("The line protocol")) port = (address as { port: number }).port;
    },
    error: (fields) => void errors.push(fields),
  };
  const place = { dataDir: ":memory:", port: 0, environment: {}, log };
  const server = await createServer(platform, { ...place, interfaces: [lineProtocol(0)], ...options });
  servers.push(server);
  const url = await server.listen();
  const open = async (): Promise<LineClient> => {
    const client = await LineClient.open(port);
    running.push(client);
    return client;
  };
  return { server, url, port, open, errors };
}

const isEvent = (text: string): boolean => text.includes('"event_index":');
const hasEnded = ({ event }: Line): boolean => event === "end";

test("start sends the run's id, each event as it is stored, and the end", async () => {
  const { open, url } = await serve();
  const client = await open();
  client.send("start agent clerk How are you?");
  const { event, run_id: runId } = (await client.line()) ?? {};
  expect(event).toBe("following");
  const texts = await client.until(hasEnded);
  expect(texts.at(-1)).toBe('{"event":"end","status":"COMPLETED"}');
  const events = texts.slice(0, -1);
  expect(events.map((text) => JSON.parse(text).event_index)).toEqual(events.map((_, index) => index));

  const resumed = await fetch(new URL(`/agents/clerk/runs/${runId}/resume`, url), { method: "POST" });
  const stored = (await resumed.text()).split("\n").filter((line) => line.startsWith("data: ") && isEvent(line));
  expect(events).toEqual(stored.map((line) => line.slice("data: ".length)));
});

test("a client that is cut off after any event and follows again skips and repeats none", async () => {
  const { open } = await serve();
  const first = await open();
  first.send("start agent clerk hello");
  const { run_id: runId } = (await first.line()) ?? {};
  const all = (await first.until(hasEnded)).filter(isEvent);
  expect(all.length).toBeGreaterThan(12);
  for (let cut = 0; cut <= all.length; cut++) {
    using before = await open();
    before.send(`follow agent clerk ${runId} -1`);
    const last = ({ event_index }: Line): boolean => event_index === cut - 1;
    const received = cut === 0 ? [] : (await before.until(last)).filter(isEvent);
    using after = await open();
    after.send(`follow agent clerk ${runId} ${cut - 1}`);
    const rest = (await after.until(hasEnded)).filter(isEvent);
    expect([...received, ...rest]).toEqual(all);
  }
});

test("a client that is cut off several times during the run skips and repeats no event", async () => {
  const { open } = await serve();
  const first = await open();
  first.send("start agent clerk hello");
  const { run_id: runId } = (await first.line()) ?? {};
  const received = await first.until(({ event_index }) => event_index === 1);
  first[Symbol.dispose]();
  for (let isOver = false; !isOver; ) {
    using client = await open();
    const last = received.length - 1;
    client.send(`follow agent clerk ${runId} ${last}`);
    const texts = await client.until((line) => hasEnded(line) || line.event_index === last + 2);
    isOver = hasEnded(JSON.parse(texts.at(-1) ?? "{}"));
    received.push(...texts.filter(isEvent));
  }
  expect(received.map((text) => JSON.parse(text).event_index)).toEqual(received.map((_, index) => index));
  expect(JSON.parse(received.at(-1) ?? "").event).toBe("RunCompleted");
});

test("a client that sends its last line and ends its side still receives the whole run", async () => {
  const { open } = await serve();
  const client = await open();
  client.send("start agent clerk hello");
  client.finish();
  const texts = await client.until(() => false);
  expect(texts.at(-1)).toBe('{"event":"end","status":"COMPLETED"}');
});

test("cancel ends a run that another connection follows", async () => {
  const { open } = await serve();
  const [client, other] = [await open(), await open()];
  client.send("start agent clerk endless");
  const { run_id: runId } = (await client.line()) ?? {};
  other.send(`cancel agent clerk ${runId}`);
  expect(await other.line()).toEqual({ event: "cancelling", run_id: runId });
  expect((await client.until(hasEnded)).at(-1)).toBe('{"event":"end","status":"CANCELLED"}');
});

test.each([
  ["an unknown command", "stop agent clerk", "badRequest", "Send auth, start, follow or cancel with its arguments."],
  ["an unknown kind", "start robot clerk hi", "badRequest", "Send auth, start, follow or cancel with its arguments."],
  [
    "a start without a message",
    "start agent clerk",
    "badRequest",
    "Send auth, start, follow or cancel with its arguments.",
  ],
  ["an unknown component", "start agent nobody hi", "notFound", "Agent not found"],
  ["an unknown run", "follow agent clerk 7 -1", "notFound", "Run not found"],
  [
    "an id with a control character",
    "cancel agent clerk a\0b",
    "badRequest",
    "The run id must not hold control characters.",
  ],
])("%s gets an error, and the connection ends", async (_, line, code, message) => {
  const { open, errors } = await serve();
  const client = await open();
  client.send(line, "start agent clerk hello");
  expect(await client.line()).toEqual({ error: { code, message } });
  expect(await client.line()).toBeUndefined();
  expect(errors).toEqual([]);
});

test.each(["", " one", " 1.5", " -2"])('a follow with the cursor "%s" gets an error', async (cursor) => {
  const { open } = await serve();
  const client = await open();
  client.send("start agent clerk hello");
  const { run_id: runId } = (await client.line()) ?? {};
  await client.until(hasEnded);
  client.send(`follow agent clerk ${runId}${cursor}`);
  await client.line();
  expect(await client.line()).toEqual({
    error: { code: "badRequest", message: "The cursor must be the index of an event, or -1." },
  });
});

test("a client that sends more than a mebibyte is disconnected", async () => {
  const { open } = await serve();
  const client = await open();
  client.send("x".repeat(2 * 1024 * 1024));
  expect(await client.line()).toBeUndefined();
});

test("a client that stops reading and later continues receives every event", async () => {
  const { open } = await serve();
  const client = await open();
  client.send("start agent clerk torrent");
  const { run_id: runId } = (await client.line()) ?? {};
  client.pause();
  const other = await open();
  other.send(`follow agent clerk ${runId} -1`);
  const all = (await other.until(hasEnded)).filter(isEvent);
  client.resume();
  expect((await client.until(hasEnded)).filter(isEvent)).toEqual(all);
});

test("a follower receives `interrupted` when the server closes; idle and stuck connections do not keep it open", async () => {
  const { server, open, errors } = await serve();
  const [idle, stuck, follower] = [await open(), await open(), await open()];
  stuck.send("start agent clerk torrent");
  await stuck.line();
  stuck.pause();
  follower.send("start agent clerk endless");
  await follower.until(({ event_index }) => event_index === 3);
  await server.close({ shutdownTimeout: 0 });
  expect((await follower.until(() => false)).at(-1)).toBe('{"event":"interrupted"}');
  expect(await idle.line()).toBeUndefined();
  expect(errors).toEqual([]);
});

const pair = makePair();
const environment = { JWT_VERIFICATION_KEY: pair.pem };

test.each([
  ["without a token", [], "unauthenticated"],
  ["with an invalid token", ["auth nonsense"], "unauthenticated"],
  ["with a token that lacks the scope", [`auth ${token({ sub: "bob", scopes: ["agents:read"] }, pair)}`], "forbidden"],
])("with authorization on, a start %s gets an error and starts nothing", async (_, auth, code) => {
  const { open, url } = await serve({ environment });
  const client = await open();
  client.send(...auth, "start agent clerk hello");
  if (code === "forbidden") expect(await client.line()).toEqual({ event: "authenticated" });
  expect(await client.line()).toMatchObject({ error: { code } });
  const admin = bearer(token({ sub: "root", scopes: ["agent_os:admin"] }, pair));
  expect(await (await fetch(new URL("/agents/clerk/runs", url), { headers: admin })).json()).toMatchObject([]);
});

test("with authorization on, a caller with the scope starts, and another user cannot follow its run", async () => {
  const { open } = await serve({ environment });
  const ann = await open();
  ann.send(`auth ${token({ sub: "ann", scopes: ["agents:run"] }, pair)}`, "start agent clerk hello");
  expect(await ann.line()).toEqual({ event: "authenticated" });
  const { run_id: runId } = (await ann.line()) ?? {};
  expect((await ann.until(hasEnded)).at(-1)).toBe('{"event":"end","status":"COMPLETED"}');
  const reader = await open();
  reader.send(`auth ${token({ sub: "bob", scopes: ["agents:read"] }, pair)}`, `follow agent clerk ${runId} -1`);
  await reader.line();
  expect(await reader.line()).toMatchObject({ error: { code: "forbidden" } });
});

test("a stream ends with an error when its caller's token expires", async () => {
  const { open } = await serve({ environment });
  const client = await open();
  const exp = Math.floor(Date.now() / 1000) + 60;
  client.send(`auth ${token({ sub: "ann", scopes: ["agents:run"], exp }, pair)}`, "start agent clerk endless");
  await client.until(({ event_index }) => event_index === 1);
  moveClock(75_000);
  const texts = await client.until(() => false);
  expect(JSON.parse(texts.at(-1) ?? "")).toMatchObject({ error: { code: "unauthenticated" } });
});

test("a request of a browser reaches no command in its body", async () => {
  const { port, url } = await serve();
  const socket = connect(port, "127.0.0.1");
  socket.write("POST / HTTP/1.1\r\nContent-Type: text/plain\r\n\r\nstart agent clerk hello\n");
  let answer = "";
  for await (const chunk of socket) answer += chunk;
  expect(JSON.parse(answer)).toMatchObject({ error: { code: "badRequest" } });
  expect(await (await fetch(new URL("/agents/clerk/runs", url))).json()).toMatchObject([]);
});
