/** Connections of idle streams, which leave Node's HTTP server and return to it. */
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { closeLeft } from "../../src/http/streams/leave-http.ts";
import { StreamOutput } from "../../src/http/streams/stream-output.ts";
import { watchAnswers } from "../../src/http/transport/begun-answers.ts";
import { eventually } from "../support/eventually.ts";

interface Served {
  server: Server;
  client: Socket;
  received: () => string;
  /** The streams, in the order of their requests. */
  streams: {
    output: StreamOutput;
    response: ServerResponse;
    connection: Socket & { parser?: unknown };
    isClosed: boolean;
  }[];
}

/** A server that answers GET with an open stream and POST with its body. */
async function serve(): Promise<Served> {
  const streams: Served["streams"] = [];
  const server = createServer((request, response) => {
    if (request.method === "POST") {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => response.end(`echo ${body}`));
      return;
    }
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    const stream = {
      output: new StreamOutput(response, ": opening\n\n"),
      response,
      connection: request.socket,
      isClosed: false,
    };
    response.once("close", () => {
      stream.isClosed = true;
    });
    streams.push(stream);
  });
  watchAnswers(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => {
    client.destroy();
    closeLeft(server, "all");
    server.close();
    server.closeAllConnections();
  });
  let text = "";
  client.on("error", () => {});
  client.on("data", (chunk) => {
    text += chunk;
  });
  return { server, client, received: () => text, streams };
}

const get = "GET / HTTP/1.1\r\nHost: t\r\n\r\n";
const post = "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 4\r\n\r\nbody";

async function opened(served: Served, place = 0): Promise<Served["streams"][number]> {
  await eventually(() => expect(served.streams.length).toBeGreaterThan(place));
  const stream = served.streams[place] as Served["streams"][number];
  await eventually(() => expect(served.received().split(": opening").length).toBe(place + 2));
  return stream;
}

test("an idle stream frees its connection's parser, and its output continues unchanged", async () => {
  const served = await serve();
  served.client.write(get);
  const { output, connection } = await opened(served);
  expect(connection.parser).toBeTruthy();
  output.shrink();
  expect(connection.parser).toBe(null);
  output.shrink();
  output.write("data: ü\n\n");
  output.end();
  await eventually(() => expect(served.received()).toMatch(/: opening\n\n\r\na\r\ndata: ü\n\n\r\n0\r\n\r\n$/));
});

test("the connection serves further requests and streams after an idle stream", async () => {
  const served = await serve();
  served.client.write(get);
  for (const place of [0, 1, 2]) {
    const stream = await opened(served, place);
    stream.output.shrink();
    expect(stream.connection.parser).toBe(null);
    stream.output.end();
    expect(stream.isClosed).toBe(true);
    served.client.write(post);
    await eventually(() => expect(served.received().split("echo body").length).toBe(place + 2));
    served.client.write(get);
  }
  expect(new Set(served.streams.map(({ connection }) => connection)).size).toBe(1);
});

test("a request that arrives during an idle stream is answered after the stream", async () => {
  const served = await serve();
  served.client.write(get);
  const { output } = await opened(served);
  output.shrink();
  served.client.write(post.slice(0, 20));
  await new Promise((resolve) => setTimeout(resolve, 50));
  served.client.write(post.slice(20) + post);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(served.received()).not.toContain("echo");
  output.write("data: last\n\n");
  output.end();
  await eventually(() => expect(served.received().split("echo body").length).toBe(3));
  expect(served.received().indexOf("echo")).toBeGreaterThan(served.received().indexOf("data: last"));
});

test("a stream keeps its parser while a pipelined request waits for its answer", async () => {
  const served = await serve();
  served.client.write(get + post);
  const { output, connection } = await opened(served);
  output.shrink();
  expect(connection.parser).toBeTruthy();
  output.end();
  await eventually(() => expect(served.received()).toContain("echo body"));
});

test.each([get.slice(0, 9), get.slice(0, -2)])(
  "a stream keeps its parser while a part of the next request has arrived: %j",
  async (part) => {
    for (const first of [get, get + part]) {
      const served = await serve();
      served.client.write(first);
      const { output, connection } = await opened(served);
      if (first === get) served.client.write(part);
      await eventually(() => expect(connection.bytesRead).toBe(get.length + part.length));
      output.shrink();
      expect(connection.parser).toBeTruthy();
      output.write("data: last\n\n");
      output.end();
      served.client.write(get.slice(part.length));
      await opened(served, 1);
      expect(served.received()).not.toContain("400");
      expect(served.streams.length).toBe(2);
    }
  },
);

test("a connection that is to be closed after its answer is closed after an idle stream", async () => {
  const served = await serve();
  served.client.write(get.replace("Host", "Connection: close\r\nHost"));
  const { output, connection } = await opened(served);
  expect(served.received()).toContain("Connection: close");
  output.shrink();
  expect(connection.parser).toBe(null);
  served.client.write(post);
  output.write("data: last\n\n");
  output.end();
  await once(served.client, "close");
  expect(served.received()).toMatch(/data: last\n\n\r\n0\r\n\r\n$/);
});

test("a client that disconnects from an idle stream closes its response, whether it ends or resets its connection", async () => {
  for (const leave of ["end", "destroy"] as const) {
    const served = await serve();
    served.client.write(get);
    const stream = await opened(served);
    stream.output.shrink();
    served.client[leave]();
    await eventually(() => expect(stream.isClosed).toBe(true));
    expect(stream.connection.destroyed).toBe(true);
    stream.output.write("data: late\n\n");
    stream.output.end();
  }
});

test("after an idle stream, the server closes a connection without a further request", async () => {
  const served = await serve();
  served.server.keepAliveTimeout = 1;
  served.client.write(get);
  const { output } = await opened(served);
  output.shrink();
  output.end();
  await once(served.client, "end");
});

test("closing a server reaches connections of idle and of ended streams", async () => {
  const served = await serve();
  served.client.write(get);
  const stream = await opened(served);
  stream.output.shrink();
  closeLeft(served.server, "idle");
  expect(stream.connection.destroyed).toBe(false);
  stream.output.end();
  closeLeft(served.server, "idle");
  expect(stream.connection.destroyed).toBe(true);

  const other = await serve();
  other.client.write(get);
  const open = await opened(other);
  open.output.shrink();
  closeLeft(other.server, "all");
  await eventually(() => expect(open.isClosed).toBe(true));
});
