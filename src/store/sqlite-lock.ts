/** One process a data directory: an exclusive transaction on a small database beside the data, which the kernel frees even after kill -9. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { ConfigurationError } from "../errors.ts";

/** Takes the lock, or throws a `ConfigurationError` that names the holder. The answer gives it back. */
export function lockDataDirectory(directory: string): () => void {
  // The holder's name stands in a file of its own: to open and close the locked file itself would drop the lock (fcntl).
  const holderFile = join(directory, "lock-holder.txt");
  const lock = new Database(join(directory, "lock.sqlite"), { timeout: 0 });
  try {
    lock.pragma("journal_mode = delete");
    lock.exec("begin exclusive");
  } catch (error) {
    lock.close();
    if (!String((error as { code?: unknown }).code).startsWith("SQLITE_BUSY")) throw error;
    throw new ConfigurationError(
      `the data directory ${directory} is in use by ${readHolder(holderFile)}: stop that process, choose another directory with ` +
        "--data-dir, or set DATABASE_URL to a Postgres database, which several processes can share",
      { cause: error },
    );
  }
  writeFileSync(holderFile, `process ${process.pid} on ${hostname()}`, { mode: 0o600 });
  return () => {
    rmSync(holderFile, { force: true });
    lock.close();
  };
}

function readHolder(file: string): string {
  try {
    return readFileSync(file, "utf8").trim() || "another process";
  } catch {
    return "another process";
  }
}
