/** Tests of the store of documents, for every kind of database: generations, reuse of embeddings, ownership, filters and the merged lists of a search. */
import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClaimedJob } from "../../src/store/contract/jobs.ts";
import {
  type ChunkSearch,
  type Content,
  ingestionJob,
  type KnowledgeStore,
  type NewChunk,
  type NewContent,
} from "../../src/store/contract/knowledge.ts";
import { type OpenedStore, openStore } from "../../src/store/open.ts";
import type { OpenDatabase, TestDatabase } from "../support/databases.ts";
import { executeSql } from "../support/execute-sql.ts";
import { testRuntime } from "../support/runtime.ts";

export const embedder = "test/3";
const { signal } = new AbortController();

export function content(values: Partial<NewContent> = {}): NewContent {
  return {
    ...{
      id: "doc",
      knowledgeId: "docs",
      userId: null,
      name: "Doc",
      description: null,
      metadata: null,
      type: "text/plain",
    },
    ...{ size: 3, origin: { kind: "text" }, options: {}, bytes: Buffer.from("abc") },
    ...values,
  };
}

export function chunk(number: number, text: string): NewChunk {
  const hash = createHash("sha256").update(text).digest("hex");
  const at = { page: null, start: number * 10, end: number * 10 + text.length, headings: ["Title"] };
  return { number, text, tokens: text.split(" ").length, hash, ...at, terms: text.toLowerCase().split(" ") };
}

/** A vector whose direction depends on words that the text contains. */
export function vectorOf(text: string): Float32Array {
  return Float32Array.from(["resume", "cursor", "postgres"].map((word) => (text.includes(word) ? 1 : 0.01)));
}

