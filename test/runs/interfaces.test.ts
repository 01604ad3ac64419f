/** Interfaces of `ServerOptions.interfaces`: when the server opens and closes them, and what they receive. */
import { afterEach, expect, test } from "vitest";
import { createServer, defineAgent, definePlatform, type Server, type ServerOptions } from "../../src/index.ts";
import type { InterfaceServices, LogItem, OpenInterface } from "../../src/interface.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { moveClock } from "../support/move-clock.ts";
import { bearer, makePair, token } from "../support/tokens.ts";

const servers: Server[] = [];

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
  const names = ["gate", "isLocalOnly", "jobs", "platform", "runs", "runtime", "streams"];
  expect(Object.keys(one.services()).sort()).toEqual(names);
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

test("the server closes an interface after its streams have ended", async () => {
  const events: string[] = [];
  const follower: OpenInterface = async ({ runs, gate, streams }) => {
    const caller = await gate.authenticate(undefined, "127.0.0.1");
    const stream = streams.open(caller, "127.0.0.1");
    const run = await runs.start(caller, { ...clerk, message: "endless" });
    const read = async (): Promise<void> => {
      for await (const { kind } of runs.follow(run, { cursor: -1 })(stream.signal)) events.push(kind);
      events.push("ended");
      stream.close();
    };
    void read();
    return { close: () => void events.push("closed") };
  };
  const server = await serverWith([follower]);
  await server.listen();
  await server.close({ shutdownTimeout: 0 });
  expect(events.filter((kind) => kind !== "frames")).toEqual(["interrupted", "ended", "closed"]);
});

test("a stream that does not end keeps neither its interface nor the server open", async () => {
  let closed = 0;
  const holder: OpenInterface = async ({ gate, streams }) => {
    streams.open(await gate.authenticate(undefined, "127.0.0.1"), "127.0.0.1");
    return { close: () => void closed++ };
  };
  const server = await serverWith([holder]);
  await server.listen();
  await server.close({ shutdownTimeout: 0 });
  expect(closed).toBe(1);
});

const pair = makePair();
const environment = { JWT_VERIFICATION_KEY: pair.pem };

test("a caller's streams on all interfaces together are limited, and end with its credential", async () => {
  const one = keeper();
  const server = await serverWith([one.open], { environment });
  const url = await server.listen();
  const { gate, streams, runs } = one.services();
  await expect(async () => gate.authenticate(undefined, "here")).rejects.toMatchObject({ code: "unauthenticated" });
  const brief = token({ sub: "ann", scopes: ["agents:run"], exp: Math.floor(Date.now() / 1000) + 60 }, pair);
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

  const run = await runs.start(caller, { ...clerk, message: "endless" });
  moveClock(75_000);
  const items: LogItem[] = [];
  for await (const item of runs.follow(run, { cursor: -1 })(first.signal)) items.push(item);
  expect(first.signal.reason).toMatchObject({ code: "unauthenticated" });
  expect(items.every(({ kind }) => kind === "frames")).toBe(true);
  first.close();
});
