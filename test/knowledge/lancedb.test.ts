/** Embeddings in LanceDB. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { VectorPoint, VectorSearch, VectorStore } from "../../src/define/vector-store.ts";
import { lanceDbStore, lanceDbVectors } from "../../src/knowledge/vectors/lancedb.ts";
import { withVectorStores } from "../../src/knowledge/vectors/vector-stores.ts";
import { openDatabaseOf } from "../support/databases.ts";
import { documentStoreTests } from "./document-store.ts";
import { installLanceDb } from "./support/lancedb.ts";
import { basesWith } from "./support/memory-vectors.ts";

const installed = await installLanceDb();
if ("missing" in installed) console.warn(`${installed.missing} The tests of LanceDB are skipped.`);
const { signal } = new AbortController();
const folders: string[] = [];

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "troupe-lancedb-"));
  folders.push(made);
  return made;
}

const open = (uri: string): VectorStore =>
  lanceDbStore({ uri }, async () => {
    if ("missing" in installed) throw new Error(installed.missing);
    return installed.package;
  });

afterAll(async () => {
  for (const made of folders) await rm(made, { recursive: true, force: true });
});

describe.skipIf("missing" in installed)("documents with embeddings in LanceDB", async () => {
  const vectors = open(await folder());
  documentStoreTests(
    () => openDatabaseOf("sqlite"),
    (store) => withVectorStores(store, basesWith(vectors)),
  );
});

describe.skipIf("missing" in installed)("LanceDB", () => {
  const point = (id: string, vector: readonly number[], values: Partial<VectorPoint> = {}): VectorPoint => ({
    ...{ id, embedder: "test/3", vector: Float32Array.from(vector), knowledgeId: "docs", document: "1" },
    ...{ owner: "", metadata: {}, ...values },
  });
  const search = (values: Partial<VectorSearch> = {}): VectorSearch => ({
    ...{ embedder: "test/3", vector: Float32Array.from([1, 0, 0]), knowledgeId: "docs", owners: undefined },
    ...{ filters: [], limit: 10, ...values },
  });

  test("stores a vector once, also of another process, and finds the nearest first", async () => {
    const uri = await folder();
    const [one, other] = [open(uri), open(uri)];
    expect(await one.search(search(), signal)).toEqual([]);
    await one.upsert([point("1-1", [0, 1, 0]), point("1-2", [1, 0.1, 0])], signal);
    await other.upsert([point("1-2", [1, 0, 0]), point("1-3", [1, 1, 0])], signal);
    await one.upsert([point("1-2", [1, 0, 0])], signal);
    const found = await open(uri).search(search(), signal);
    expect(found.map(({ id }) => id)).toEqual(["1-2", "1-3", "1-1"]);
    expect(found.map(({ distance }) => distance)).toEqual([
      expect.closeTo(0, 5),
      expect.closeTo(1 - Math.SQRT1_2, 5),
      expect.closeTo(1, 5),
    ]);
    const stored = await other.read({ embedder: "test/3", ids: ["1-1", "none"] }, signal);
    expect([...stored]).toEqual([["1-1", Float32Array.from([0, 1, 0])]]);
    expect((await other.read({ embedder: "else", ids: ["1-1"] }, signal)).size).toBe(0);
  });

  test("finds only vectors of the owners, the knowledge base and the filters, whose values it takes as they are", async () => {
    const store = open(await folder());
    const odd = 'it\'s "odd" \\ = %';
    await store.upsert(
      [
        point("1-1", [1, 0, 0], { metadata: { team: "core", year: 2024, draft: true, list: ["core"] } }),
        point("2-2", [1, 0, 0], { document: "2", owner: "ada", metadata: { [odd]: odd } }),
        point("3-3", [1, 0, 0], { document: "3", owner: odd, metadata: { team: "docs", year: "2024" } }),
        point("4-4", [1, 0, 0], { document: "4", knowledgeId: "else" }),
        point("5-5", [1, 0], { document: "5" }),
        point("6-6", [1, 0, 0], { document: "6", embedder: "else" }),
      ],
      signal,
    );
    const ids = async (values: Partial<VectorSearch>) =>
      (await store.search(search(values), signal)).map(({ id }) => id).sort();
    expect(await ids({})).toEqual(["1-1", "2-2", "3-3"]);
    expect(await ids({ owners: ["", "ada"] })).toEqual(["1-1", "2-2"]);
    expect(await ids({ owners: ["", odd] })).toEqual(["1-1", "3-3"]);
    expect(await ids({ owners: ["' OR '1'='1"] })).toEqual([]);
    expect(await ids({ filters: [{ member: "team", equals: "core" }] })).toEqual(["1-1"]);
    expect(await ids({ filters: [{ member: "team", in: ["core", "docs"] }] })).toEqual(["1-1", "3-3"]);
    expect(await ids({ filters: [{ member: "team", in: [] }] })).toEqual([]);
    expect(await ids({ filters: [{ member: "year", equals: 2024 }] })).toEqual(["1-1"]);
    expect(await ids({ filters: [{ member: "draft", equals: true }] })).toEqual(["1-1"]);
    expect(await ids({ filters: [{ member: odd, equals: odd }] })).toEqual(["2-2"]);
    // The database checks these.
    expect(await ids({ filters: [{ member: "year", atLeast: 2025 }] })).toHaveLength(3);
    expect(await ids({ limit: 2 })).toHaveLength(2);
  });

  test("changes the metadata of a document, and removes some of its vectors or all", async () => {
    const store = open(await folder());
    const ids = async (values: Partial<VectorSearch> = {}) =>
      (await store.search(search(values), signal)).map(({ id }) => id).sort();
    await store.delete("1", "all", signal);
    await store.upsert(
      [1, 2, 3].map((key) => point(`1-${key}`, [1, 0, key])),
      signal,
    );
    await store.upsert([point("12-1", [1, 0, 0], { document: "12", embedder: "test/3" })], signal);
    await store.setMetadata("1", { team: "it's" }, signal);
    expect(await ids({ filters: [{ member: "team", equals: "it's" }] })).toEqual(["1-1", "1-2", "1-3"]);
    await store.setMetadata("none", { team: "it's" }, signal);
    await store.delete("1", ["1-2", "12-1"], signal);
    expect(await ids()).toEqual(["1-1", "1-3", "12-1"]);
    await store.delete("1", "all", signal);
    expect(await ids()).toEqual(["12-1"]);
  });

  test("keeps its vectors over many writes, and while several calls write", async () => {
    const store = open(await folder());
    const writes = Array.from({ length: 70 }, (_, key) => store.upsert([point(`1-${key}`, [1, key, 0])], signal));
    await Promise.all(writes);
    expect(await store.search(search({ limit: 100 }), signal)).toHaveLength(70);
  });
});

test("a store in LanceDB is identified by its place, or by its id", async () => {
  expect(lanceDbVectors({ uri: "./a" }).id).toBe(lanceDbVectors({ uri: "./a" }).id);
  expect(lanceDbVectors({ uri: "./a" }).id).not.toBe(lanceDbVectors({ uri: "./b" }).id);
  expect(lanceDbVectors({ uri: "./b", id: "mine" }).id).toBe("mine");
  expect(() => lanceDbVectors({ uri: "" })).toThrow(/uri must be/);
});
