import { join } from "node:path";
import Database from "better-sqlite3";
import pg from "pg";
import type { TestDatabase } from "./databases.ts";

/**
 * Blocks all writes of logs and states, as a stalled disk does; reads continue. Resolves with a function that ends the block, to be called after
 * the death of the processes that write.
 */
export async function blockWrites(database: TestDatabase): Promise<() => Promise<void>> {
  if (database.kind === "sqlite") {
    const file = new Database(join(database.dataDir, "troupe.sqlite"), { timeout: 10_000 });
    file.exec("begin immediate");
    return async () => void file.close();
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query("begin; lock table run_heads, segments in exclusive mode");
  return async () => {
    // Statements that a dead process has sent must not execute after its death.
    await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    await client.end();
  };
}
