/** The worker thread that checkpoints the write-ahead log, on its own connection (see wal-checkpoint.ts). */
import { parentPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";

const database = new Database(workerData as string, { timeout: 0 });
database.pragma("synchronous = full");
if (process.platform === "darwin") database.pragma("fullfsync = on");

parentPort?.on("message", () => {
  database.pragma("wal_checkpoint(passive)");
  parentPort?.postMessage("done");
});
