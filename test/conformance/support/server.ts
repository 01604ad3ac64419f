/** A real server of the conformance platform, on every database. */
import { afterAll, beforeAll, describe } from "vitest";
import type { Platform } from "../../../src/define/platform.ts";
import type { ServerOptions } from "../../../src/platform/options.ts";
import { createServer, type Server } from "../../../src/platform/server.ts";
import { createDataDir, eachDatabase, type TestDatabase } from "../../support/databases.ts";
import { Client } from "./client.ts";
import { conformancePlatform } from "./platform.ts";

/** Options that put a server on a test database. */
export function databaseOptions(database: TestDatabase): { database?: string; dataDir?: string } {
  return database.kind === "sqlite" ? { dataDir: database.dataDir } : { database: database.url };
}

/** Starts a server on a free port. */
export async function startServer(
  database: TestDatabase,
  platform: Platform = conformancePlatform(),
  options: ServerOptions = {},
): Promise<{ server: Server; client: Client }> {
  const place = { ...databaseOptions(database), port: 0, logLevel: "silent" };
  const server = await createServer(platform, { ...place, environment: {}, ...options });
  return { server, client: new Client(await server.listen()) };
}

/** A server on SQLite for the surrounding tests, where the database does not matter. */
export function sqliteServer(platform?: Platform): () => Client {
  let folder: Awaited<ReturnType<typeof createDataDir>> | undefined;
  let running: Awaited<ReturnType<typeof startServer>> | undefined;
  beforeAll(async () => {
    folder = await createDataDir();
    running = await startServer({ kind: "sqlite", dataDir: folder.path }, platform);
  });
  afterAll(async () => {
    await running?.server.close({ shutdownTimeout: 0 });
    await folder?.remove();
  });
  return () => running!.client;
}

/** Runs the same tests against a server on each database; the server closes after them. */
export function eachServer(
  name: string,
  define: (client: () => Client) => void,
  platform: () => Platform = conformancePlatform,
): void {
  eachDatabase(name, (openDatabase) => {
    describe("", () => {
      let running: { server: Server; client: Client };
      beforeAll(async () => {
        running = await startServer(await openDatabase(), platform());
      });
      afterAll(() => running?.server.close({ shutdownTimeout: 0 }));
      define(() => running.client);
    });
  });
}
