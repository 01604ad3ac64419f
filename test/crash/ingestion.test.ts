/** The ingestion of documents survives the death of its process: each chunk is stored once, and no stored embedding is requested again. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { createDataDir, databaseKinds, openDatabaseOf, type TestDatabase } from "../support/databases.ts";
import { querySql } from "../support/execute-sql.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";

vi.setConfig({ testTimeout: 480_000 });

const app = fileURLToPath(new URL("./ingestion-app.ts", import.meta.url));
const settings = { leaseDuration: 3_000, leaseRenewInterval: 500, sweepInterval: 500 };
const documents = 500;
/** Documents that a process ingests at the same time. */
const concurrent = 4;

interface Note {
  readonly key: string;
  readonly model: string;
  readonly values: readonly string[];
}

/** A document of several chunks: each chunk has a sentence. */
function textOf(document: number): string {
  const words = "is a sentence about how a server resumes runs after every kind of failure";
  return Array.from({ length: 3 }, (_, place) => `Sentence ${document}x${place} ${words}.`).join("\n");
}

async function add(server: ServerProcess, from: number, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, place) => from + place);
  for (let first = 0; first < count; first += 20)
    await Promise.all(
      numbers.slice(first, first + 20).map(async (document) => {
        const fields = { name: `doc-${document}`, text_content: textOf(document) };
        expect((await server.client.post("/knowledge/content", fields)).status).toBe(202);
      }),
    );
}

async function countOf(database: TestDatabase, text: string): Promise<number> {
  const [row] = await querySql<{ readonly count: number | string }>(database, text);
  return Number(row?.count);
}

const completed = "select count(*) as count from knowledge_contents where status = 'completed'";

async function notesIn(file: string): Promise<readonly Note[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  // A process may die within the last line.
  return text.split("\n").flatMap((line) => (line.endsWith("}") ? [JSON.parse(line) as Note] : []));
}

/** Each chunk is stored once, with one embedding and one entry of the lexical index. */
async function expectChunks(database: TestDatabase, count: number): Promise<void> {
  const numbers = await querySql<{ readonly key: number | string; readonly number: number }>(
    database,
    `select k.content_key as key, k.number from knowledge_chunks k join knowledge_contents c on c.key = k.content_key
      where k.generation = c.generation`,
  );
  expect(new Set(numbers.map(({ key, number }) => `${key}/${number}`)).size).toBe(count);
  // Chunks of replaced generations are removed by jobs of their own.
  for (const table of ["knowledge_chunks", "knowledge_vectors", "knowledge_terms"])
    await expect
      .poll(() => countOf(database, `select count(*) as count from ${table}`), { timeout: 120_000 })
      .toBe(count);
}

test.for(databaseKinds)(
  `after kill -9 during the ingestion of ${documents} documents on %s, the next process completes it, and pays for no stored embedding again`,
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    const folder = await createDataDir();
    const NOTES = join(folder.path, "notes");
    const start = (env: Record<string, string>) =>
      startServerProcess(database, settings, { app, env: { NOTES, ...env } });
    await using first = await start({ SLOW: "50" });
    await add(first, 0, documents);
    await expect.poll(() => countOf(database, completed), { timeout: 120_000 }).toBeGreaterThan(20);
    await first.crash();
    const stored = await countOf(database, completed);
    expect(stored).toBeLessThan(documents);

    await using second = await start({});
    await expect.poll(() => countOf(database, completed), { timeout: 300_000 }).toBe(documents);
    const chunks = 3 * documents;
    await expectChunks(database, chunks);
    const notes = await notesIn(NOTES);
    // A request whose answer the first process could not store is repeated, with the key that the provider has seen.
    const keys = new Set(notes.map(({ key }) => key));
    expect(keys.size).toBe(documents);
    expect(notes.length - keys.size).toBeLessThanOrEqual(concurrent);
    const paid = new Map(notes.map(({ key, values }) => [key, values]));
    expect(new Set([...paid.values()].flat()).size).toBe(chunks);
    for (const { key, values } of notes) expect(paid.get(key)).toEqual(values);

    // A document that is added again with the same text needs no embedding.
    const fields = { name: "doc-1", text_content: textOf(1) };
    const again = await second.client.post("/knowledge/content", fields);
    await expect
      .poll(async () => (await second.client.get(`/knowledge/content/${again.body.id}`)).body.status)
      .toBe("completed");
    expect(await notesIn(NOTES)).toHaveLength(notes.length);
    await second.crash();

    // Another model: every chunk is embedded once more, from the stored text.
    await using third = await start({ MODEL: "model-2" });
    const renewed = `${completed} and embedder = 'test:model-2'`;
    await expect.poll(() => countOf(database, renewed), { timeout: 300_000 }).toBe(documents);
    await expectChunks(database, chunks);
    const later = (await notesIn(NOTES)).slice(notes.length);
    expect(later.map(({ model }) => model)).toEqual(Array.from({ length: documents }, () => "model-2"));
    const search = { query: "Sentence 77x2", search_type: "vector", max_results: 1 };
    const headers = { "content-type": "application/json" };
    const answer = await fetch(new URL("/knowledge/search", third.client.address), {
      ...{ method: "POST", headers, body: JSON.stringify(search) },
    });
    const { data } = (await answer.json()) as { readonly data: readonly { readonly content: string }[] };
    expect(data[0]?.content).toContain("Sentence 77x2");
    await folder.remove();
  },
);

test("two replicas ingest documents together, one is killed, and each embedding is paid for once", async () => {
  await using database = await openDatabaseOf("postgres");
  const folder = await createDataDir();
  const NOTES = join(folder.path, "notes");
  const options = { app, env: { NOTES, SLOW: "50" } };
  await using first = await startServerProcess(database, settings, options);
  await using second = await startServerProcess(database, settings, options);
  const count = 80;
  await Promise.all([add(first, 0, count / 2), add(second, count / 2, count / 2)]);
  await expect.poll(() => countOf(database, completed), { timeout: 120_000 }).toBeGreaterThan(10);
  await first.crash();
  await expect.poll(() => countOf(database, completed), { timeout: 300_000 }).toBe(count);
  await expectChunks(database, 3 * count);
  const notes = await notesIn(NOTES);
  const keys = new Set(notes.map(({ key }) => key));
  expect(keys.size).toBe(count);
  expect(notes.length - keys.size).toBeLessThanOrEqual(concurrent);
  await folder.remove();
});
