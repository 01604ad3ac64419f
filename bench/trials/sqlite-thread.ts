/**
 * Where SQLite commits: on the main thread, on a worker thread, or on the main thread while the thread pool syncs the log to disk. Measures the rate,
 * the duration of a flush, CPU, and how long the main thread is blocked.
 * Each flush has one journal row and one fence read per run, as in the store; flushes run one after the other.
 * Usage: node bench/trials/sqlite-thread.ts [writes a flush] [events a write] [seconds] [milliseconds between flushes]
 */
import { fdatasync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { promisify } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import Database from "better-sqlite3";
import { frames } from "./setup.ts";

/** A flush: run keys, and all frames in one buffer. */
interface Flush {
  readonly keys: readonly number[];
  readonly frames: Uint8Array;
}

function openWriter(file: string, synchronous: "full" | "normal" = "full"): (flush: Flush) => void {
  const database = new Database(file);
  database.pragma("journal_mode = wal");
  database.pragma(`synchronous = ${synchronous}`);
  database.exec("create table if not exists heads (run_key integer primary key, attempt integer not null) strict");
  database.exec(
    "create table if not exists journal (id integer primary key, parts text not null, frames blob not null) strict",
  );
  const fill = database.prepare("insert or ignore into heads values (?, 1)");
  database.transaction(() => {
    for (let key = 0; key < 1000; key++) fill.run(key);
  })();
  const head = database.prepare("select attempt from heads where run_key = ?");
  const insert = database.prepare("insert into journal values (null, ?, ?)");
  const [begin, commit] = ["begin immediate", "commit"].map((text) => database.prepare(text));
  return ({ keys, frames: bytes }) => {
    begin?.run();
    for (const key of keys) head.get(key);
    insert.run(JSON.stringify(keys), bytes);
    commit?.run();
  };
}

if (isMainThread) {
  const [perFlush = "150", perWrite = "1", seconds = "4", between = "0"] = process.argv.slice(2);
  const ways = ["main thread", "own thread", "thread pool syncs"];
  for (const where of [...ways, ...ways, ...ways]) {
    const folder = mkdtempSync(join(process.env.TRIAL_DIR ?? tmpdir(), "troupe-trial-"));
    const file = join(folder, "data.sqlite");
    let write: (flush: Flush) => Promise<void>;
    let worker: Worker | undefined;
    if (where === "main thread") {
      const writer = openWriter(file);
      write = async (flush) => writer(flush);
    } else if (where === "thread pool syncs") {
      const writer = openWriter(file, "normal");
      const log = openSync(`${file}-wal`, "r+");
      const sync = promisify(fdatasync);
      write = async (flush) => {
        writer(flush);
        await sync(log);
      };
    } else {
      worker = new Worker(new URL(import.meta.url), { workerData: file });
      const thread = worker;
      write = (flush) =>
        new Promise((resolve) => {
          thread.once("message", () => resolve());
          thread.postMessage(flush, [flush.frames.buffer as ArrayBuffer]);
        });
      await write({ keys: [], frames: new Uint8Array(1) });
    }
    const times: number[] = [];
    let place = 0;
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const cpu = process.threadCpuUsage();
    const processCpu = process.cpuUsage();
    const end = performance.now() + Number(seconds) * 1000;
    while (performance.now() < end) {
      const keys = Array.from({ length: Number(perFlush) }, () => place++ % 1000);
      const bytes = new Uint8Array(Buffer.concat(keys.map((key) => frames(key, Number(perWrite)))));
      const began = performance.now();
      await write({ keys, frames: bytes });
      times.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, Number(between)));
    }
    const used = process.threadCpuUsage(cpu);
    const usedByProcess = process.cpuUsage(processCpu);
    delay.disable();
    const spent = times.reduce((sum, time) => sum + time, 0);
    const events = times.length * Number(perFlush) * Number(perWrite);
    times.sort((a, b) => a - b);
    const at = (share: number): string => (times[Math.floor(times.length * share)] as number).toFixed(2);
    console.log(
      `${where}: ${Math.round(events / (spent / 1000)).toLocaleString("en")} events/s, flush p50 ${at(0.5)} p99 ${at(0.99)} ms, main thread CPU ` +
        `${((used.user + used.system) / events).toFixed(2)} us/event, process ${((usedByProcess.user + usedByProcess.system) / events).toFixed(2)}, held up p50 ${(delay.percentile(50) / 1e6).toFixed(2)} p99 ${(delay.percentile(99) / 1e6).toFixed(2)} ms`,
    );
    await worker?.terminate();
    rmSync(folder, { recursive: true, force: true });
  }
} else {
  const writer = openWriter(workerData as string);
  parentPort?.on("message", (flush: Flush) => {
    if (flush.keys.length > 0) writer(flush);
    parentPort?.postMessage("done");
  });
}
