import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { framesBefore, framesFrom } from "../../src/model/frame.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { sqliteDialect } from "../../src/store/dialect.ts";
import { encodings } from "../../src/store/encryption/frames.ts";
import { logReads } from "../../src/store/queries/logs/heads.ts";
import { rechunk } from "../../src/store/queries/logs/rechunk.ts";
import { eachDatabase } from "../support/databases.ts";
import { toOlder } from "../support/older-logs.ts";
import { create, eachStore, openOn, put, readLog, segment, to, write } from "./store-fixtures.ts";

/** Creates an ended run whose log has segments of these lengths. */
async function finished(
  store: Store,
  lengths: readonly number[],
  padding = "",
): Promise<{ key: number; text: string }> {
  const key = await create(store);
  let next = 0;
  let text = "";
  for (const length of lengths) {
    const part = segment(next, next + length - 1, padding);
    await put(store, write(key, { segment: part }));
    next += length;
    text += part.frames.toString();
  }
  await put(store, write(key, { transition: to("COMPLETED") }));
  return { key, text };
}

const frame = fc.string({ unit: "binary", maxLength: 40 }).map((text) => `data: ${text.replaceAll("\n", " ")}\n\n`);

/** Makes a segment large enough to be a row of its own on both databases, which may join smaller ones. */
const large = "x".repeat(20_000);

