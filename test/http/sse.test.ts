import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { LogItem } from "../../src/events/run-logs.ts";
import { CredentialWatch } from "../../src/http/streams/credential-watch.ts";
import { type Stream, sendStream } from "../../src/http/streams/sse.ts";
import { open } from "../../src/model/principal.ts";
import { eventually } from "../support/eventually.ts";
import { silentLog, testRuntime } from "../support/runtime.ts";

const apps: FastifyInstance[] = [];
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
});

type Follow = (signal: AbortSignal) => AsyncIterable<LogItem>;

interface Served {
  socket: Socket;
  /** The bytes that the client has received, including the headers. */
  received: () => string;
  ended: Promise<void>;
}

/** Connects a client to a stream of the items that `follow` yields. */
async function serve(
  follow: Follow,
  options: { opening?: string; heartbeat?: number; log?: typeof silentLog; isGood?: () => boolean } = {},
): Promise<Served> {
  const app = Fastify({ forceCloseConnections: true });
  const gate = { credentialCheckOf: () => options.isGood && { isValid: options.isGood } };
  app.decorate("credentials", new CredentialWatch(gate, testRuntime.clock, 10));
  app.decorateRequest("caller", null);
  app.addHook("onRequest", (request, _reply, done) => {
    request.caller = open;
    done();
  });
  apps.push(app);
  let ended: () => void;
  const done = new Promise<void>((resolve) => {
    ended = resolve;
  });
  app.get("/", async (_request, reply) => {
    const translate: Stream["translate"] = (item) => (item.kind === "frames" ? [item.bytes] : []);
    const stream = { opening: options.opening ?? "", follow, translate, cursor: -1 };
    await sendStream(reply, stream, { heartbeatInterval: options.heartbeat ?? 60_000, log: options.log ?? silentLog });
    ended();
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as { port: number };
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk)).on("error", () => {});
  await once(socket, "connect");
  socket.write("GET / HTTP/1.1\r\nHost: t\r\n\r\n");
  return { socket, received: () => Buffer.concat(chunks).toString(), ended: done };
}

function frames(first: number, last: number, size = 20): LogItem {
  const one = (index: number): string => `event: X\ndata: ${"x".repeat(size)}\nid: ${index}\n\n`;
  const all = Array.from({ length: last - first + 1 }, (_, place) => one(first + place));
  return { kind: "frames", first, last, bytes: Buffer.from(all.join("")) };
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
}

describe("the writer of event streams", () => {
  test("[R13] sends status and headers before the first event", async () => {
    const { received } = await serve(async function* (signal) {
      await untilAborted(signal);
      yield frames(0, 0);
    });
    await eventually(() => expect(received()).toContain("\r\n\r\n"));
    expect(received()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(received()).toContain("content-type: text/event-stream; charset=utf-8\r\n");
    expect(received()).toContain("cache-control: no-cache\r\n");
    expect(received()).toContain("x-accel-buffering: no\r\n");
  });

  test("[V9] writes a heartbeat comment after each interval without an event, and none while events arrive", async () => {
    const { received, ended } = await serve(
      async function* () {
        for (let index = 0; index < 60; index++) {
          await sleep(5);
          yield frames(index, index);
        }
        expect(received()).not.toContain(": heartbeat");
        await eventually(() => expect(received().split(": heartbeat\n\n").length - 1).toBeGreaterThanOrEqual(2));
      },
      { heartbeat: 250 },
    );
    await ended;
  });

  test("passes the log's bytes on unchanged", async () => {
    const item = frames(0, 4) as Extract<LogItem, { kind: "frames" }>;
    const { received, ended } = await serve(
      async function* () {
        yield item;
      },
      { opening: "event: replay\ndata: {}\n\n" },
    );
    await ended;
    await eventually(() => expect(received()).toContain("\r\n0\r\n\r\n"));
    expect(received()).toContain("event: replay\ndata: {}\n\n");
    expect(received()).toContain(item.bytes.toString());
  });

  test("aborts its source when the client disconnects", async () => {
    let aborted = false;
    const { socket, ended } = await serve(async function* (signal) {
      yield frames(0, 0);
      await untilAborted(signal);
      aborted = true;
    });
    await once(socket, "data");
    socket.destroy();
    await ended;
    expect(aborted).toBe(true);
  });

  test("holds a bounded number of bytes for a client that does not read, and ends when the client disconnects", async () => {
    let taken = 0;
    const { socket, ended } = await serve(async function* (signal) {
      for (let index = 0; !signal.aborted; index++) {
        yield frames(index, index, 64 * 1024);
        taken += 64 * 1024;
      }
    });
    socket.pause();
    let before = -1;
    while (before !== taken) {
      before = taken;
      await sleep(200);
    }
    // The kernel's buffers on both sides, and one item in memory.
    expect(taken).toBeLessThan(16 * 1024 * 1024);
    socket.destroy();
    await ended;
  });

  test("disconnects a client that does not read once its credential is invalid", async () => {
    let isGood = true;
    let taken = 0;
    const endless = async function* (signal: AbortSignal) {
      for (let index = 0; !signal.aborted; index++) {
        yield frames(index, index, 64 * 1024);
        taken = index;
      }
    };
    const { socket, received, ended } = await serve(endless, { isGood: () => isGood });
    socket.pause();
    for (let before = -1; before !== taken; await sleep(200)) before = taken;
    isGood = false;
    await ended;
    socket.resume();
    await once(socket, "close");
    expect(received()).not.toContain(": interrupted");
  });

  test("sends everything to a client that pauses and reads again", async () => {
    const { socket, received, ended } = await serve(async function* () {
      for (let index = 0; index < 200; index++) yield frames(index, index, 64 * 1024);
    });
    socket.pause();
    await sleep(300);
    socket.resume();
    await ended;
    await eventually(() => expect(received().match(/^id: \d+$/gm)?.length).toBe(200));
  });

  test("ends with the cursor and logs the error when its source throws", async () => {
    const error = vi.fn();
    const { received, ended } = await serve(
      async function* () {
        yield frames(0, 6);
        throw new Error("disk on fire");
      },
      { log: { ...silentLog, error } },
    );
    await ended;
    await eventually(() => expect(received()).toContain(": interrupted, resume with last_event_index=6\n\n"));
    expect(received()).not.toContain("disk on fire");
    expect(error).toHaveBeenCalledOnce();
  });

  test("names the reader's own cursor for an interruption before the first event", async () => {
    const { received, ended } = await serve(async function* () {
      yield { kind: "interrupted", reason: "shutdown" };
    });
    await ended;
    await eventually(() => expect(received()).toContain(": interrupted, resume with last_event_index=-1\n\n"));
  });
});
