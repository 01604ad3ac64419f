/** The store of documents on a Postgres server with the extension pgvector. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { findVectorExtension, vectorAdvice } from "../../src/store/postgres/vector-extension.ts";
import { createDatabase } from "../support/databases.ts";
import { querySql } from "../support/execute-sql.ts";
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
      await stores.signals.close();
      await stores.store.close();
      const indexes = await querySql(
        { kind: "postgres", url: database },
        "select indexname as name from pg_indexes where indexname like 'knowledge_vectors_hnsw%' order by 1",
      );
      expect(indexes).toEqual([{ name: "knowledge_vectors_hnsw_3072" }, { name: "knowledge_vectors_hnsw_512" }]);
    });
  });
});