eachStore("logs", (openDatabase) => {
  test("a batch has at least one segment, and ends with the segment that reaches its limit of bytes", async () => {
    const { store } = await openOn(await openDatabase(), { keyProvider: undefined });
    const { key } = await finished(store, [2, 2, 2, 2], large);
    const size = segment(0, 1, large).frames.length;
    const range = async (cursor: number, bytes: number) => {
      const parts = await store.segments(key, cursor, bytes);
      for (const [place, part] of parts.slice(1).entries()) expect(part.firstIndex).toBe(parts[place]!.lastIndex + 1);
      const total = parts.reduce((sum, part) => sum + part.frames.length, 0);
      return [parts[0]?.firstIndex, parts.at(-1)?.lastIndex, total / size];
    };
    expect(await range(-1, 1)).toEqual([0, 1, 1]);
    expect(await range(-1, size)).toEqual([0, 1, 1]);
    expect(await range(-1, size + 1)).toEqual([0, 3, 2]);
    expect(await range(-1, 1e6)).toEqual([0, 7, 4]);
    expect(await range(2, 1e6)).toEqual([2, 7, 3]);
    expect(await range(3, 1e6)).toEqual([4, 7, 2]);
    expect(await range(7, 1e6)).toEqual([undefined, undefined, 0]);
    expect(await range(1e6, 1e6)).toEqual([undefined, undefined, 0]);
  });

  test("a log of 2,500 small segments is read in several batches", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store);
    for (let start = 0; start < 2_500; start += 100) {
      await store.append(Array.from({ length: 100 }, (_, n) => write(key, { segment: segment(start + n, start + n) })));
    }
    expect(await readLog(store, key, -1, 1e9)).toBe(segment(0, 2_499).frames.toString());
    expect(await store.head(key)).toMatchObject({ nextIndex: 2_500 });
  });

  describe("compaction", () => {
    test("keeps every byte of the log, in fewer and larger rows", async () => {
      const { store } = await openOn(await openDatabase());
      const { key, text } = await finished(
        store,
        Array.from({ length: 300 }, () => 1),
      );
      const before = await store.head(key);
      await store.compact(key, 4_096);
      const rows = await store.segments(key, -1, 1e9);
      expect(rows.length).toBe(Math.ceil(text.length / 4_000));
      for (const row of rows) expect(row.frames.length).toBeLessThanOrEqual(4_096);
      expect(await readLog(store, key)).toBe(text);
      expect(await store.head(key)).toEqual(before);
      for (const cursor of [0, 1, 150, 298])
        expect(await readLog(store, key, cursor)).toBe(segment(cursor + 1, 299).frames.toString());
    });

    test("compacts a whole log of more rows than one read returns", async () => {
      const { store } = await openOn(await openDatabase());
      const { key, text } = await finished(
        store,
        Array.from({ length: 1_300 }, () => 1),
      );
      await store.compact(key, 1e6);
      expect((await store.segments(key, -1, 1e9)).length).toBeLessThanOrEqual(2);
      expect(await readLog(store, key)).toBe(text);
      expect(await store.uncompacted(9)).toEqual([]);
    });

    test("happens once per ended run; uncompacted lists the oldest runs first", async () => {
      const { store } = await openOn(await openDatabase());
      const first = await finished(store, [1, 2]);
      const second = await finished(store, [3]);
      const empty = await finished(store, []);
      const paused = await create(store);
      await put(store, write(paused, { segment: segment(0, 1), transition: to("PAUSED") }));
      const running = await create(store);
      await put(store, write(running, { segment: segment(0, 1) }));
      await put(store, write(running, { segment: segment(2, 2) }));
      expect(await store.uncompacted(9)).toEqual([first.key, second.key, empty.key]);
      expect(await store.uncompacted(1)).toEqual([first.key]);
      expect(await store.uncompacted(1, first.key)).toEqual([second.key]);
      expect(await store.uncompacted(9, empty.key)).toEqual([]);
      for (const key of [first.key, second.key, empty.key, paused, running, 777_777]) await store.compact(key, 1e5);
      expect(await store.uncompacted(9)).toEqual([]);
      expect(await readLog(store, running)).toBe(segment(0, 2).frames.toString());
      const rows = await store.segments(first.key, -1, 1e5);
      await store.compact(first.key, 1);
      expect(await store.segments(first.key, -1, 1e5)).toEqual(rows);
      expect(await readLog(store, first.key)).toBe(first.text);
    });

    test("gives a frame larger than the row limit a row of its own", async () => {
      const { store } = await openOn(await openDatabase());
      const { key, text } = await finished(store, [1, 3, 1], "x".repeat(5_000));
      await store.compact(key, 1_000);
      expect(await store.segments(key, -1, 1e6)).toHaveLength(5);
      expect(await readLog(store, key)).toBe(text);
    });

    test("compacts a log larger than one transaction can rewrite", async () => {
      const { store } = await openOn(await openDatabase());
      const { key, text } = await finished(store, [200, 300, 1, 250], "y".repeat(12_000));
      await store.compact(key, 256 * 1_024);
      const rows = await store.segments(key, -1, 1e9);
      expect(rows.length).toBeLessThan(50);
      expect(await readLog(store, key, -1, 1e6)).toBe(text);
      expect(await store.uncompacted(1)).toEqual([]);
    });

    test("lets concurrent readers read every byte once", async () => {
      const { store } = await openOn(await openDatabase());
      const { key, text } = await finished(
        store,
        Array.from({ length: 400 }, (_, n) => (n % 3) + 1),
      );
      const readers = [700, 1_500, 4_000, 20_000].map((batch) => readLog(store, key, -1, batch));
      const compactions = [store.compact(key, 3_000), store.compact(key, 5_000)];
      for (const read of await Promise.all(readers)) expect(read).toBe(text);
      await Promise.all(compactions);
      await store.compact(key, 2_000);
      expect(await readLog(store, key)).toBe(text);
      expect(await store.head(key)).toMatchObject({ nextIndex: 799 });
    });

    test("leaves the bytes of any log unchanged, without a gap between rows", async () => {
      const { store } = await openOn(await openDatabase());
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(frame, { minLength: 1, maxLength: 6 }), { maxLength: 12 }),
          fc.integer({ min: 1, max: 400 }),
          fc.nat(80),
          async (flushes, rowBytes, cursor) => {
            const key = await create(store, { policy: "parallel" });
            let next = 0;
            for (const frames of flushes) {
              const part = {
                firstIndex: next,
                lastIndex: next + frames.length - 1,
                frames: Buffer.from(frames.join("")),
              };
              await put(store, write(key, { segment: part }));
              next += frames.length;
            }
            await put(store, write(key, { transition: to("COMPLETED") }));
            const texts = flushes.flat();
            const after = texts.slice(cursor + 1).join("");
            await store.compact(key, rowBytes);
            const rows = await store.segments(key, -1, 1e6);
            expect(Buffer.concat(rows.map((row) => row.frames)).toString()).toBe(texts.join(""));
            let expected = 0;
            for (const row of rows) {
              expect(row.firstIndex).toBe(expected);
              expected = row.lastIndex + 1;
            }
            expect(expected).toBe(next);
            const tail = Buffer.concat((await store.segments(key, cursor, 1e6)).map((row) => row.frames)).toString();
            expect(tail.endsWith(after)).toBe(true);
          },
        ),
        { numRuns: 25 },
      );
    });
  });

  describe("expiry", () => {
    test("deletes whole rows, and head returns the first index that is kept", async () => {
      const { store } = await openOn(await openDatabase());
      const { key } = await finished(store, [3, 3, 3], large);
      await store.expireEvents(key, 5);
      expect(await store.head(key)).toMatchObject({ firstKept: 3, nextIndex: 9 });
      expect(await readLog(store, key)).toBe(segment(3, 8, large).frames.toString());
      await store.expireEvents(key, 2);
      expect(await store.head(key)).toMatchObject({ firstKept: 3, nextIndex: 9 });
      await store.compact(key, 1e6);
      expect(await readLog(store, key)).toBe(segment(3, 8, large).frames.toString());
      await store.expireEvents(key, 100);
      expect(await store.head(key)).toMatchObject({ firstKept: 9, nextIndex: 9 });
      expect(await store.segments(key, -1, 1e6)).toEqual([]);
      await store.expireEvents(key, 100);
      expect(await store.head(key)).toMatchObject({ firstKept: 9, nextIndex: 9 });
    });

    test("deletes nothing of a paused run", async () => {
      const { store } = await openOn(await openDatabase());
      const key = await create(store);
      await put(store, write(key, { segment: segment(0, 3), transition: to("PAUSED") }));
      await store.expireEvents(key, 4);
      await store.expireEvents(888_888, 4);
      expect(await store.head(key)).toMatchObject({ firstKept: 0, nextIndex: 4 });
      expect(await readLog(store, key)).toBe(segment(0, 3).frames.toString());
    });
  });
});

