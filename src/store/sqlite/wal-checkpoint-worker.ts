/** The thread that moves the write-ahead log, on a connection of its own (see wal-checkpoint.ts). */
import { parentPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";

const database = new Database(workerData as string, { timeout: 0 });
database.pragma("synchronous = full");
if (process.platform === "darwin") database.pragma("fullfsync = on");

parentPort?.on("message", () => {
  database.pragma("wal_checkpoint(passive)");
  parentPort?.postMessage("done");
});
