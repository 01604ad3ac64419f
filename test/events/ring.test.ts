import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Ring } from "../../src/events/ring.ts";
import { encodeFrames } from "../../src/model/frame.ts";

const frames = (first: number, last: number): string =>
  Array.from({ length: last - first + 1 }, (_, place) =>
    encodeFrames(first + place, [{ name: "RunContent", members: `"n":${first}` }]).toString(),
  ).join("");

test("a ring returns the pushed frames after a cursor, and undefined for frames that it has dropped", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 300 }),
      fc.nat(4_000),
      (sizes, limit) => {
        const ring = new Ring(limit);
        const texts: string[] = [];
        for (const size of sizes) {
          const first = texts.length;
          const last = first + size - 1;
          const text = frames(first, last);
          ring.push(first, last, Buffer.from(text));
          texts.push(...text.split(/(?<=\n\n)/));
          expect(ring.bytes).toBeLessThanOrEqual(limit);
        }
        let oldest = texts.length;
        for (let cursor = texts.length - 2; cursor >= -1; cursor--) {
          const read = ring.after(cursor);
          if (!read) break;
          oldest = cursor + 1;
          expect(read.first).toBe(cursor + 1);
          expect(read.bytes.toString()).toBe(texts.slice(read.first, read.last + 1).join(""));
        }
        expect(ring.bytes).toBe(Buffer.byteLength(texts.slice(oldest).join("")));
        expect(ring.after(texts.length - 1)).toBeUndefined();
      },
    ),
  );
});

test("frames that a ring has dropped can be garbage-collected", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const ring = new Ring(1_000);
  const pushed = Array.from({ length: 20 }, (_, index) => {
    const bytes = Buffer.alloc(100_000);
    ring.push(index, index, bytes);
    return new WeakRef(bytes);
  });
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(pushed.filter((reference) => reference.deref()).length).toBeLessThanOrEqual(1);
});
