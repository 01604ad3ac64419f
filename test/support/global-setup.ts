import type { TestProject } from "vitest/node";
import { startPostgres } from "./postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A Postgres server where databases may be created, shared by all test files of a run. */
    postgresUrl: string;
  }
}

export default async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_DATABASE_URL) {
    provide("postgresUrl", process.env.TEST_DATABASE_URL);
    return undefined;
  }
  const server = await startPostgres();
  provide("postgresUrl", server.url);
  return () => server.dispose();
}
