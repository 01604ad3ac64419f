/**
 * Moves SQLite's write-ahead log into the database file. A worker thread does most of it while the writer continues; the writer moves only the small
 * rest, after which the log restarts from its beginning.
 */
import { Worker } from "node:worker_threads";
import type { Runtime } from "../../model/runtime.ts";
import { describeError } from "../database-errors.ts";
import type { SqliteConnection } from "./connection.ts";

const MiB = 1024 * 1024;

/** Size limits, in bytes. */
export interface CheckpointLimits {
  /** The worker thread starts a checkpoint. */
  readonly start: number;
  /** The rest is small enough for the writer to move it itself. */
  readonly remainder: number;
  /** The worker thread is too slow: the writer stops and moves everything. */
  readonly max: number;
}

const defaultLimits: CheckpointLimits = { start: 16 * MiB, remainder: 1 * MiB, max: 256 * MiB };

/** Commits between two checks of the log's size. */
const commitsPerCheck = 16;

/** Limits in MiB for the heap of the thread, which does hardly anything in JavaScript. */
const workerLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };

interface LogState {
  readonly busy: number;
  /** Pages in the log. */
  readonly log: number;
  /** Pages of the log that are already in the database file. */
  readonly checkpointed: number;
}

/** Keeps the log small. */
export class Checkpoints {
  readonly #connection: SqliteConnection;
  readonly #file: string;
  readonly #runtime: Runtime;
  readonly #limits: CheckpointLimits;
  readonly #pageSize: number;
  #worker: Worker | undefined;
  #isWorking = false;
  #isClosed = false;
  #commits = 0;

  constructor(connection: SqliteConnection, file: string, runtime: Runtime, limits: CheckpointLimits = defaultLimits) {
    this.#connection = connection;
    this.#file = file;
    this.#runtime = runtime;
    this.#limits = limits;
    this.#pageSize = connection.database.pragma("page_size", { simple: true }) as number;
  }

  /** Called after each commit. Never throws, because the commit has already succeeded. */
  committed(): void {
    this.#commits += 1;
    if (this.#commits % commitsPerCheck !== 0) return;
    this.#attempt(() => {
      const { log, checkpointed } = this.#checkpoint("noop");
      if (log * this.#pageSize > this.#limits.max) {
        this.#checkpoint("truncate");
      } else if (!this.#isWorking && (log - checkpointed) * this.#pageSize > this.#limits.start) {
        this.#begin();
      }
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #begin(): void {
    this.#isWorking = true;
    this.#worker ??= this.#start();
    this.#worker.postMessage("checkpoint");
  }

  #start(): Worker {
    // Runs from source in a checkout, from the build in the package.
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const worker = new Worker(new URL(`./wal-checkpoint-worker.${extension}`, import.meta.url), {
      workerData: this.#file,
      resourceLimits: workerLimits,
    });
    worker.unref();
    worker.on("message", () => this.#finish());
    worker.on("error", (error) => {
      this.#runtime.log.warn(describeError(error), "the checkpoint thread failed; the writer moves the log itself");
      this.#worker = undefined;
      if (!this.#isClosed) this.#attempt(() => this.#checkpoint("passive"));
      this.#isWorking = false;
    });
    return worker;
  }

  /** The worker thread has moved the pages that existed when it started. */
  #finish(): void {
    this.#isWorking = false;
    if (this.#isClosed) return;
    this.#attempt(() => {
      const { log, checkpointed } = this.#checkpoint("noop");
      if ((log - checkpointed) * this.#pageSize > this.#limits.remainder) this.#begin();
      else this.#checkpoint("passive");
    });
  }

  /** If the log cannot be moved now (a full disk, say), it is moved later. */
  #attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#runtime.log.warn(describeError(error), "the write-ahead log could not be moved into the database");
    }
  }

  #checkpoint(mode: "noop" | "passive" | "truncate"): LogState {
    return this.#connection.prepare(`pragma wal_checkpoint(${mode})`).get() as LogState;
  }
}
