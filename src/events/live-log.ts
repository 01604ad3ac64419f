/** Logs that this process writes or wrote recently, as their followers see them: committed state only (L2). */
import type { RunStatus } from "../model/run.ts";
import { isTerminal } from "../model/run.ts";
import { Ring } from "./ring.ts";

/** Position of a log when it is opened. */
export type OpenedLog = Pick<LiveLog, "key" | "attempt" | "nextIndex" | "firstKept">;

/** One run's committed log in memory. */
export class LiveLog {
  readonly key: number;
  /** The attempt that writes it. */
  readonly attempt: number;
  readonly ring: Ring;
  readonly firstKept: number;
  nextIndex: number;
  status: RunStatus = "RUNNING";
  /** Set when the run's end could not be stored: no more events follow. */
  hasFailed = false;

  constructor({ key, attempt, nextIndex, firstKept }: OpenedLog, ringBytes: number) {
    this.key = key;
    this.attempt = attempt;
    this.nextIndex = nextIndex;
    this.firstKept = firstKept;
    this.ring = new Ring(ringBytes);
  }
}

/** All logs in memory, bounded in bytes: the logs of runs that ended longest ago are dropped first. */
export class LiveLogs {
  readonly #ringBytes: number;
  readonly #totalBytes: number;
  readonly #byRun = new Map<number, LiveLog>();
  readonly #finished = new Set<LiveLog>();
  #bytes = 0;

  constructor(ringBytes: number, totalBytes: number) {
    this.#ringBytes = ringBytes;
    this.#totalBytes = totalBytes;
  }

  get(key: number): LiveLog | undefined {
    return this.#byRun.get(key);
  }

  /** Opens a run's log at its stored position. A log opened by an older attempt, which has lost the run, stays hidden from readers. */
  open(opened: OpenedLog): LiveLog {
    const log = new LiveLog(opened, this.#ringBytes);
    const known = this.#byRun.get(opened.key);
    if (known && known.attempt > opened.attempt) return log;
    this.forgetRun(opened.key);
    this.#byRun.set(opened.key, log);
    return log;
  }

  /** Adds committed events. */
  committed(log: LiveLog, first: number, last: number, bytes: Buffer): void {
    if (this.#byRun.get(log.key) !== log) return;
    log.nextIndex = last + 1;
    const before = log.ring.bytes;
    log.ring.push(first, last, bytes);
    this.#bytes += log.ring.bytes - before;
    if (this.#bytes > this.#totalBytes) this.#makeRoom(log);
  }

  /**
   * Applies a committed state change. A finished log stays for readers that reconnect soon. A paused one is dropped: another process may continue it.
   */
  moved(log: LiveLog, to: RunStatus): void {
    log.status = to;
    if (this.#byRun.get(log.key) !== log) return;
    if (isTerminal(to)) this.#finished.add(log);
    else if (to !== "RUNNING") this.forget(log);
  }

  /** Marks a log whose run's end cannot be stored. It stays in memory for readers, as a finished log does. */
  fail(log: LiveLog): void {
    log.hasFailed = true;
    if (this.#byRun.get(log.key) === log) this.#finished.add(log);
  }

  /** Drops a log; its followers read the table. The log of another attempt at the same run stays. */
  forget(log: LiveLog): void {
    if (this.#byRun.get(log.key) !== log) return;
    this.#byRun.delete(log.key);
    this.#finished.delete(log);
    this.#bytes -= log.ring.bytes;
  }

  /** Drops a run's log, whichever attempt wrote it. */
  forgetRun(key: number): void {
    const log = this.#byRun.get(key);
    if (log) this.forget(log);
  }

  /** Drops a run's log if no writer has it any more. */
  forgetFinished(key: number): void {
    const log = this.#byRun.get(key);
    if (log && this.#finished.has(log)) this.forget(log);
  }

  /** Drops finished logs first; when only live ones are left, the growing log drops half of its own bytes. */
  #makeRoom(growing: LiveLog): void {
    for (const log of this.#finished) {
      if (this.#bytes <= this.#totalBytes) return;
      this.forget(log);
    }
    if (this.#bytes <= this.#totalBytes) return;
    const before = growing.ring.bytes;
    growing.ring.trim(before / 2);
    this.#bytes += growing.ring.bytes - before;
  }
}