describe("rechunk", () => {
  test("makes pieces as large as the limit allows", () => {
    const parts = [segment(0, 9), segment(10, 10), segment(11, 30)];
    const size = segment(10, 10).frames.length;
    const pieces = rechunk(parts, 3 * size);
    expect(pieces.slice(0, -1).every((piece) => piece.frames.length > 2 * size)).toBe(true);
    expect(Buffer.concat(pieces.map((piece) => piece.frames)).equals(segment(0, 30).frames)).toBe(true);
  });

  test("keeps bytes that are not frames in one piece", () => {
    const odd = { firstIndex: 4, lastIndex: 6, frames: Buffer.from("a\n\nb\n\nc") };
    expect(rechunk([odd], 2)).toEqual([odd]);
    expect(rechunk([], 10)).toEqual([]);
  });
});

eachDatabase("the log format of version 0.1.0", (openDatabase) => {
  test("a log with frames of 0.1.0 is read in the current format, and compaction stores it in that format", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store);
    // If both versions write to one log and the older one compacts it, a row contains frames of both.
    const [older, both, today] = [segment(0, 4), segment(5, 9), segment(10, 12)];
    const half = framesFrom(both.frames, 5, 7);
    const mixed = { ...both, frames: Buffer.concat([framesBefore(both.frames, 5, 7), toOlder(half)]) };
    for (const stored of [{ ...older, frames: toOlder(older.frames) }, mixed, today])
      await put(store, write(key, { segment: stored }));
    await put(store, write(key, { segment: segment(13, 13), transition: to("COMPLETED") }));
    const text = segment(0, 13).frames.toString();
    for (const cursor of [-1, 2, 5, 7, 9]) {
      expect(await readLog(store, key, cursor)).toBe(segment(cursor + 1, 13).frames.toString());
    }
    await store.compact(key, 1e6);
    expect(await readLog(store, key)).toBe(text);
    expect((await store.segments(key, -1, 1e9)).length).toBe(1);
  });
});

test("events of a buffer that becomes a row of the table while a log is read are read once", async () => {
  const frames = (from: number, to: number): Buffer =>
    Buffer.concat(Array.from({ length: to - from + 1 }, (_, place) => Buffer.from(`data: ${from + place}\n\n`)));
  const buffered = [
    { firstIndex: 0, lastIndex: 1, frames: frames(0, 1) },
    { firstIndex: 2, lastIndex: 3, frames: frames(2, 3) },
    { firstIndex: 4, lastIndex: 5, frames: frames(4, 5) },
  ];
  // The table is read later than the buffer, when it has the first two parts already.
  const row = { firstIndex: 0, lastIndex: 3, encoding: encodings.plain, size: 40, frames: frames(0, 3) };
  const { segments } = logReads({
    dialect: sqliteDialect,
    writeBuffer: { nextIndex: () => 6, after: () => buffered },
    read: async <O>() => [row] as unknown as readonly O[],
  });
  const read = await segments(1, -1, 1_000);
  expect(read.map(({ firstIndex, lastIndex }) => [firstIndex, lastIndex])).toEqual([
    [0, 3],
    [4, 5],
  ]);
});
