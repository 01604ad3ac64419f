/** Web socket messages that are built without the library are read by a stock client. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { metaFrame } from "../../src/http/streams/meta-frames.ts";
import { toMessages } from "../../src/interfaces/web-socket/messages.ts";
import { eachFrame, encodeFrames, frameData, frameName } from "../../src/model/frame.ts";

/** Lengths of data around the limits of each form of a message's length. */
const lengths = [40, 124, 125, 126, 127, 1_000, 65_534, 65_535, 65_536, 65_537, 200_000];

test("a client receives the data of each frame as one text message, except of records without a name", async () => {
  const around = '{"content":"","event_index":0}'.length;
  const stored = encodeFrames(0, [
    ...lengths.slice(0, 5).map((length) => ({ name: "RunContent", members: contentOf("x".repeat(length - around)) })),
    { name: "WorkflowRunOutput", members: contentOf("left out") },
    ...lengths.slice(5).map((length) => ({ name: "RunContent", members: contentOf("é".repeat(length / 2)) })),
    { name: "WorkflowCompleted", members: contentOf("\u2028 ünï {} \n\n data: \nid: 7") },
  ]);
  const frames = Buffer.concat([Buffer.from(metaFrame("subscribed", { run_id: "r" })), stored]);
  const expected = [...eachFrame(frames)].filter((frame) => frameName(frame) !== "WorkflowRunOutput").map(frameData);
  expect(new Set(lengths.slice(0, 5))).toEqual(new Set(expected.slice(1, 6).map((text) => text.length)));

  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
  server.on("connection", (socket, { socket: stream }) => {
    stream.write(toMessages(frames));
    socket.close(1000, "over");
  });
  await once(server, "listening");
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const received: string[] = [];
  client.on("message", (data, isBinary) => received.push(isBinary ? "binary" : data.toString()));
  const [code] = await once(client, "close");
  server.close();
  expect(code).toBe(1000);
  expect(received).toEqual(expected);
});

test("an incomplete frame at the end is left out", () => {
  const whole = encodeFrames(0, [{ name: "RunContent", members: contentOf("a") }]);
  for (let length = 1; length < whole.length; length++) {
    const cut = Buffer.concat([whole, whole.subarray(0, length)]);
    expect(toMessages(cut)).toEqual(toMessages(whole));
  }
  expect(toMessages(Buffer.alloc(0)).length).toBe(0);
});

function contentOf(content: string): string {
  return `"content":${JSON.stringify(content)}`;
}
