/** Bodies in very small chunks: they use the memory of their bytes, without a buffer for each chunk. */
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { mediaTypes, readFields } from "../../src/http/input/body.ts";
import type { UploadedFile } from "../../src/http/input/multipart.ts";
import { defaultSettings } from "../../src/model/settings.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function memoryInUse(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const mebibyte = 1024 * 1024;
const chunks = 300_000;
const boundary = "--b\r\nContent-Disposition: form-data; name=";

test.each([
  ["a form", mediaTypes.urlencoded, "message=", ""],
  [
    "a field of a multipart form",
    `${mediaTypes.multipart}; boundary=b`,
    `${boundary}"message"\r\n\r\n`,
    "\r\n--b--\r\n",
  ],
  [
    "an uploaded file",
    `${mediaTypes.multipart}; boundary=b`,
    `${boundary}"message"; filename="a.txt"\r\n\r\n`,
    "\r\n--b--\r\n",
  ],
])("%s that arrives byte by byte is read with less than 10 MiB of memory", async (_, type, before, after) => {
  const incoming = new IncomingMessage(new Socket());
  incoming.headers = { "content-type": type, "transfer-encoding": "chunked" };
  const reading = readFields(incoming, ["urlencoded", "multipart"], defaultSettings);
  const memoryBefore = memoryInUse();
  incoming.push(Buffer.from(before));
  for (let sent = 0; sent < chunks; sent++) {
    incoming.push(Buffer.from("a"));
    if (sent % 1_000 === 0) await nextTurn();
  }
  await nextTurn();
  // A buffer for each byte would take about 30 MiB.
  expect(memoryInUse() - memoryBefore).toBeLessThan(10 * mebibyte);
  incoming.push(Buffer.from(after));
  incoming.push(null);
  incoming.complete = true;
  const { message } = await reading;
  const text = Array.isArray(message) ? (message[0] as UploadedFile).data.toString() : message;
  expect(text === "a".repeat(chunks)).toBe(true);
});
