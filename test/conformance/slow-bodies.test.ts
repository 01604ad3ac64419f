/** Clients that send their bodies slowly, or send more than the server reads. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { definePlatform } from "../../src/define/platform.ts";
import { maxArriving } from "../../src/http/transport/arriving-bodies.ts";
import { makePair, token } from "../support/tokens.ts";
import type { Client } from "./support/client.ts";
import { conformancePlatform } from "./support/platform.ts";
import { sqliteServer } from "./support/server.ts";

const runs = "/agents/plain-agent/runs";

function head(length: number, more = ""): string {
  const type = "Content-Type: application/x-www-form-urlencoded";
  return `POST ${runs} HTTP/1.1\r\nHost: localhost\r\n${type}\r\nContent-Length: ${length}\r\n${more}\r\n`;
}

interface Connection {
  readonly socket: Socket;
  /** The response, once the server has closed the connection. */
  readonly answer: Promise<string>;
}

async function open({ base }: Client): Promise<Connection> {
  const socket = connect(Number(base.port), base.hostname);
  onTestFinished(() => void socket.destroy());
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  const answer = new Promise<string>((resolve, reject) => {
    socket.on("error", reject).on("close", () => resolve(Buffer.concat(chunks).toString("utf8")));
  });
  answer.catch(() => undefined);
  await once(socket, "connect");
  return { socket, answer };
}

describe("a request that takes longer than requestTimeout to arrive", () => {
  const client = sqliteServer(conformancePlatform({ requestTimeout: 1_500 }));

  test("receives 408, and not only after Node's limit of a minute for request heads", async () => {
    const { socket, answer } = await open(client());
    socket.write(`${head(100)}message=hi`);
    expect(await answer).toMatch(/^HTTP\/1.1 408 .*REQUEST_TIMEOUT/s);
  });
});

describe("a client that keeps sending after its request is rejected", () => {
  const client = sqliteServer(conformancePlatform({ maxBodyBytes: 100_000 }));
  const body = Buffer.alloc(20_000_000, "x");

  test("reads the response after its whole body, also with Connection: close", async () => {
    for (let time = 0; time < 20; time++) {
      const { socket, answer } = await open(client());
      socket.write(head(body.length, "Connection: close\r\n"));
      socket.write(body);
      expect(await answer).toMatch(/^HTTP\/1.1 413 .*PAYLOAD_TOO_LARGE/s);
    }
  });

  test("reads the response to an unknown path and to a request that is not HTTP", async () => {
    const { socket, answer } = await open(client());
    socket.write(head(body.length, "Connection: close\r\n").replace(runs, "/nothing"));
    socket.write(body);
    expect(await answer).toMatch(/^HTTP\/1.1 404 /);
    const other = await open(client());
    other.socket.write("this is not HTTP\r\n\r\n");
    other.socket.write(body);
    expect(await other.answer).toMatch(/^HTTP\/1.1 400 /);
  });

  test("is disconnected if it sends without an end", async () => {
    const { socket, answer } = await open(client());
    socket.write(head(1e12));
    const more = (): void => {
      while (!socket.destroyed && socket.write(body));
      if (!socket.destroyed) socket.once("drain", more);
    };
    more();
    await answer.catch(() => undefined);
    expect(socket.bytesWritten).toBeLessThan(1e9);
    expect((await client().get("/health")).status).toBe(200);
  });
});

describe("bodies that arrive at the same time", () => {
  const client = sqliteServer(conformancePlatform());

  test("are limited for each address: beyond the limit the slowest gets 408, and the others stay open", async () => {
    const connections = await Promise.all(Array.from({ length: maxArriving.atAddress }, () => open(client())));
    const [slowest, ...others] = connections as [Connection, ...Connection[]];
    let closed = 0;
    for (const { socket } of connections) socket.on("close", () => closed++);
    const half = `message=hi&stream=false&metadata=${"x".repeat(1_000)}`;
    slowest.socket.write(`${head(half.length + 1)}m`);
    for (const { socket } of others) socket.write(`${head(half.length + 1)}${half}`);

    const further = await open(client());
    further.socket.write(`${head(half.length + 1)}${half}`);
    expect(await slowest.answer).toMatch(/^HTTP\/1.1 408 .*REQUEST_TIMEOUT/s);
    expect((await client().post(runs, { message: "hi", stream: false })).status).toBe(200);
    expect(closed).toBeLessThanOrEqual(2);
    // The metadata is not valid JSON.
    further.socket.write("x");
    expect(String((await once(further.socket, "data"))[0])).toMatch(/^HTTP\/1.1 422 /);
  });
});

describe("bodies of authenticated callers", () => {
  const pair = makePair();
  const { agents } = conformancePlatform();
  const client = sqliteServer(definePlatform({ id: "slow", agents, authorization: { verificationKeys: [pair.pem] } }));
  const headOf = (sub: string): string =>
    head(2_000, `Authorization: Bearer ${token({ sub, scopes: ["agents:run"] }, pair)}\r\n`);

  test("are limited for each caller: a slow body of another caller stays open", async () => {
    const [bob, slowest, ...others] = await Promise.all(
      Array.from({ length: maxArriving.ofCaller + 2 }, () => open(client())),
    );
    let isClosed = false;
    bob!.socket.on("close", () => {
      isClosed = true;
    });
    bob!.socket.write(headOf("bob"));
    slowest!.socket.write(`${headOf("ada")}m`);
    for (const { socket } of others) socket.write(`${headOf("ada")}message=hi&${"x".repeat(1_000)}`);
    expect(await slowest!.answer).toMatch(/^HTTP\/1.1 408 .*REQUEST_TIMEOUT/s);
    expect(isClosed).toBe(false);
  });
});
