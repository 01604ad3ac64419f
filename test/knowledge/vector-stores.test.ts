/** Embeddings in a store outside of the database: crashes, removals, changed metadata, isolation. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineKnowledge } from "../../src/define/knowledge.ts";
import type { VectorStore } from "../../src/define/vector-store.ts";
import { textEmbedder } from "../../src/knowledge/embedder.ts";
import { lexicalEmbedder } from "../../src/knowledge/lexical-embedder.ts";
import { searchKnowledge } from "../../src/knowledge/search.ts";
import { withVectorStores } from "../../src/knowledge/vectors/vector-stores.ts";
import { noMeasurements } from "../../src/model/measurements.ts";
import type { ClaimedJob } from "../../src/store/contract/jobs.ts";
import {
  type Content,
  ingestionJob,
  type KnowledgeStore,
  metadataJob,
  type NewContent,
  type SearchMode,
  sweepJob,
} from "../../src/store/contract/knowledge.ts";
import { type OpenedStore, openStore } from "../../src/store/open.ts";
import { eachDatabase } from "../support/databases.ts";
import { testRuntime } from "../support/runtime.ts";
import { chunk, content, documentStoreTests, embedder, vectorOf } from "./document-store.ts";
import { basesWith, type MemoryVectors, memoryVectors } from "./support/memory-vectors.ts";

eachDatabase("documents with embeddings in a vector store", (openDatabase) => {
  documentStoreTests(openDatabase, (store) => withVectorStores(store, basesWith(memoryVectors("test"))));
});

eachDatabase("a vector store", (openDatabase) => {
  // It returns everything, so that only the database decides what is visible.
  const vectors = memoryVectors("test", false);
  let stores: OpenedStore;
  let knowledge: KnowledgeStore;

  beforeAll(async () => {
    const database = await openDatabase();
    const place =
      database.kind === "sqlite" ? { dataDir: database.dataDir } : { database: database.url, dataDir: "unused" };
    stores = await openStore({ ...place, migrate: true, runtime: testRuntime, processId: randomUUID() });
    knowledge = withVectorStores(stores.knowledge, basesWith(vectors));
  });

  afterAll(async () => {
    await stores.signals.close();
    await stores.store.close();
  });

  async function claim(kind: string, { key }: Content): Promise<ClaimedJob | undefined> {
    const request = { kind, owner: "me", limit: 100, orphans: true, full: [] };
    return (await stores.jobs.claim(request)).find(({ id }) => id === String(key));
  }

  async function begin(document: NewContent, texts: readonly string[]) {
    const found = await knowledge.put(document);
    const job = found && (await claim(ingestionJob, found));
    if (!found || !job) throw new Error("The document is being ingested.");
    const end = { hash: "h", size: 3, type: "text/plain" };
    const chunks = texts.map((text, number) => chunk(number, text));
    await knowledge.addChunks(job, found.key, chunks, embedder, end);
    const waiting = await knowledge.pending(found.key, 100);
    return { found, job, embeddings: new Map(waiting.map(({ key, text }) => [key, vectorOf(text)])) };
  }

  async function ingest(document: NewContent, texts: readonly string[]): Promise<Content> {
    const { found, job, embeddings } = await begin(document, texts);
    expect(await knowledge.addVectors(job, found.key, embedder, embeddings)).toBe(true);
    expect(await knowledge.complete(job, found.key)).toBe(true);
    return found;
  }

  const pointsOf = ({ key }: Content) => [...vectors.points.values()].filter(({ document }) => document === `${key}`);

  const find = async (userId: string | null, filters: Parameters<KnowledgeStore["search"]>[0]["filters"] = []) =>
    (
      await knowledge.search({
        ...{ knowledgeId: "docs", reader: userId === null ? null : { userId }, filters, terms: [] },
        ...{ vector: vectorOf("resume"), embedder, limit: 5 },
      })
    ).map(({ contentId }) => contentId);

  async function clear(): Promise<void> {
    await knowledge.removeAll("docs", null);
    for (const document of new Set([...vectors.points.values()].map((point) => point.document)))
      while (await knowledge.sweep(Number(document)));
    expect(vectors.points.size).toBe(0);
  }

  test("receives vectors, ids and filter values, and no text", async () => {
    const done = await ingest(content({ id: "a", userId: "ada", metadata: { team: "core" } }), ["resume secret"]);
    const [point] = pointsOf(done);
    expect(point).toMatchObject({ knowledgeId: "docs", owner: "ada", metadata: { team: "core" }, embedder });
    expect(JSON.stringify([...vectors.points.values()])).not.toContain("secret");
    await clear();
  });

  test("has each vector once when a process dies between the store and the database", async () => {
    const { found, job, embeddings } = await begin(content({ id: "crash" }), ["resume one", "cursor two"]);
    // The vectors are stored; the transaction that marks their chunks does not happen.
    const died = withVectorStores(
      {
        ...stores.knowledge,
        async markEmbedded(...values) {
          const [, , , keys] = values;
          if (keys.length > 0) throw new Error("The process died.");
          return await stores.knowledge.markEmbedded(...values);
        },
      },
      basesWith(vectors),
    );
    await expect(died.addVectors(job, found.key, embedder, embeddings)).rejects.toThrow("died");
    expect(pointsOf(found)).toHaveLength(2);
    expect(await knowledge.pending(found.key, 10)).toHaveLength(2);
    await stores.jobs.release(ingestionJob, "me");
    const again = (await claim(ingestionJob, found)) as ClaimedJob;
    expect(await knowledge.addVectors(again, found.key, embedder, embeddings)).toBe(true);
    expect(await knowledge.complete(again, found.key)).toBe(true);
    expect(pointsOf(found)).toHaveLength(2);
    expect(await find(null)).toEqual(["crash", "crash"]);
    await clear();
  });

  test("that ignores owners and filters shows no document of another user, and none that the filters exclude", async () => {
    await ingest(content({ id: "shared", metadata: { year: 2024 } }), ["resume shared"]);
    await ingest(content({ id: "ada", userId: "ada", metadata: { year: 2025 } }), ["resume ada"]);
    for (let number = 0; number < 30; number++)
      await ingest(content({ id: `bob-${number}`, userId: "bob" }), ["resume bob"]);
    expect((await find("ada")).sort()).toEqual(["ada", "shared"]);
    expect(await find("eve")).toEqual(["shared"]);
    expect(await find(null, [{ member: "year", atLeast: 2025 }])).toEqual(["ada"]);
    expect(await find("bob")).toHaveLength(5);
    await clear();
  });

  test("keeps the vectors of a removed document until its job removes them, and no search finds them", async () => {
    const done = await ingest(content({ id: "gone" }), ["resume one"]);
    await knowledge.remove(done);
    expect(pointsOf(done)).toHaveLength(1);
    expect(await find(null)).toEqual([]);
    vectors.isDown = true;
    await expect(knowledge.sweep(done.key)).rejects.toThrow("refused");
    vectors.isDown = false;
    expect(await claim(sweepJob, done)).toBeDefined();
    while (await knowledge.sweep(done.key));
    expect(pointsOf(done)).toEqual([]);
  });

  test("loses the vectors of replaced chunks, and keeps those of equal ones", async () => {
    const done = await ingest(content({ id: "new" }), ["resume one", "cursor two"]);
    await ingest(content({ id: "new" }), ["resume one"]);
    while (await knowledge.sweep(done.key));
    expect(pointsOf(done)).toHaveLength(1);
    expect(await find(null)).toEqual(["new"]);
    await clear();
  });

  test("has no vector of an erased user after the jobs of the user's documents", async () => {
    const done = await ingest(content({ id: "mine", userId: "zoe" }), ["resume one"]);
    for await (const _ of stores.userData.eraseOthers("zoe"));
    expect(pointsOf(done)).toHaveLength(1);
    expect(await claim(sweepJob, done)).toBeDefined();
    while (await knowledge.sweep(done.key));
    expect(vectors.points.size).toBe(0);
  });

  test("receives changed metadata, also of vectors that are being stored", async () => {
    const done = await ingest(content({ id: "meta", metadata: { team: "core" } }), ["resume one"]);
    await knowledge.change(done, { metadata: { team: "docs" } });
    expect(await claim(metadataJob, done)).toBeDefined();
    await knowledge.refreshMetadata(done.key);
    expect(pointsOf(done)).toMatchObject([{ metadata: { team: "docs" } }]);

    const { found, job, embeddings } = await begin(content({ id: "late", metadata: { team: "core" } }), ["resume two"]);
    const racing = withVectorStores(
      {
        ...stores.knowledge,
        async markEmbedded(...values) {
          const [, , , keys] = values;
          if (keys.length > 0) await stores.knowledge.change(found, { metadata: { team: "docs" } });
          return await stores.knowledge.markEmbedded(...values);
        },
      },
      basesWith(vectors),
    );
    expect(await racing.addVectors(job, found.key, embedder, embeddings)).toBe(true);
    expect(pointsOf(found)).toMatchObject([{ metadata: { team: "docs" } }]);
    await knowledge.complete(job, found.key);
    await clear();
  });

  test("has no vectors of a document that was removed while they were stored", async () => {
    const { found, job, embeddings } = await begin(content({ id: "race" }), ["resume one"]);
    const late = withVectorStores(
      {
        ...stores.knowledge,
        async markEmbedded(...values) {
          const [, , , keys] = values;
          if (keys.length > 0) {
            expect(pointsOf(found)).toHaveLength(1);
            await stores.knowledge.remove(found);
            while (await stores.knowledge.sweep(found.key));
          }
          return await stores.knowledge.markEmbedded(...values);
        },
      },
      basesWith(vectors),
    );
    expect(await late.addVectors(job, found.key, embedder, embeddings)).toBe(false);
    expect(pointsOf(found)).toEqual([]);
  });

  test("receives no vectors of an attempt whose job another attempt holds", async () => {
    const { found, job, embeddings } = await begin(content({ id: "stale" }), ["resume one"]);
    await knowledge.cancel(found);
    expect(await knowledge.retry(found)).toBe(true);
    const next = (await claim(ingestionJob, found)) as ClaimedJob;
    expect(await knowledge.addVectors(job, found.key, embedder, embeddings)).toBe(false);
    expect(pointsOf(found)).toEqual([]);
    expect(await knowledge.addVectors(next, found.key, embedder, embeddings)).toBe(true);
    expect(pointsOf(found)).toHaveLength(1);
    await knowledge.cancel(found);
    await clear();
  });

  test("has the latest metadata when calls with earlier metadata end last", async () => {
    const done = await ingest(content({ id: "order", metadata: { team: "core" } }), ["resume one"]);
    const late: MemoryVectors = {
      ...vectors,
      async setMetadata(document, metadata, signal) {
        if (metadata.team === "core") await knowledge.change(done, { metadata: { team: "docs" } });
        await vectors.setMetadata(document, metadata, signal);
      },
    };
    await withVectorStores(stores.knowledge, basesWith(late)).refreshMetadata(done.key);
    expect(pointsOf(done)).toMatchObject([{ metadata: { team: "docs" } }]);
    await clear();
  });

  test("that is down makes a vector search unavailable, and a hybrid search uses words only: each is counted, the first one is logged", async () => {
    const done = await ingest(content({ id: "down", knowledgeId: "find" }), ["cursor of a stream"]);
    const lacks: string[] = [];
    const logged: unknown[] = [];
    const write = (level: string) => (_: unknown, text: unknown) => logged.push([level, text]);
    const runtime = {
      ...testRuntime,
      log: { ...testRuntime.log, warn: write("warn"), info: write("info") },
      measurements: { ...noMeasurements, wordsOnly: (lack: string) => lacks.push(lack) },
    };
    const embedding = {
      ...textEmbedder(lexicalEmbedder()),
      ...{ id: embedder, embed: async () => ({ vectors: [vectorOf("cursor")], tokens: 0 }) },
    };
    const search = (mode: SearchMode) =>
      searchKnowledge(
        { store: knowledge, runtime },
        { embedder: embedding, reranker: undefined },
        { knowledgeId: "find", reader: null, text: "cursor", mode },
        new AbortController().signal,
      );
    const found = { contentId: done.id, lexicalRank: 1 };
    expect(await search("hybrid")).toEqual({ found: [expect.objectContaining({ ...found, vectorRank: 1 })] });
    vectors.isDown = true;
    await expect(search("vector")).rejects.toMatchObject({ code: "unavailable" });
    for (let n = 0; n < 2; n++)
      expect(await search("hybrid")).toEqual({
        found: [expect.objectContaining({ ...found, vectorRank: undefined })],
        lack: "vector_store",
      });
    expect(await search("lexical")).toMatchObject({ found: [found], lack: undefined });
    vectors.isDown = false;
    expect(await search("hybrid")).toMatchObject({ found: [{ vectorRank: 1 }], lack: undefined });
    expect(lacks).toEqual(["vector_store", "vector_store"]);
    expect(logged).toEqual([
      ["warn", "Hybrid searches use words only, because the vector store fails."],
      ["info", "Hybrid searches use embeddings again."],
    ]);
    await knowledge.remove(done);
    await clear();
  });
});

describe("defineKnowledge", () => {
  const embedding = lexicalEmbedder();
  test.each([
    [null, /must be a vector store with an id/],
    [{ id: "" }, /must be a vector store with an id/],
    [{ ...memoryVectors("mine"), search: undefined }, /"mine" has no function search/],
  ])("refuses the vector store %j", (vectors, message) => {
    expect(() =>
      defineKnowledge({ id: "docs", embedder: embedding, vectors: vectors as unknown as VectorStore }),
    ).toThrow(message);
  });
});
