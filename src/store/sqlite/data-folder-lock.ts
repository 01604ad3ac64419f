/** Allows one process per data folder: an exclusive transaction on a small database beside the data, which the kernel releases even after kill -9. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { ConfigurationError } from "../../errors.ts";
import { fileError, lockFile } from "./data-folder.ts";

/**
 * Acquires the lock and returns a function that releases it.
 * @throws ConfigurationError naming the holder, or the reason why the folder cannot be locked
 */
export function lockDataFolder(folder: string): () => void {
  // The holder's name is in a separate file: opening and closing the locked file itself would drop the lock (fcntl).
  const holderFile = join(folder, "lock-holder.txt");
  const lock = takeLock(folder, holderFile);
  try {
    writeFileSync(holderFile, `process ${process.pid} on ${hostname()}`, { mode: 0o600 });
  } catch (error) {
    lock.close();
    throw fileError(holderFile, error);
  }
  return () => {
    rmSync(holderFile, { force: true });
    lock.close();
  };
}

function takeLock(folder: string, holderFile: string): Sqlite.Database {
  const file = lockFile(folder);
  let lock: Sqlite.Database | undefined;
  try {
    lock = new Sqlite(file, { timeout: 0 });
    lock.pragma("journal_mode = delete");
    lock.exec("begin exclusive");
    return lock;
  } catch (error) {
    lock?.close();
    if (!String((error as { code?: unknown }).code).startsWith("SQLITE_BUSY")) throw fileError(file, error);
    throw new ConfigurationError(
      `the data folder ${folder} is in use by ${readHolder(holderFile)}: stop that process, choose another folder with ` +
        "--data-dir, or set DATABASE_URL to a Postgres database, which several processes can share",
      { cause: error },
    );
  }
}

function readHolder(file: string): string {
  try {
    return readFileSync(file, "utf8").trim() || "another process";
  } catch {
    return "another process";
  }
}
