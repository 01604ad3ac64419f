/** Searches for terms that many chunks contain, and for rare ones. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { ingestionJob } from "../../src/store/contract/knowledge.ts";
import { type OpenedStore, openStore } from "../../src/store/open.ts";
import { openDatabaseOf } from "../support/databases.ts";
import { executeSql } from "../support/execute-sql.ts";
import { testRuntime } from "../support/runtime.ts";
import { chunk, content, embedder } from "./document-store.ts";

let database: Awaited<ReturnType<typeof openDatabaseOf>>;
let stores: OpenedStore;

beforeAll(async () => {
  database = await openDatabaseOf("postgres");
  if (database.kind !== "postgres") throw new Error("The test needs Postgres.");
  const place = { database: database.url, dataDir: "unused" };
  stores = await openStore({ ...place, migrate: true, runtime: testRuntime, processId: "one" });
});

afterAll(async () => {
  await stores.signals.close();
  await stores.store.close();
  await database[Symbol.asyncDispose]();
});

async function ingest(id: string, texts: readonly string[]): Promise<void> {
  const { knowledge, jobs } = stores;
  const found = await knowledge.put(content({ id }));
  const [job] = await jobs.claim({ kind: ingestionJob, owner: "one", limit: 1, orphans: true, full: [] });
  if (!found || !job) throw new Error("The document is being ingested.");
  const chunks = texts.map((text, number) => chunk(number, text));
  await knowledge.addChunks(job, found.key, chunks, embedder, { hash: id, size: 1, type: "text/plain" });
  expect(await knowledge.complete(job, found.key)).toBe(true);
}

const search = async (...terms: string[]): Promise<readonly string[]> =>
  (
    await stores.knowledge.search({
      ...{ knowledgeId: "docs", reader: null, filters: [], terms },
      ...{ vector: undefined, embedder, limit: 3 },
    })
  ).map(({ text }) => text);

test("a search returns chunks with the rarest terms first, and fills its list with chunks that have frequent terms only", async () => {
  await ingest("a", ["common one", "common two", "rare common", "odd common"]);
  // Chunks that the search does not see: their terms count.
  await executeSql(
    database,
    `insert into knowledge_terms (rowid, terms) select 1000 + n, 'common' from generate_series(1, 6000) n;
     insert into knowledge_terms (rowid, terms) select 10000 + n, 'rare' from generate_series(1, 60) n`,
  );
  const found = await search("rare", "common");
  expect(found[0]).toBe("rare common");
  expect(found).toHaveLength(3);
  await ingest("b", ["rare two", "rare three"]);
  expect((await search("rare", "common")).every((text) => text.startsWith("rare"))).toBe(true);
  expect(await search("common")).toHaveLength(3);
  expect(await search("none")).toEqual([]);
});
