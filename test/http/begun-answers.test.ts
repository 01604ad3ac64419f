/** Connections with a response in progress: invalid bytes must not cause a second response in the middle of it. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { hasBegunAnswer } from "../../src/http/transport/begun-answers.ts";
import { answerClientError, answerRefusals } from "../../src/http/transport/raw-errors.ts";
import { testRuntime } from "../support/runtime.ts";

interface Serving {
  readonly client: Socket;
  /** The responses in the order of their requests. */
  readonly responses: readonly ServerResponse[];
  readonly connection: Duplex;
  /** Whether a response is in progress. */
  isBegun(): boolean;
  received(): string;
}

async function serve(requests: string, count: number): Promise<Serving> {
  const responses: ServerResponse[] = [];
  const server = createServer((_request, response) => void responses.push(response)).listen(0, "127.0.0.1");
  answerRefusals(server, testRuntime);
  server.on("clientError", (error, socket) => answerClientError(error, socket, testRuntime));
  const accepted = once(server, "connection");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => void client.destroy());
  let text = "";
  client.on("data", (chunk) => (text += chunk));
  const [connection] = (await accepted) as [Duplex];
  client.write(requests);
  await expect.poll(() => responses.length).toBe(count);
  return { client, responses, connection, isBegun: () => hasBegunAnswer(connection), received: () => text };
}

const request = "GET / HTTP/1.1\r\nHost: t\r\n\r\n";

test("a response is in progress from its headers to its end", async () => {
  const { responses, isBegun } = await serve(request, 1);
  const [response] = responses;
  expect(isBegun()).toBe(false);
  response?.flushHeaders();
  expect(isBegun()).toBe(true);
  response?.end("done");
  await expect.poll(isBegun).toBe(false);
});

test("a response that waits behind another one is not in progress", async () => {
  const { responses, isBegun } = await serve(request + request, 2);
  const [first, second] = responses;
  second?.writeHead(200);
  second?.write("second");
  expect(isBegun()).toBe(false);
  first?.end("first");
  await expect.poll(isBegun).toBe(true);
  second?.end();
  await expect.poll(isBegun).toBe(false);
});

test("bytes that are not HTTP close the connection while a response is in progress", async () => {
  const { client, responses, received } = await serve(request + request, 2);
  responses[0]?.write("partial");
  await expect.poll(received).toContain("partial");
  client.write("not HTTP\r\n\r\n");
  await once(client, "close");
  expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"]);
});

test("bytes that are not HTTP get 400 before a response has begun", async () => {
  const { client, received } = await serve(request, 1);
  client.write("not HTTP\r\n\r\n");
  await once(client, "end");
  expect(received()).toMatch(/^HTTP\/1\.1 400 /);
});

test("bytes that are not HTTP get 400 after a response has ended", async () => {
  const { client, responses, received } = await serve(request, 1);
  responses[0]?.end("done");
  await expect.poll(received).toContain("done");
  client.write("not HTTP\r\n\r\n");
  await once(client, "end");
  expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
});
