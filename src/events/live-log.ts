/** Logs that this process writes or wrote recently, as their followers see them: committed state only (L2). */
import type { RunStatus } from "../model/run/run.ts";
import { isTerminal } from "../model/run/run.ts";
import type { Clock } from "../model/runtime.ts";
import type { Settings } from "../model/settings.ts";
import { Ring } from "./ring.ts";

/** The position at which a log is opened. */
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
  /** When its run ended, by the monotonic clock; undefined while it is live. */
  endedAt: number | undefined;

  constructor({ key, attempt, nextIndex, firstKept }: OpenedLog, ringBytes: number) {
    this.key = key;
    this.attempt = attempt;
    this.nextIndex = nextIndex;
    this.firstKept = firstKept;
    this.ring = new Ring(ringBytes);
  }
}

/** Share of the limit for all logs that finished logs may use: few readers come back after a run has ended, and the database serves them as well. */
const maxFinishedShare = 1 / 8;

/** Size limits of the logs in memory, in bytes, and the time in milliseconds for which the log of an ended run stays. */
export type LiveLogLimits = Pick<Settings, "maxRingBytes" | "maxTotalRingBytes" | "endedRingDuration">;

/** All logs in memory, bounded in bytes: the logs of runs that ended longest ago are dropped first. */
export class LiveLogs {
  readonly #limits: LiveLogLimits;
  readonly #clock: Pick<Clock, "monotonic" | "after">;
  readonly #byRun = new Map<number, LiveLog>();
  readonly #finished = new Set<LiveLog>();
  #bytes = 0;
  /** The part of these bytes that belongs to finished logs. */
  #finishedBytes = 0;
  #isExpiring = false;

  constructor(limits: LiveLogLimits, clock: Pick<Clock, "monotonic" | "after">) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Bytes of events in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of logs whose runs have not ended. */
  get live(): number {
    return this.#byRun.size - this.#finished.size;
  }

  get(key: number): LiveLog | undefined {
    return this.#byRun.get(key);
  }

  /** Opens a run's log at its stored position. A log opened by an older attempt, which has lost the run, stays hidden from readers. */
  open(opened: OpenedLog): LiveLog {
    const log = new LiveLog(opened, this.#limits.maxRingBytes);
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
    if (this.#bytes > this.#limits.maxTotalRingBytes) this.#makeRoom(log);
  }

  /**
   * Applies a committed state change. A finished log stays for a while, for readers that reconnect soon. A paused one is dropped: another process
   * may continue it.
   */
  moved(log: LiveLog, to: RunStatus): void {
    log.status = to;
    if (this.#byRun.get(log.key) !== log) return;
    if (isTerminal(to)) {
      log.endedAt = this.#clock.monotonic();
      this.#finish(log);
      this.#expireLater(this.#limits.endedRingDuration);
    } else if (to !== "RUNNING") this.forget(log);
  }

  /** Marks a log whose run's end cannot be stored. It stays in memory for readers, as a finished log does. */
  fail(log: LiveLog): void {
    log.hasFailed = true;
    if (this.#byRun.get(log.key) === log) this.#finish(log);
  }

  /** Drops a log; its followers read the table. The log of another attempt at the same run stays. */
  forget(log: LiveLog): void {
    if (this.#byRun.get(log.key) !== log) return;
    this.#byRun.delete(log.key);
    this.#bytes -= log.ring.bytes;
    if (this.#finished.delete(log)) this.#finishedBytes -= log.ring.bytes;
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

  /** Keeps a log for readers that reconnect soon, if there is room for it. */
  #finish(log: LiveLog): void {
    if (this.#finished.has(log)) return;
    this.#finished.add(log);
    this.#finishedBytes += log.ring.bytes;
    const max = this.#limits.maxTotalRingBytes * maxFinishedShare;
    for (const oldest of this.#finished) {
      if (this.#finishedBytes <= max) return;
      this.forget(oldest);
    }
  }

  /** Drops the logs of all ended runs. */
  dropFinished(): void {
    for (const log of this.#finished) if (log.endedAt !== undefined) this.forget(log);
  }

  #expireLater(delay: number): void {
    if (this.#isExpiring) return;
    this.#isExpiring = true;
    this.#clock.after(delay, () => {
      this.#isExpiring = false;
      this.#expire();
    });
  }

  /** Drops the logs of runs that ended long enough ago. A failed log stays: the table does not have its end. */
  #expire(): void {
    const { endedRingDuration } = this.#limits;
    const now = this.#clock.monotonic();
    for (const log of this.#finished) {
      if (log.endedAt === undefined) continue;
      const left = log.endedAt + endedRingDuration - now;
      if (left > 0) {
        // At least a millisecond: a remainder of rounding would set a timer that does not advance the clock.
        this.#expireLater(Math.max(1, left));
        return;
      }
      this.forget(log);
    }
  }

  /** Drops finished logs first; when only live ones are left, the growing log drops half of its own bytes. */
  #makeRoom(growing: LiveLog): void {
    for (const log of this.#finished) {
      if (this.#bytes <= this.#limits.maxTotalRingBytes) return;
      this.forget(log);
    }
    if (this.#bytes <= this.#limits.maxTotalRingBytes) return;
    const before = growing.ring.bytes;
    growing.ring.trim(before / 2);
    this.#bytes += growing.ring.bytes - before;
  }
}
