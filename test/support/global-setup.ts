import pg from "pg";
import type { TestProject } from "vitest/node";
import { realRuntime } from "../../src/platform/runtime.ts";
import { openStore } from "../../src/store/open.ts";
import { startPostgres } from "./postgres-server.ts";
import { silentLog } from "./runtime.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A Postgres server where databases may be created, shared by all test files of a run. */
    postgresUrl: string;
    /** A database on that server which has the schema and no rows; undefined on a server that outlives the run. */
    postgresTemplate: string | undefined;
  }
}

export default async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_DATABASE_URL) {
    provide("postgresUrl", process.env.TEST_DATABASE_URL);
    provide("postgresTemplate", undefined);
    return undefined;
  }
  const server = await startPostgres();
  provide("postgresUrl", server.url);
  provide("postgresTemplate", await createTemplate(server.url));
  return () => server.dispose();
}

/** Migrating a copy of this database takes no time, and most of a run's several hundred databases are copies. */
async function createTemplate(serverUrl: string): Promise<string> {
  const name = "troupe_template";
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const database = new URL(serverUrl);
  database.pathname = `/${name}`;
  const runtime = realRuntime(silentLog);
  const { store, signals } = await openStore({
    ...{ database: database.href, dataDir: "unused", migrate: true, runtime, processId: name },
  });
  await signals.close();
  await store.close();
  return name;
}
