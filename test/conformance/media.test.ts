/** Images, audio, videos and documents: as a client sends them, as a model receives them, and in records. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { defineAgent, remoteAgent } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase, type OpenDatabase } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";
import { repetitions } from "../support/repetitions.ts";

type Item = Readonly<Record<string, unknown>>;
type Lists = Readonly<Record<string, readonly Item[]>>;

const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString("base64");

/** An agent that receives media, and access to its model's input. */
async function openReader(openDatabase: OpenDatabase) {
  const model = scriptedModel(() => "Seen.");
  const server = await openServer(await openDatabase(), { agents: [defineAgent({ id: "reader", model })] });
  const path = "/agents/reader/runs";
  return {
    server,
    async send(lists: Lists) {
      const texts = Object.entries(lists).map(([name, items]) => [name, JSON.stringify(items)] as const);
      return await server.client.post(path, { message: "see", stream: false, ...Object.fromEntries(texts) });
    },
    /** Reads a run's record again. */
    async record({ run_id, session_id }: { readonly run_id: string; readonly session_id: string }) {
      return (await server.client.get(`${path}/${run_id}?session_id=${session_id}`)).body;
    },
    /** The media parts of the model's last input, after the message. */
    given(): readonly unknown[] {
      const content = model.calls.at(-1)?.prompt.at(-1)?.content;
      return Array.isArray(content) ? content.slice(1) : [];
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

eachDatabase("media", (openDatabase) => {
  test("the content of a text document is plain text, and of any other document base64", async () => {
    await using reader = await openReader(openDatabase);
    const texts = [
      { content: "Hello, world! text.", mime_type: "text/plain", filename: "a.txt" },
      { content: "abcd", mime_type: "text/markdown", filename: "b.md" },
      { content: " ", mime_type: "text/csv", filename: "c.csv" },
    ];
    const files = [
      ...texts,
      { content: base64('{"a":1}'), mime_type: "application/json", filename: "d.json" },
      { content: base64("%PDF-1.4"), mime_type: "application/pdf", filename: "e.pdf" },
    ];
    const { status, body } = await reader.send({ input_files: files });
    expect(status).toBe(200);
    expect(body.input.files).toEqual(files);
    expect(body.messages[0].files).toEqual(files);
    expect(reader.given()).toEqual([
      ...texts.map(({ filename, content }) => ({
        type: "text",
        text: `<file name="${filename}">\n${content}\n</file>`,
      })),
      { type: "text", text: '<file name="d.json">\n{"a":1}\n</file>' },
      {
        ...{ type: "file", mediaType: "application/pdf", filename: "e.pdf" },
        data: { type: "data", data: base64("%PDF-1.4") },
      },
    ]);
  });

  test("a document without a media type, or with a text-like one, is read as text if it is not base64", async () => {
    await using reader = await openReader(openDatabase);
    const json = { content: '{"a":1}', mime_type: "application/json" };
    const { body } = await reader.send({ input_files: [{ content: "Hello, world!", filename: "a.txt" }, json] });
    expect(body.input.files).toEqual([
      { content: base64("Hello, world!"), filename: "a.txt" },
      { ...json, content: base64('{"a":1}') },
    ]);
    expect(reader.given()).toEqual([
      { type: "text", text: '<file name="a.txt">\nHello, world!\n</file>' },
      { type: "text", text: '<file name="file">\n{"a":1}\n</file>' },
    ]);
  });

  test("the record omits members that the client did not specify, and the model receives a detected media type", async () => {
    await using reader = await openReader(openDatabase);
    const png = base64(Buffer.from("\x89PNG\r\n", "latin1"));
    const lists = {
      images: [{ url: "https://example.com/a.png" }, { content: png }],
      input_files: [
        { url: "https://example.com/a.PDF?x=1" },
        { content: base64("xyz"), filename: "a.pdf" },
        { content: base64(new Uint8Array([0, 1])), filename: "a.bin" },
        { content: base64("%PDF-1.4"), mime_type: null },
        { content: base64("a text"), name: "letter" },
      ],
    };
    const { body } = await reader.send(lists);
    const files = lists.input_files.map(({ mime_type: _, ...file }) => file);
    expect(body.input).toEqual({ input_content: "see", images: lists.images, files });
    expect((await reader.record(body)).input).toEqual(body.input);
    expect(body.messages[0]).toMatchObject({ images: lists.images, files });
    expect(reader.given()).toMatchObject([
      { mediaType: "image/png" },
      { mediaType: "image/png" },
      { mediaType: "application/pdf", data: { type: "url" } },
      { mediaType: "application/pdf", filename: "a.pdf" },
      { mediaType: "application/octet-stream", filename: "a.bin" },
      { mediaType: "application/pdf" },
      { type: "text", text: '<file name="letter">\na text\n</file>' },
    ]);
  });

  test("the record keeps all described members of media, and calls the input's audio audios", async () => {
    await using reader = await openReader(openDatabase);
    const image = { id: "i", url: "https://example.com/a", detail: "low", alt_text: "a cat", format: "gif" };
    const sound = { id: "a", content: "MTIz", format: "wav", transcript: "one two", sample_rate: 24000, channels: 1 };
    const video = { id: "v", url: "https://example.com/a.mp4", duration: 1.5, width: 640, eta: "soon" };
    const file = { id: "f", content: "x", mime_type: "text/plain", name: "n", size: 1, file_type: "t", filename: "m" };
    const { status, body } = await reader.send({
      images: [{ ...image, unknown: "left out", revised_prompt: null }],
      audio: [sound],
      videos: [video],
      input_files: [file],
    });
    expect(status).toBe(200);
    const input = { input_content: "see", images: [image], audios: [sound], videos: [video], files: [file] };
    expect(body.input).toEqual(input);
    expect(body.messages[0]).toMatchObject({ images: [image], audio: [sound], videos: [video], files: [file] });
    expect((await reader.record(body)).input).toEqual(input);
    const { body: listed } = await reader.server.client.get(`/agents/reader/runs?session_id=${body.session_id}`);
    const { content: _, ...heard } = sound;
    expect(listed[0].input_media.audios).toEqual([heard]);
    const low = { openai: { imageDetail: "low" } };
    expect(reader.given()).toMatchObject([
      { mediaType: "image/gif", providerOptions: low },
      { mediaType: "audio/wav" },
      { mediaType: "video/mp4" },
      { type: "text" },
    ]);
  });

  test("media without content or url, with both, or with invalid base64 return 422 with the reason", async () => {
    await using reader = await openReader(openDatabase);
    const sources =
      "Value error, give one of url and content: paths on the server (filepath) and files that a model's provider has (id, external) are not read";
    for (const [item, told] of [
      [{ id: "file-abc" }, sources],
      [{ filepath: "/etc/passwd" }, sources],
      [{ external: { uri: "files/1" } }, sources],
      [{ url: "https://example.com/a", content: "eHl6" }, sources],
      [{ content: "%%%", mime_type: "application/pdf" }, "Value error, must be base64"],
      [{ content: "===", mime_type: "application/pdf" }, "Value error, must be base64"],
      [{ url: "data:application/pdf;base64,%%%" }, "Value error, must be an http, https or data address"],
      [{ url: "file:///etc/passwd" }, "Value error, must be an http, https or data address"],
    ] as const) {
      const { status, body } = await reader.send({ input_files: [item] });
      expect([item, status, body.detail]).toEqual([item, 422, expect.stringContaining(told)]);
    }
    expect((await reader.send({ images: [{ content: "Hello!", mime_type: "text/plain" }] })).status).toBe(422);
    expect(reader.given()).toEqual([]);
  });

  test("media from a record can be sent again, with the same record and the same model input", async () => {
    await using reader = await openReader(openDatabase);
    const renamed = ({ images, audios, videos, files }: Lists): Lists =>
      Object.fromEntries(
        Object.entries({ images, audio: audios, videos, input_files: files }).filter(([, list]) => list !== undefined),
      ) as Lists;
    await fc.assert(
      fc.asyncProperty(anyLists, async (lists) => {
        const first = await reader.send(lists);
        expect([first.status, first.body.detail]).toEqual([200, undefined]);
        const given = reader.given();
        const { input_content: _, ...input } = (await reader.record(first.body)).input;
        const again = await reader.send(renamed(input));
        expect([again.status, again.body.detail]).toEqual([200, undefined]);
        expect(again.body.input).toEqual(first.body.input);
        expect(reader.given()).toEqual(given);
      }),
      { numRuns: repetitions(40) },
    );
  });

  test("a remote agent receives the media, and its run has the same record", async () => {
    await using there = await openReader(openDatabase);
    const url = there.server.client.address.origin;
    const far = remoteAgent({ id: "reader", url });
    await using here = await openServer(await openDatabase(), { agents: [far] });
    const lists = {
      audio: JSON.stringify([{ id: "a", content: "MTIz", transcript: "one" }]),
      input_files: JSON.stringify([
        { content: "Hello, world!", mime_type: "text/plain", filename: "a.txt" },
        { url: "data:text/plain;base64,/w==", filename: "b.txt" },
        { url: "https://example.com/a.pdf", format: "pdf" },
      ]),
    };
    const form = { message: "see", stream: false, session_id: "s", ...lists };
    const { status, body } = await here.client.post("/agents/reader/runs", form);
    expect([status, body.content]).toEqual([200, "Seen."]);
    const [run] = (await there.server.client.get("/agents/reader/runs?session_id=s")).body;
    const record = await there.record({ run_id: run.run_id, session_id: "s" });
    expect(record.input).toEqual(body.input);
    expect(record.input.files[0].content).toBe("Hello, world!");
  });
});

const words = fc.string({ unit: "binary", maxLength: 20 }).map((text) => text.toWellFormed());
const option = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const someBytes = fc.uint8Array({ minLength: 1, maxLength: 40 });

const packed = someBytes.map((bytes) => ({ content: base64(bytes) }));
const addressed = fc.webUrl().map((url) => ({ url }));
const inAddress = fc
  .tuple(fc.constantFrom("", "text/plain", "application/pdf", "image/png"), someBytes, fc.integer({ min: 0, max: 2 }))
  .map(([type, bytes, padding]) => ({
    url: `data:${type};base64,${base64(bytes).replace(/=+$/, "=".repeat(padding))}`,
  }));

const told = fc.record({ id: option(words), format: option(fc.constantFrom("wav", "mp3", "png", "PDF", "x y")) });
const item = (
  source: fc.Arbitrary<object>,
  type: fc.Arbitrary<string | undefined>,
  more: fc.Arbitrary<object> = fc.constant({}),
) =>
  fc
    .tuple(source, fc.record({ mime_type: type }), told, more)
    .map(
      (parts): Item =>
        Object.fromEntries(parts.flatMap((part) => Object.entries(part).filter(([, v]) => v !== undefined))),
    );

const types = fc.constantFrom(undefined, "image/png", "image/*", "application/octet-stream");
const named = fc.record({ filename: option(words), name: option(words) });
const textType = fc.constantFrom("text/plain", "text/csv", "TEXT/HTML", "text/*");
const textContent = fc.string({ unit: "binary", minLength: 1 }).map((content) => ({ content }));
const documents = fc.oneof(
  item(textContent, textType, named),
  item(fc.oneof(packed, addressed), fc.constantFrom(undefined, "application/pdf", "application/json", "x/y"), named),
  item(inAddress, fc.constantFrom(undefined, "text/plain", "application/xml"), named),
  item(textContent, fc.constant(undefined), named),
);
const seen = fc.array(item(fc.oneof(packed, addressed, inAddress), types), { maxLength: 2 });
const anyLists: fc.Arbitrary<Lists> = fc.record({
  images: seen,
  audio: seen,
  videos: seen,
  input_files: fc.array(documents, { maxLength: 3 }),
});
