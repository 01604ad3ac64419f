/** A server is killed while it stores embeddings in a vector store outside of the database. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { lanceDbStore } from "../../src/knowledge/vectors/lancedb.ts";
import { installLanceDb } from "../knowledge/support/lancedb.ts";
import { createDataDir, databaseKinds, openDatabaseOf, type TestDatabase } from "../support/databases.ts";
import { querySql } from "../support/execute-sql.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { startVectorServer } from "./vector-server.ts";

vi.setConfig({ testTimeout: 480_000 });

const installed = await installLanceDb();
if ("missing" in installed) console.warn(`${installed.missing} The test of LanceDB is skipped.`);

const app = fileURLToPath(new URL("./ingestion-app.ts", import.meta.url));
const settings = { leaseDuration: 3_000, leaseRenewInterval: 500, sweepInterval: 500 };
const documents = 60;
const chunks = 3 * documents;
/** Documents that a process ingests at the same time. */
const concurrent = 4;

function textOf(document: number): string {
  const words = "is a sentence about how a server resumes runs after every kind of failure";
  return Array.from({ length: 3 }, (_, place) => `Sentence ${document}x${place} ${words}.`).join("\n");
}

async function add(server: ServerProcess): Promise<void> {
  for (let document = 0; document < documents; document++) {
    const fields = { name: `doc-${document}`, text_content: textOf(document) };
    expect((await server.client.post("/knowledge/content", fields)).status).toBe(202);
  }
}

async function countOf(database: TestDatabase, text: string): Promise<number> {
  const [row] = await querySql<{ readonly count: number | string }>(database, text);
  return Number(row?.count);
}

const completed = "select count(*) as count from knowledge_contents where status = 'completed'";

/** The ids that the chunks of the database have in a vector store. */
async function idsIn(database: TestDatabase): Promise<readonly string[]> {
  const text = "select content_key as content, key from knowledge_chunks";
  const rows = await querySql<{ readonly content: number | string; readonly key: number | string }>(database, text);
  return rows.map(({ content, key }) => `${content}-${key}`).sort();
}

async function keysIn(file: string): Promise<readonly string[]> {
  const text = await readFile(file, "utf8");
  // A process may die within the last line.
  return text.split("\n").flatMap((line) => (line.endsWith("}") ? [(JSON.parse(line) as { key: string }).key] : []));
}

async function expectFound(server: ServerProcess, sentence: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ query: `Sentence ${sentence}`, search_type: "vector", max_results: 1 });
  const answer = await fetch(new URL("/knowledge/search", server.client.address), { method: "POST", headers, body });
  const { data } = (await answer.json()) as { readonly data: readonly { readonly content: string }[] };
  expect(data[0]?.content).toContain(sentence);
}

test.for(databaseKinds)(
  "after kill -9 between a vector store and the transaction of its chunks on %s, the store has each chunk once",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    await using vectors = await startVectorServer();
    const { points } = vectors.vectors;
    const folder = await createDataDir();
    const env = { NOTES: join(folder.path, "notes"), VECTORS: vectors.url };
    await using first = await startServerProcess(database, settings, { app, env });
    await add(first);
    await expect.poll(() => countOf(database, completed), { timeout: 120_000 }).toBeGreaterThan(5);
    vectors.hold();
    await expect.poll(() => vectors.held, { timeout: 120_000 }).toBeGreaterThan(0);
    await first.crash();
    vectors.answer();
    expect(await countOf(database, "select count(*) as count from knowledge_chunks where embedder is null")).not.toBe(
      0,
    );

    await using second = await startServerProcess(database, settings, { app, env });
    await expect.poll(() => countOf(database, completed), { timeout: 300_000 }).toBe(documents);
    expect(await idsIn(database)).toHaveLength(chunks);
    expect([...points.keys()].sort()).toEqual(await idsIn(database));
    expect(await countOf(database, "select count(*) as count from knowledge_vectors")).toBe(0);
    // Only requests whose vectors the first process could not mark are repeated, with the same keys.
    const keys = await keysIn(env.NOTES);
    expect(new Set(keys).size).toBe(documents);
    expect(keys.length - documents).toBeLessThanOrEqual(concurrent);
    await expectFound(second, "37x2");

    // A removal is complete, too, if the process dies before it has removed the vectors.
    vectors.vectors.isDown = true;
    const removed = await fetch(new URL("/knowledge/content", second.client.address), { method: "DELETE" });
    expect(removed.ok).toBe(true);
    await second.crash();
    expect(points.size).toBe(chunks);
    vectors.vectors.isDown = false;
    await using _third = await startServerProcess(database, settings, { app, env });
    await expect.poll(() => points.size, { timeout: 120_000 }).toBe(0);
    await folder.remove();
  },
);

test.skipIf("missing" in installed)("after kill -9 while LanceDB writes, its files have each chunk once", async () => {
  if ("missing" in installed) return;
  await using database = await openDatabaseOf("sqlite");
  const folder = await createDataDir();
  const uri = join(folder.path, "vectors");
  const env = { NOTES: join(folder.path, "notes"), LANCEDB: installed.folder, LANCEDB_FILES: uri };
  await using first = await startServerProcess(database, settings, { app, env });
  await add(first);
  await expect.poll(() => countOf(database, completed), { timeout: 120_000 }).toBeGreaterThan(5);
  await first.crash();
  expect(await countOf(database, completed)).toBeLessThan(documents);

  await using second = await startServerProcess(database, settings, { app, env });
  await expect.poll(() => countOf(database, completed), { timeout: 300_000 }).toBe(documents);
  await expectFound(second, "37x2");
  const { signal } = new AbortController();
  const store = lanceDbStore({ uri }, async () => installed.package);
  const ids = await idsIn(database);
  expect(ids).toHaveLength(chunks);
  const [row] = await querySql<{ readonly embedder: string }>(database, "select embedder from knowledge_chunks");
  const embedder = row?.embedder ?? "";
  expect([...(await store.read({ embedder, ids }, signal)).keys()].sort()).toEqual(ids);
  const search = { embedder, knowledgeId: "docs", owners: undefined, filters: [], limit: 2 * chunks };
  const vector = Float32Array.from({ length: 512 }, () => 1);
  expect((await store.search({ ...search, vector }, signal)).map(({ id }) => id).sort()).toEqual(ids);
  await folder.remove();
});