/** Defines the tests for one kind of database. `wrap` adds a store of embeddings. */
export function documentStoreTests(
  openDatabase: OpenDatabase,
  wrap: (store: KnowledgeStore) => KnowledgeStore = (store) => store,
): void {
  let stores: OpenedStore;
  let database: TestDatabase;

  beforeAll(async () => {
    database = await openDatabase();
    const place =
      database.kind === "sqlite" ? { dataDir: database.dataDir } : { database: database.url, dataDir: "unused" };
    const opened = await openStore({ ...place, migrate: true, runtime: testRuntime, processId: randomUUID() });
    stores = { ...opened, knowledge: wrap(opened.knowledge) };
  });

  afterAll(async () => {
    await stores.signals.close();
    await stores.store.close();
  });

  async function claim(found: Content): Promise<ClaimedJob> {
    const request = { kind: ingestionJob, owner: "me", limit: 10, orphans: true, full: [] };
    const job = (await stores.jobs.claim(request)).find(({ id }) => id === String(found.key));
    if (!job) throw new Error("The content has no job.");
    return job;
  }

  async function put(document: NewContent): Promise<Content> {
    const found = await stores.knowledge.put(document);
    if (!found) throw new Error("The content is being ingested.");
    return found;
  }

  /** Embeds the chunks without an embedding. Returns the texts that a model embeds. */
  async function embed(job: ClaimedJob, found: Content): Promise<readonly string[]> {
    const { knowledge } = stores;
    const waiting = await knowledge.pending(found.key, 100);
    const known = await knowledge.knownVectors(found, embedder, waiting, signal);
    const vectors = new Map(waiting.map(({ key, text }) => [key, known.get(key) ?? vectorOf(text)]));
    expect(await knowledge.addVectors(job, found.key, embedder, vectors)).toBe(true);
    expect(await knowledge.pending(found.key, 100)).toEqual([]);
    return waiting.filter(({ key }) => !known.has(key)).map(({ text }) => text);
  }

  async function ingest(document: NewContent, texts: readonly string[]): Promise<Content> {
    const { knowledge } = stores;
    const found = await put(document);
    const job = await claim(found);
    const end = { hash: "h", size: 3, type: "text/plain" };
    await knowledge.addChunks(
      job,
      found.key,
      texts.map((text, number) => chunk(number, text)),
      embedder,
      end,
    );
    await embed(job, found);
    expect(await knowledge.complete(job, found.key)).toBe(true);
    const done = await knowledge.find(document.knowledgeId, null, document.id);
    if (!done) throw new Error("The content is gone.");
    return done;
  }

  const search = (values: Partial<ChunkSearch>) =>
    stores.knowledge.search({
      ...{ knowledgeId: "docs", reader: null, filters: [], terms: [], vector: undefined, embedder, limit: 5 },
      ...values,
    });

  test("a search finds chunks by terms, by vector and by both", async () => {
    const base = "find";
    await ingest(content({ knowledgeId: base }), [
      "resume a stream by cursor",
      "the server uses postgres",
      "weather of the day",
    ]);
    const words = await search({ knowledgeId: base, terms: ["stream", "missing"] });
    expect(words.map(({ text, lexicalRank }) => [text, lexicalRank])).toEqual([["resume a stream by cursor", 1]]);
    const [whole] = await search({ knowledgeId: base, terms: ["stream", "cursor"] });
    // A chunk with all terms of a query has a higher score than one with half of them.
    expect(words[0]?.score).toBeGreaterThan(0);
    expect(whole?.score).toBeGreaterThan(words[0]?.score ?? 1);
    expect(whole?.score).toBeLessThanOrEqual(1);
    const near = await search({ knowledgeId: base, vector: vectorOf("postgres") });
    expect(near[0]).toMatchObject({
      text: "the server uses postgres",
      vectorRank: 1,
      contentId: "doc",
      headings: ["Title"],
    });
    expect(near[0]?.score).toBeGreaterThan(0.99);
    const both = await search({
      knowledgeId: base,
      terms: ["weather", "stream"],
      vector: vectorOf("resume cursor"),
      limit: 2,
    });
    expect(both[0]).toMatchObject({ text: "resume a stream by cursor", vectorRank: 1 });
    expect(both[0]?.lexicalRank).toBeGreaterThan(0);
    expect(both).toHaveLength(2);
  });

  test("a search without an index of embeddings rejects too many chunks once, unless it can use words", async () => {
    const found = await ingest(content({ knowledgeId: "large", id: "large" }), ["resume a run"]);
    const support = await stores.knowledge.prepareVectors(3, "large");
    // SQLite compares all embeddings, and indexes and other stores have no limit.
    if (database.kind === "sqlite" || support?.kind !== "scan" || support.isExtended) return;
    const copies = `select content_key, generation, number + n, body, tokens, hash, embedder, start_offset, end_offset, headings
      from knowledge_chunks, generate_series(1, 20000) as n where content_key = ${found.key}`;
    await executeSql(
      database,
      `with copied as (insert into knowledge_chunks (content_key, generation, number, body, tokens, hash, embedder, start_offset, end_offset, headings)
        ${copies} returning key) insert into knowledge_vectors (chunk_key, embedding) select key, '{1,0,0}' from copied`,
    );
    const vector = vectorOf("resume");
    const large = { knowledgeId: "large", vector };
    await expect(search(large)).rejects.toMatchObject({
      ...{ code: "unsupported", message: expect.stringMatching(/at most 20000 chunks: .*pgvector/) },
    });
    expect(await search({ ...large, terms: ["resume"] })).toMatchObject([{ text: "resume a run", lexicalRank: 1 }]);
  });

  test("an ingestion of changed text replaces the chunks at its end, and keeps the embeddings of equal ones", async () => {
    const base = "again";
    const first = await ingest(content({ knowledgeId: base }), ["resume one", "cursor two"]);
    expect(first).toMatchObject({ status: "completed", generation: 1, chunks: 2, embedded: 2, tokens: 4 });
    const { knowledge } = stores;
    const again = await put(content({ knowledgeId: base }));
    expect(again).toMatchObject({ key: first.key, status: "processing", generation: 1 });
    const job = await claim(again);
    const end = { hash: "h2", size: 5, type: "text/plain" };
    await knowledge.addChunks(job, again.key, [chunk(0, "cursor two"), chunk(1, "postgres three")], embedder, end);
    expect(
      (await search({ knowledgeId: base, terms: ["two", "three", "one"] })).map(({ text }) => text).sort(),
    ).toEqual(["cursor two", "resume one"]);
    expect(await embed(job, again)).toEqual(["postgres three"]);
    await knowledge.complete(job, again.key);
    expect(
      (await search({ knowledgeId: base, terms: ["two", "three", "one"] })).map(({ text }) => text).sort(),
    ).toEqual(["cursor two", "postgres three"]);
    while (await knowledge.sweep(again.key));
    expect((await knowledge.chunks({ key: again.key, generation: 1 }, 0, 10)).length).toBe(0);
    const done = await knowledge.find(base, null, "doc");
    expect((await knowledge.chunks(done as Content, 0, 10)).map(({ text }) => text)).toEqual([
      "cursor two",
      "postgres three",
    ]);
  });

  test("a user finds shared documents and the own ones, never those of another user", async () => {
    const base = "owners";
    await ingest(content({ knowledgeId: base, id: "shared" }), ["resume shared"]);
    await ingest(content({ knowledgeId: base, id: "ada", userId: "ada" }), ["resume ada"]);
    await ingest(content({ knowledgeId: base, id: "bob", userId: "bob" }), ["resume bob"]);
    const found = async (userId: string | undefined) =>
      (
        await search({
          knowledgeId: base,
          reader: userId === undefined ? null : { userId },
          terms: ["resume"],
          vector: vectorOf("resume"),
        })
      )
        .map(({ contentId }) => contentId)
        .sort();
    expect(await found("ada")).toEqual(["ada", "shared"]);
    expect(await found("bob")).toEqual(["bob", "shared"]);
    expect(await found(undefined)).toEqual(["ada", "bob", "shared"]);
    expect(await stores.knowledge.find(base, { userId: "ada" }, "bob")).toBeUndefined();
    const page = { knowledgeId: base, orderBy: "name", descending: false, limit: 10, offset: 0 } as const;
    expect((await stores.knowledge.list({ ...page, reader: { userId: "bob" } })).total).toBe(2);
    await stores.knowledge.removeAll(base, { userId: "bob" });
    expect(await found(undefined)).toEqual(["ada", "shared"]);
  });

  describe("filters", () => {
    beforeAll(async () => {
      const documents = [
        { id: "a", metadata: { year: 2024, team: "core", draft: true } },
        { id: "b", metadata: { year: 2025, team: "docs", draft: false } },
        { id: "c", metadata: { year: "2025", 'odd "name': "it's" } },
        { id: "d", metadata: null },
      ];
      for (const document of documents) await ingest(content({ knowledgeId: "filters", ...document }), ["resume it"]);
    });

    test.each([
      [[{ member: "year", equals: 2025 }], ["b"]],
      [[{ member: "year", equals: "2025" }], ["c"]],
      [[{ member: "draft", equals: true }], ["a"]],
      [[{ member: "team", equals: null }], ["c", "d"]],
      [[{ member: "team", in: ["core", "docs"] }], ["a", "b"]],
      [[{ member: "team", in: [] }], []],
      [[{ member: "year", atLeast: 2024, below: 2025 }], ["a"]],
      [[{ member: 'odd "name', equals: "it's" }], ["c"]],
      [
        [
          { member: "year", above: 2000 },
          { member: "team", equals: "docs" },
        ],
        ["b"],
      ],
    ] satisfies [ChunkSearch["filters"], string[]][])("%j finds %j", async (filters, expected) => {
      for (const by of [{ terms: ["resume"] }, { vector: vectorOf("resume") }]) {
        const found = await search({ knowledgeId: "filters", filters, ...by });
        expect(found.map(({ contentId }) => contentId).sort()).toEqual(expected);
      }
    });
  });

  test("a batch of an attempt that lost its claim is not stored", async () => {
    const { knowledge, jobs } = stores;
    const found = await put(content({ knowledgeId: "claims" }));
    const job = await claim(found);
    await jobs.release(ingestionJob, "me");
    const other = await claim(found);
    const end = { hash: "h", size: 3, type: null };
    expect(await knowledge.addChunks(job, found.key, [chunk(0, "resume")], embedder, end)).toBe(false);
    expect(await knowledge.addChunks(other, found.key, [chunk(0, "resume")], embedder, end)).toBe(true);
    const [waiting] = await knowledge.pending(found.key, 10);
    const vectors = new Map([[waiting?.key ?? 0, vectorOf("resume")]]);
    expect(await knowledge.addVectors(job, found.key, embedder, vectors)).toBe(false);
    expect(await knowledge.cancel(found)).toBe(true);
    expect(await knowledge.addVectors(other, found.key, embedder, vectors)).toBe(false);
    expect(await knowledge.ingestion(other)).toBeUndefined();
    while (await knowledge.sweep(found.key));
    expect(await knowledge.pending(found.key, 10)).toEqual([]);
    expect(await knowledge.retry(found)).toBe(true);
    expect((await knowledge.ingestion(await claim(found)))?.bytes?.toString()).toBe("abc");
  });
}
