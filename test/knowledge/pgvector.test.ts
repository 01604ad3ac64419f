/** The store of documents on a Postgres server with the extension pgvector. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { indexJob } from "../../src/store/contract/knowledge.ts";
import { openStore } from "../../src/store/open.ts";
import { findVectorExtension, findVectorIndexes, vectorAdvice } from "../../src/store/postgres/vector-extension.ts";
import { createDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { executeSql, querySql } from "../support/execute-sql.ts";
import { startPgvector } from "../support/pgvector.ts";
import { testRuntime } from "../support/runtime.ts";
import { documentStoreTests } from "./document-store.ts";

const server = await startPgvector();
if ("missing" in server) console.warn(`${server.missing} The tests of pgvector are skipped.`);

describe.skipIf("missing" in server)("documents on Postgres with pgvector", () => {
  const url = "missing" in server ? "" : server.url;
  const drops: (() => Promise<void>)[] = [];
  const create = async (): Promise<string> => {
    const database = await createDatabase(url);
    drops.push(database.drop);
    return database.url;
  };

  afterAll(async () => {
    for (const drop of drops) await drop();
    if (!("missing" in server)) await server.dispose();
  });

  documentStoreTests(async () => ({ kind: "postgres", url: await create() }));

  describe("the index", () => {
    let database: string;
    beforeAll(async () => {
      database = await create();
    });

    test("is created for each number of dimensions, and the extension is installed with the first", async () => {
      expect(vectorAdvice(await findVectorExtension(database))).toBeUndefined();
      const place = { database, dataDir: "unused", migrate: true, runtime: testRuntime, processId: "one" };
      const stores = await openStore(place);
      for (const dimensions of [512, 3_072, 512])
        expect(await stores.knowledge.prepareVectors(dimensions, "docs")).toEqual({ kind: "index" });
      expect((await stores.knowledge.prepareVectors(5_000, "docs"))?.kind).toBe("scan");
      expect(await findVectorIndexes(database)).toEqual([
        { name: "knowledge_vectors_hnsw_3072", valid: true, building: false },
        { name: "knowledge_vectors_hnsw_512", valid: true, building: false },
      ]);
      await stores.signals.close();
      await stores.store.close();
      const indexes = await querySql(
        { kind: "postgres", url: database },
        "select indexname as name from pg_indexes where indexname like 'knowledge_vectors_hnsw%' order by 1",
      );
      expect(indexes).toEqual([{ name: "knowledge_vectors_hnsw_3072" }, { name: "knowledge_vectors_hnsw_512" }]);
    });

    test("of stored embeddings is built by a job, one builder at a time, also after an interrupted build", async () => {
      const { signal } = new AbortController();
      const url = await create();
      const place = { database: url, dataDir: "unused", migrate: true, runtime: testRuntime };
      const stores = await openStore({ ...place, processId: "one" });
      const { knowledge } = stores;
      expect((await knowledge.prepareVectors(4, "docs"))?.kind).toBe("index");
      await executeSql(
        { kind: "postgres", url },
        "insert into knowledge_vectors (chunk_key, embedding) select n, array[n, 1, 1]::real[] from generate_series(1, 200) n",
      );
      expect(await knowledge.prepareVectors(3, "docs")).toMatchObject({ kind: "scan", advice: /being built/ });
      const claimed = await stores.jobs.claim({ kind: indexJob, owner: "one", limit: 5, orphans: true, full: [] });
      expect(claimed.map(({ id }) => id)).toEqual(["3"]);

      const other = await openStore({ ...place, processId: "two" });
      const built = await Promise.all([knowledge.buildIndex(3, signal), other.knowledge.buildIndex(3, signal)]);
      expect(built).toContain(true);
      await eventually(async () => expect(await knowledge.buildIndex(3, signal)).toBe(true));
      expect(await knowledge.prepareVectors(3, "docs")).toEqual({ kind: "index" });
      const state = async () => (await findVectorIndexes(url)).find(({ name }) => name.endsWith("_3"));
      expect(await state()).toMatchObject({ valid: true });

      // An interrupted build leaves an index that is not valid.
      await executeSql(
        { kind: "postgres", url },
        "update pg_index set indisvalid = false where indexrelid = 'knowledge_vectors_hnsw_3'::regclass",
      );
      expect(await state()).toMatchObject({ valid: false, building: false });
      expect(await other.knowledge.prepareVectors(3, "docs")).toMatchObject({ kind: "scan" });
      expect(await other.knowledge.buildIndex(3, signal)).toBe(true);
      expect(await state()).toMatchObject({ valid: true });
      expect(await other.knowledge.prepareVectors(3, "docs")).toEqual({ kind: "index" });
      for (const opened of [stores, other]) {
        await opened.signals.close();
        await opened.store.close();
      }
    });
  });
});
