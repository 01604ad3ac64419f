/**
 * Moves the write-ahead log of SQLite into the database file. A thread of its own does the bulk while the writer goes on; the writer does
 * only the small rest, after which the log starts again from its beginning.
 */
import { Worker } from "node:worker_threads";
import type { Runtime } from "../../model/runtime.ts";
import { describeFault } from "../faults.ts";
import type { SqliteConnection } from "./connection.ts";

const MiB = 1024 * 1024;

/** Sizes at which something happens, in bytes. */
export interface CheckpointLimits {
  /** The thread begins. */
  readonly begin: number;
  /** What is left is small enough for the writer to do it itself. */
  readonly rest: number;
  /** The thread is too slow: the writer stops and moves everything. */
  readonly cap: number;
}

const defaultLimits: CheckpointLimits = { begin: 16 * MiB, rest: 1 * MiB, cap: 256 * MiB };

/** Commits between two looks at the size of the log. */
const commitsPerLook = 16;

interface LogState {
  readonly busy: number;
  /** Pages in the log. */
  readonly log: number;
  /** Of these, pages that are in the database file already. */
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

  /** Called after each commit, and never fails: what was committed is. */
  wrote(): void {
    this.#commits += 1;
    if (this.#commits % commitsPerLook !== 0) return;
    this.#attempt(() => {
      const { log, checkpointed } = this.#checkpoint("noop");
      if (log * this.#pageSize > this.#limits.cap) {
        this.#checkpoint("truncate");
      } else if (!this.#isWorking && (log - checkpointed) * this.#pageSize > this.#limits.begin) {
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
    // From source in a checkout, from the build in the package.
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const worker = new Worker(new URL(`./wal-checkpoint-worker.${extension}`, import.meta.url), {
      workerData: this.#file,
    });
    worker.unref();
    worker.on("message", () => this.#finish());
    worker.on("error", (error) => {
      this.#runtime.log.warn(describeFault(error), "the checkpoint thread failed; the writer moves the log itself");
      this.#worker = undefined;
      if (!this.#isClosed) this.#attempt(() => this.#checkpoint("passive"));
      this.#isWorking = false;
    });
    return worker;
  }

  /** The thread has moved what there was when it began. */
  #finish(): void {
    this.#isWorking = false;
    if (this.#isClosed) return;
    this.#attempt(() => {
      const { log, checkpointed } = this.#checkpoint("noop");
      if ((log - checkpointed) * this.#pageSize > this.#limits.rest) this.#begin();
      else this.#checkpoint("passive");
    });
  }

  /** A log that cannot be moved now (a full disk, say) is moved later. */
  #attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#runtime.log.warn(describeFault(error), "the write-ahead log could not be moved into the database");
    }
  }

  #checkpoint(mode: "noop" | "passive" | "truncate"): LogState {
    return this.#connection.prepare(`pragma wal_checkpoint(${mode})`).get() as LogState;
  }
}
