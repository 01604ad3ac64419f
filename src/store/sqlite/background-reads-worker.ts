/** The thread that runs long reads, on its own connection (see background-reads.ts). */
import { parentPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";
import { load } from "sqlite-vec";
import type { BackgroundRead, BackgroundResult } from "./background-reads.ts";

const database = new Database(workerData as string, { readonly: true, timeout: 5_000 });
database.pragma("cache_size = -65536");
database.pragma("mmap_size = 1073741824");
load(database);

parentPort?.on("message", ({ id, sql, parameters }: BackgroundRead) => {
  const respond = (result: BackgroundResult): void => parentPort?.postMessage(result);
  try {
    // A buffer arrives as a plain array of bytes.
    const values = parameters.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value));
    respond({ id, rows: database.prepare(sql).all(...values) });
  } catch (error) {
    respond({ id, error: (error as Error).message });
  }
});
