/** Streams on the wire: chunks that the server writes itself, and chunks that it leaves to Node. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { StreamOutput } from "../../src/http/streams/stream-output.ts";

const large = "y".repeat(100_000);

/** Responses of a server that writes an opening, a small and a large piece, and one after the socket has drained. */
async function answers(requests: string, change = (response: ServerResponse) => response): Promise<string> {
  const server = createServer(async (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const output = new StreamOutput(change(response), ": opening\n\n");
    output.write("");
    output.write("data: ü\n\n");
    for (let piece = 0; piece < 100; piece++) output.write(Buffer.from(large));
    if (output.isFull) await output.drained();
    output.write(Buffer.from("data: last\n\n"));
    output.end();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.write(requests);
  await once(socket, "end");
  return Buffer.concat(chunks).toString();
}

const body = `: opening\n\ndata: ü\n\n${large.repeat(100)}data: last\n\n`;

/** Decodes the first chunked response; `rest` is the text after it. */
function decode(text: string): { body: string; rest: string } {
  let bytes = Buffer.from(text).subarray(Buffer.from(text).indexOf("\r\n\r\n") + 4);
  let decoded = "";
  for (;;) {
    const line = bytes.indexOf("\r\n");
    const size = Number.parseInt(bytes.toString("latin1", 0, line), 16);
    if (size === 0) return { body: decoded, rest: bytes.subarray(line + 4).toString() };
    decoded += bytes.toString("utf8", line + 2, line + 2 + size);
    expect(bytes.toString("latin1", line + 2 + size, line + 4 + size)).toBe("\r\n");
    bytes = bytes.subarray(line + 4 + size);
  }
}

test("[R13] a stream is one chunked body, and the connection serves the next request", async () => {
  const request = "GET / HTTP/1.1\r\nHost: t\r\n";
  const first = decode(await answers(`${request}\r\n${request}Connection: close\r\n\r\n`));
  expect(first.body).toBe(body);
  const second = decode(first.rest);
  expect(second.body).toBe(body);
  expect(second.rest).toBe("");
});

test("an HTTP/1.0 client receives the body without chunks", async () => {
  const text = await answers("GET / HTTP/1.0\r\n\r\n");
  expect(text.slice(text.indexOf("\r\n\r\n") + 4)).toBe(body);
});

const get = "GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n";

test("a stream writes its chunks directly to the socket", async () => {
  const write = vi.fn();
  await answers(get, (response) => {
    vi.spyOn(response, "write").mockImplementation(write);
    return response;
  });
  const message =
    "Node's responses no longer have `chunkedEncoding` after their headers (written for Node 24). Streams now use " +
    "response.write, which costs more for each event: see src/http/streams/stream-output.ts.";
  expect(write, message).not.toHaveBeenCalled();
});

test("a stream has the same chunked body if Node hides what the response has sent", async () => {
  const write = vi.fn();
  const text = await answers(get, (response) => {
    write.mockImplementation(response.write.bind(response));
    return new Proxy(response, {
      get(target, name) {
        if (name === "chunkedEncoding") return undefined;
        if (name === "write") return write;
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  });
  expect(write).toHaveBeenCalled();
  expect(decode(text)).toEqual({ body, rest: "" });
});
