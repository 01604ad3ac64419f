/** Interfaces of `ServerOptions.interfaces`: when the server opens and closes them, and what they receive. */
import { afterEach, expect, test } from "vitest";
import {
  createServer,
  defineAgent,
  definePlatform,
  type InterfaceServices,
  type LogItem,
  type OpenInterface,
  type Server,
  type ServerOptions,
} from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { bearer, makePair, token } from "../support/tokens.ts";

const servers: Server[] = [];
const never = new AbortController().signal;

async function serverWith(interfaces: readonly OpenInterface[], options: ServerOptions = {}): Promise<Server> {
  const model = scriptedModel(({ message }) =>
    message === "endless" ? { text: Array.from({ length: 20_000 }, () => "on "), delay: 10 } : "hello",
  );
  const platform = definePlatform({
    id: "desk",
    agents: [defineAgent({ id: "clerk", model })],
    settings: { credentialCheckInterval: 50, maxStreamsPerCaller: 2 },
  });
  const place = { dataDir: ":memory:", port: 0, logLevel: "silent", environment: {} };
  const server = await createServer(platform, { ...place, interfaces, ...options });
  servers.push(server);
  return server;
}

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close({ shutdownTimeout: 0 });
});

function keeper(): { readonly open: OpenInterface; services: () => InterfaceServices; readonly closed: () => number } {
  let services: InterfaceServices | undefined;
  let closed = 0;
  const open: OpenInterface = (given) => {
    services = given;
    return { close: () => void closed++ };
  };
  return { open, services: () => services as InterfaceServices, closed: () => closed };
}

const clerk = { kind: "agent", componentId: "clerk" } as const;
const request = { ...clerk, media: [], sessionId: undefined, userId: undefined, background: false, options: {} };

test("the server opens an interface when it listens and closes it once", async () => {
  const one = keeper();
  const server = await serverWith([one.open]);
  await server.inject({ method: "GET", url: "/health" });
  expect(one.services()).toBeUndefined();
  await server.listen();
  expect(one.services().platform.id).toBe("desk");
  await Promise.all([server.close({ shutdownTimeout: 0 }), server.close()]);
  expect(one.closed()).toBe(1);
});

test("an interface receives no store, engine, registry or logs", async () => {
  const one = keeper();
  await (await serverWith([one.open])).listen();
  expect(Object.keys(one.services()).sort()).toEqual(["gate", "isLocalOnly", "platform", "runs", "runtime", "streams"]);
});

test("listen rejects with the error of an interface; the interfaces that are open are closed with the server", async () => {
  const one = keeper();
  const server = await serverWith([one.open, () => Promise.reject(new Error("no more ports"))]);
  await expect(server.listen()).rejects.toThrow("no more ports");
  await server.close();
  expect(one.closed()).toBe(1);
});

test("an interface that never closes, or fails to, does not keep the server open", async () => {
  const one = keeper();
  const stuck: OpenInterface = () => ({ close: () => new Promise(() => {}) });
  const failing: OpenInterface = () => ({ close: () => Promise.reject(new Error("cannot")) });
  const server = await serverWith([stuck, failing, one.open]);
  await server.listen();
  await server.close({ shutdownTimeout: 0 });
  expect(one.closed()).toBe(1);
});

test("an interface that waits for its streams when it closes sends each client its cursor", async () => {
  const items: LogItem[] = [];
  const follower: OpenInterface = async ({ runs, gate }) => {
    const caller = await gate.authenticate(undefined, "127.0.0.1");
    const run = await runs.start(caller, { ...request, message: "endless" });
    const read = async (): Promise<void> => {
      for await (const item of runs.follow(run, { cursor: -1 })(never)) items.push(item);
    };
    const following = read();
    return { close: () => following };
  };
  const server = await serverWith([follower]);
  await server.listen();
  await server.close({ shutdownTimeout: 0 });
  expect(items.at(-1)).toEqual({ kind: "interrupted", reason: "shutdown" });
});

const pair = makePair();
const environment = { JWT_VERIFICATION_KEY: pair.pem };

test("a caller's streams on all interfaces together are limited, and end with its credential", async () => {
  const one = keeper();
  const server = await serverWith([one.open], { environment });
  const url = await server.listen();
  const { gate, streams, runs } = one.services();
  await expect(async () => gate.authenticate(undefined, "here")).rejects.toMatchObject({ code: "unauthenticated" });
  const brief = token({ sub: "ann", scopes: ["agents:run"], exp: Math.floor(Date.now() / 1000) + 2 }, pair);
  const caller = await gate.authenticate(brief, "here");
  const [first, second] = [streams.open(caller, "here"), streams.open(caller, "there")];
  expect(() => streams.open(caller, "here")).toThrow(expect.objectContaining({ code: "tooManyRequests" }));
  const overHttp = await fetch(new URL("/agents/clerk/runs", url), {
    method: "POST",
    headers: bearer(brief),
    body: new URLSearchParams({ message: "hi" }),
  });
  expect(overHttp.status).toBe(429);
  second.close();
  second.close();
  expect(second.signal.aborted).toBe(true);

  const run = await runs.start(caller, { ...request, message: "endless" });
  const items: LogItem[] = [];
  for await (const item of runs.follow(run, { cursor: -1 })(first.signal)) items.push(item);
  expect(first.signal.reason).toMatchObject({ code: "unauthenticated" });
  expect(items.every(({ kind }) => kind === "frames")).toBe(true);
  first.close();
});
