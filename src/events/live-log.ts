/** The logs that this process writes, and those it wrote a little while ago, as their followers see them: committed state only (L2). */
import type { RunStatus } from "../model/run.ts";
import { isTerminal } from "../model/run.ts";
import { Ring } from "./ring.ts";

/** Where a log stands when it is opened. */
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
  /** Set when the run's end could not be stored: nothing more comes. */
  isBroken = false;

  constructor({ key, attempt, nextIndex, firstKept }: OpenedLog, ringBytes: number) {
    this.key = key;
    this.attempt = attempt;
    this.nextIndex = nextIndex;
    this.firstKept = firstKept;
    this.ring = new Ring(ringBytes);
  }
}

/** All of them, bounded in bytes: the runs that ended longest ago are forgotten first. */
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

  /** Starts a run's log at what is stored of it. That of an attempt which has lost the run is shown to nobody. */
  open(opened: OpenedLog): LiveLog {
    const log = new LiveLog(opened, this.#ringBytes);
    const known = this.#byRun.get(opened.key);
    if (known && known.attempt > opened.attempt) return log;
    this.forgetRun(opened.key);
    this.#byRun.set(opened.key, log);
    return log;
  }

  /** Takes in what was committed. */
  committed(log: LiveLog, first: number, last: number, bytes: Buffer): void {
    if (this.#byRun.get(log.key) !== log) return;
    log.nextIndex = last + 1;
    const before = log.ring.bytes;
    log.ring.push(first, last, bytes);
    this.#bytes += log.ring.bytes - before;
    if (this.#bytes > this.#totalBytes) this.#makeRoom(log);
  }

  /** Takes in a committed state. A finished log stays for those who come back soon; a paused one goes: another process may continue it. */
  moved(log: LiveLog, to: RunStatus): void {
    log.status = to;
    if (this.#byRun.get(log.key) !== log) return;
    if (isTerminal(to)) this.#finished.add(log);
    else if (to !== "RUNNING") this.forget(log);
  }

  /** Takes in that the run's end cannot be stored. It stays for those who come, as a finished log does. */
  broke(log: LiveLog): void {
    log.isBroken = true;
    if (this.#byRun.get(log.key) === log) this.#finished.add(log);
  }

  /** Forgets a log; its followers read the table. The log of another attempt at the same run stays. */
  forget(log: LiveLog): void {
    if (this.#byRun.get(log.key) !== log) return;
    this.#byRun.delete(log.key);
    this.#finished.delete(log);
    this.#bytes -= log.ring.bytes;
  }

  /** Forgets a run's log, whichever attempt's. */
  forgetRun(key: number): void {
    const log = this.#byRun.get(key);
    if (log) this.forget(log);
  }

  /** Forgets a log that nobody writes any more. */
  forgetFinished(key: number): void {
    const log = this.#byRun.get(key);
    if (log && this.#finished.has(log)) this.forget(log);
  }

  /** Finished logs go first; when only live ones are left, the one that grows gives up half of its own. */
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
