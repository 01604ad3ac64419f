import { join } from "node:path";
import Database from "better-sqlite3";
import pg from "pg";
import type { TestDatabase } from "./databases.ts";

/**
 * Lets a database take no writes of logs and states, as a stalled disk does; reads go on. Resolves with what lets it go on, once
 * the processes that write are dead.
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
    // What a dead process has sent must not be written after its death.
    await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    await client.end();
  };
}
