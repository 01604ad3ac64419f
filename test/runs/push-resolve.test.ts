/** DNS lookups of push targets, against a local name server. */
import { createSocket } from "node:dgram";
import { readFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { AddressRejected, pin } from "../../src/runs/outbound/addresses.ts";
import { publicNames } from "../../src/runs/outbound/resolve.ts";

const types: Readonly<Record<number, "A" | "AAAA">> = { 1: "A", 28: "AAAA" };

/** Starts a name server (RFC 1035, section 4). `records` returns a name's record as bytes, or undefined for no answer. */
async function nameServer(records: (type: "A" | "AAAA") => readonly number[] | undefined) {
  const asked: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    // The header of twelve bytes is followed by the name, label by label up to an empty one, then type and class.
    let end = 12;
    const labels: string[] = [];
    for (let size = query[end]!; size > 0; size = query[end]!) {
      labels.push(query.toString("latin1", end + 1, end + 1 + size));
      end += size + 1;
    }
    const type = types[query.readUInt16BE(end + 1)];
    asked.push(`${type} ${labels.join(".")}`);
    const bytes = type && records(type);
    if (!bytes) return;
    const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, bytes.length > 0 ? 1 : 0, 0, 0, 0, 0]);
    const question = query.subarray(12, end + 5);
    const record = Buffer.from([0xc0, 12, ...query.subarray(end + 1, end + 5), 0, 0, 0, 60, 0, bytes.length, ...bytes]);
    socket.send(Buffer.concat([header, question, ...(bytes.length > 0 ? [record] : [])]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  onTestFinished(() => void socket.close());
  return { asked, resolve: publicNames([`127.0.0.1:${socket.address().port}`]) };
}

const strict = { allowHttp: false, allowPrivate: false };

test("a lookup returns the addresses of both families; a private one among them, or none at all, is rejected", async () => {
  const { asked, resolve } = await nameServer((type) => (type === "A" ? [93, 184, 216, 34] : []));
  const { addresses } = await pin("https://client.example/", strict, resolve);
  expect(addresses).toEqual([{ address: "93.184.216.34", family: 4 }]);
  expect(asked.sort()).toEqual(["A client.example", "AAAA client.example"]);
  const mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 0, 1];
  const inner = await nameServer((type) => (type === "A" ? [93, 184, 216, 34] : mapped));
  await expect(pin("https://client.example/", strict, inner.resolve)).rejects.toThrow(AddressRejected);
  const nothing = await nameServer(() => []);
  await expect(pin("https://client.example/", strict, nothing.resolve)).rejects.toThrow(/ENODATA/);
});

test("lookups that get no answer do not block file reads", async () => {
  const { asked, resolve } = await nameServer(() => undefined);
  let isOver = false;
  const waiting = Promise.allSettled(Array.from({ length: 16 }, (_, place) => resolve(`a${place}.example`)));
  void waiting.then(() => (isOver = true));
  await expect.poll(() => asked.length).toBeGreaterThanOrEqual(32);
  // File reads use the thread pool, which system DNS lookups would occupy.
  await Promise.all(Array.from({ length: 16 }, () => readFile(new URL(import.meta.url))));
  expect(isOver).toBe(false);
});
