/**
 * Parses files in threads, one thread for each file, with bounds of time and memory. A file that exceeds them, or that makes a library fail, fails
 * alone: its thread ends.
 */
import { Worker } from "node:worker_threads";
import type { Clock } from "../../model/runtime.ts";
import type { FileFacts } from "./kinds.ts";
import { type FileBounds, isPlainText, type ParsedFile, parseFile } from "./parse.ts";
import type { ParseResult, ParseTask } from "./parse-worker.ts";
import { Unreadable } from "./unreadable.ts";

/** Bounds of the parsing of one file. */
export interface ParseBounds extends FileBounds {
  /** Milliseconds. */
  readonly timeout: number;
  /** Bytes of the thread's heap; its buffers outside the heap have the same bound. */
  readonly maxMemoryBytes: number;
}

const MiB = 1_024 * 1_024;

/** Generous for documents: the text of a long book has 5 million characters. */
const usualBounds: ParseBounds = {
  ...{ timeout: 120_000, maxMemoryBytes: 256 * MiB },
  ...{ maxCharacters: 20_000_000, maxExpandedBytes: 192 * MiB },
};

/** Threads of a process: each may take its bound of memory. */
const maxThreads = 2;

/** Milliseconds between two looks at a thread's memory. */
const memoryInterval = 100;

/** Looks in a row that find a heap above the bound: it contains no garbage then. */
const maxLooksAbove = 3;

/** The limit of Node for the heap, as a multiple of the bound. */
const heapReserve = 2;

/** The parser of a process. */
export class FileParser {
  readonly #clock: Pick<Clock, "after">;
  readonly #bounds: ParseBounds;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(clock: Pick<Clock, "after">, bounds: Partial<ParseBounds> = {}) {
    this.#clock = clock;
    this.#bounds = { ...usualBounds, ...bounds };
  }

  /** Parses a file. @throws Unreadable, or the signal's reason */
  async parse(bytes: Buffer, facts: FileFacts, signal: AbortSignal): Promise<ParsedFile> {
    if (isPlainText(bytes, facts)) return await parseFile(bytes, facts, this.#bounds);
    if (this.#running >= maxThreads) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      signal.throwIfAborted();
      return await this.#parseInThread({ bytes, facts, bounds: this.#bounds }, signal);
    } finally {
      // The place passes to the next file, or becomes free.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  async #parseInThread(task: ParseTask, signal: AbortSignal): Promise<ParsedFile> {
    const { timeout, maxMemoryBytes } = this.#bounds;
    // Runs from source in a checkout, from the build in the package.
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const worker = new Worker(new URL(`./parse-worker.${extension}`, import.meta.url), {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: (heapReserve * maxMemoryBytes) / MiB, maxYoungGenerationSizeMb: 32 },
      // A library that is deceived must not find the server's keys, nor write to its log.
      ...{ env: {}, stdout: true, stderr: true },
    });
    worker.stdout.resume();
    worker.stderr.resume();
    const { promise, resolve, reject } = Promise.withResolvers<ParseResult>();
    worker.once("message", resolve);
    worker.once("error", (error: Error & { code?: string }) =>
      reject(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? tooLarge() : error),
    );
    worker.once("exit", () => reject(new Unreadable(failed)));
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort);
    const late = (): void =>
      reject(new Unreadable(`The file takes more than ${timeout / 1_000} s to parse: divide it into smaller files.`));
    const cancels = [this.#clock.after(timeout, late), this.#watchMemory(worker, () => reject(tooLarge()))];
    try {
      const result = await promise;
      if ("parsed" in result) return result.parsed;
      throw new Unreadable(result.isKnown ? result.fault : failed);
    } finally {
      signal.removeEventListener("abort", abort);
      for (const cancel of cancels) cancel();
      await worker.terminate();
    }
  }

  /**
   * Buffers are outside the heap, which alone has a limit of Node. At that limit V8 collects garbage for tens of seconds before it gives up, so that a heap
   * that stays above the bound ends the thread before.
   */
  #watchMemory(worker: Worker, tell: () => void): () => void {
    const { maxMemoryBytes } = this.#bounds;
    let isOver = false;
    let looksAbove = 0;
    let cancel = (): void => undefined;
    const look = async (): Promise<void> => {
      // A thread that is about to start has no statistics yet.
      const memory = await worker.getHeapStatistics().catch(() => undefined);
      if (isOver) return;
      looksAbove = (memory?.used_heap_size ?? 0) > maxMemoryBytes ? looksAbove + 1 : 0;
      if ((memory?.external_memory ?? 0) > maxMemoryBytes || looksAbove >= maxLooksAbove) tell();
      else cancel = this.#clock.after(memoryInterval, look);
    };
    cancel = this.#clock.after(memoryInterval, look);
    return () => {
      isOver = true;
      cancel();
    };
  }
}

const failed = "The file is damaged, or it has features that the parser does not support.";

function tooLarge(): Unreadable {
  return new Unreadable("The file needs too much memory to parse: divide it into smaller files.");
}
