import fc from "fast-check";
import { expect, test } from "vitest";
import { readFrames, type SseFrame } from "../../src/engine/remote/sse.ts";

async function framesIn(chunks: Iterable<Uint8Array>): Promise<readonly SseFrame[]> {
  const body = async function* () {
    yield* chunks;
  };
  const frames: SseFrame[] = [];
  for await (const frame of readFrames(body())) frames.push(frame);
  return frames;
}

function* cut(bytes: Buffer, size: number): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

test("readFrames returns the same frames for every split of the bytes and every kind of line end", async () => {
  const end = fc.constantFrom("\n", "\r\n", "\r");
  const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: "grapheme" })), end, sizes, async (texts, lineEnd, pieces) => {
      const data = texts.map((text) => text.replaceAll(/[\r\n]/g, " "));
      const stream = data.map((text, id) => ["event: e", `data: ${text}`, `id: ${id}`, "", ""].join(lineEnd)).join("");
      const bytes = Buffer.from(stream);
      const chunks: Buffer[] = [];
      for (let start = 0, place = 0; start < bytes.length; place++) {
        const size = pieces[place % pieces.length] as number;
        chunks.push(bytes.subarray(start, start + size));
        start += size;
      }
      expect(await framesIn(chunks)).toEqual(data.map((text, id) => ({ event: "e", data: text, id: String(id) })));
    }),
  );
});

test("readFrames reads a line of 8 MiB in 64-byte chunks in one pass", async () => {
  // A search through the whole line for each chunk would take minutes.
  const text = "x".repeat(8 * 1024 * 1024);
  const [frame] = await framesIn(cut(Buffer.from(`data: ${text}\n\n`), 64));
  expect(frame?.data.length).toBe(text.length);
});

test("readFrames rejects a frame above 32 MiB before its line ends", async () => {
  const most = 32 * 1024 * 1024;
  const line = (length: number): Buffer => Buffer.from(`data:${"x".repeat(length - 5)}`);
  expect((await framesIn([line(most), Buffer.from("\n\n")]))[0]?.data.length).toBe(most - 5);
  await expect(framesIn([line(most + 1)])).rejects.toThrow("too large");
});
