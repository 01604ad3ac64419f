/**
 * Parses files in processes, one process for each file, with bounds of time and memory. A file that exceeds them, or that makes a library fail, fails
 * alone. A thread is not enough: a call of V8 that exhausts the heap of a thread, such as `JSON.parse`, ends the whole process.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../model/runtime.ts";
import type { FileFacts } from "./kinds.ts";
import { type FileBounds, isPlainText, type ParsedFile, parseFile } from "./parse.ts";
import type { ParseResult, ParseTask } from "./parse-worker.ts";
import { Unreadable } from "./unreadable.ts";

/** Bounds of the parsing of one file. */
export interface ParseBounds extends FileBounds {
  /** Milliseconds. */
  readonly timeout: number;
  /** Bytes of the heap; buffers outside the heap have the same bound. */
  readonly maxMemoryBytes: number;
}

const MiB = 1_024 * 1_024;

/** Generous for documents: the text of a long book has 5 million characters. */
const usualBounds: ParseBounds = {
  ...{ timeout: 120_000, maxMemoryBytes: 256 * MiB },
  ...{ maxCharacters: 20_000_000, maxExpandedBytes: 192 * MiB },
};

/** Processes at the same time: each may take its bound of memory. */
const maxProcesses = 2;

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
    if (this.#running >= maxProcesses) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      signal.throwIfAborted();
      return await this.#parseInProcess({ bytes, facts, bounds: this.#bounds }, signal);
    } finally {
      // The place passes to the next file, or becomes free.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  async #parseInProcess(task: ParseTask, signal: AbortSignal): Promise<ParsedFile> {
    const { timeout, maxMemoryBytes } = this.#bounds;
    // Runs from source in a checkout, from the build in the package.
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const file = fileURLToPath(new URL(`./parse-process.${extension}`, import.meta.url));
    const child = fork(file, [], {
      // A library that is deceived must not find the server's keys, nor write to its log.
      ...{ env: {}, stdio: ["ignore", "ignore", "ignore", "ipc"], serialization: "advanced" },
      execArgv: [`--max-old-space-size=${(3 * maxMemoryBytes) / MiB}`],
    });
    const { promise, resolve, reject } = Promise.withResolvers<ParseResult>();
    child.once("message", (result) => resolve(result as ParseResult));
    child.once("error", reject);
    // A heap that grows within one call of V8 ends the process with SIGABRT before anything can look at it.
    child.once("exit", (code, killed) => {
      if (killed !== null || code === 134) resolve({ fault: "memory" });
      else reject(new Error(`The process that parses a file ended with the code ${code}.`));
    });
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort);
    const late = (): void =>
      reject(new Unreadable(`The file takes more than ${timeout / 1_000} s to parse: divide it into smaller files.`));
    const cancelTimer = this.#clock.after(timeout, late);
    try {
      child.send(task, (error) => error && reject(error));
      const result = await promise;
      if ("parsed" in result) return result.parsed;
      if ("refusal" in result) throw new Unreadable(result.refusal);
      throw new Unreadable(result.fault === "memory" ? tooLarge : damaged);
    } finally {
      signal.removeEventListener("abort", abort);
      cancelTimer();
      child.kill("SIGKILL");
    }
  }
}

const damaged = "The file is damaged, or it has features that the parser does not support.";
const tooLarge = "The file needs too much memory to parse: divide it into smaller files.";
