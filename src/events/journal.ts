/**
 * The group commit: one writer per process. The writes of all runs wait here. One flush is in flight; when it commits, the next one takes the writes
 * that queued meanwhile. Readers never see an event before its flush has committed (L2).
 *
 * When a caller waits for a commit, or a flush is full, the next flush begins at once. Otherwise flushes begin at least `flushInterval` apart: a
 * thousand runs at token speed would otherwise cause a commit for every few events. Each process waits as many
 * intervals as there are processes, so that a shared database commits no more often than for one process.
 */
import { InvariantError } from "../errors.ts";
import { intervalFactor } from "../model/interval-factor.ts";
import { isTerminal } from "../model/run/run.ts";
import type { Runtime } from "../model/runtime.ts";
import type { Settings } from "../model/settings.ts";
import type { Signals } from "../store/contract/signals.ts";
import type { Outcome, RunCreation, Store, Write } from "../store/contract/store.ts";
import type { LiveLogs } from "./live-log.ts";
import { RunWriter } from "./run-writer.ts";

/** The result of creating a run. */
export type CreationOutcome = Extract<Outcome, { kind: "created" | "exists" | "refused" | "failed" }> & {
  readonly key: number;
};

interface Creation {
  readonly key: number;
  readonly run: RunCreation;
  /** Approximate size of its texts. */
  readonly bytes: number;
  readonly resolve: (outcome: CreationOutcome) => void;
}

/** Dependencies of the journal. */
export interface JournalParts {
  readonly store: Store;
  readonly signals: Signals;
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly live: LiveLogs;
  /** Called for each run that ended in this process. */
  readonly onEnded?: (key: number) => void;
  /** Number of processes that currently share the database, including this one. Default: only this one. */
  readonly living?: () => number;
}

/** Max creations per flush: each inserts several rows in addition to its bytes. */
const creationsPerFlush = 500;

export class Journal {
  readonly #parts: JournalParts;
  #creations: Creation[] = [];
  #dirty = new Set<RunWriter>();
  #pendingBytes = 0;
  #flushing = false;
  /** When the next flush begins: at the end of this turn of the event loop, or after the flush interval. */
  #next: "soon" | "later" | undefined;
  #cancelLater: (() => void) | undefined;
  /** Whether the next flush must begin at once. */
  #urgent = false;
  #lastBegun = Number.NEGATIVE_INFINITY;
  /** When the oldest write that is not taken yet arrived, by the monotonic clock. */
  #oldest: number | undefined;
  #closed = false;
  #waitingForRoom: (() => void)[] = [];
  #waitingForIdle: (() => void)[] = [];

  constructor(parts: JournalParts) {
    this.#parts = parts;
    parts.store.onLostCommits?.(() => this.#closeWaiting());
  }

  /** Records a new run; resolves when its row is durable. */
  async create(run: RunCreation): Promise<CreationOutcome> {
    const key = await this.#parts.store.nextRunKey();
    if (this.#closed) return { kind: "failed", key, error: closedError() };
    this.#oldest ??= this.#parts.runtime.clock.monotonic();
    return new Promise((resolve) => {
      this.#creations.push({
        key,
        run,
        bytes: sizeOf(run),
        resolve,
      });
      this.#urgent = true;
      this.#schedule();
    });
  }

  /** Opens a writer for a run that this process has just created or claimed. */
  open(run: { key: number; attempt: number; nextIndex: number; firstKept: number }): RunWriter {
    const live = this.#parts.live.open(run);
    return new RunWriter(run, live, this.#added);
  }

  /** Drops the log of a run that another process has taken over: its readers continue from the table. */
  forget(key: number, attempt: number): void {
    const { live, signals } = this.#parts;
    const log = live.get(key);
    if (log?.attempt !== attempt) return;
    live.forget(log);
    signals.publish({ topic: "run", key });
  }

  /** Reports to its readers that the run's end could not be stored. The run is resumed after this process has ended. */
  failLog({ key, live: log }: RunWriter): void {
    const { live, signals } = this.#parts;
    live.fail(log);
    signals.publishHere({ topic: "run", key });
  }

  /** Returns undefined while the run may produce more; otherwise a promise that resolves when there may be space. */
  room(writer: RunWriter): Promise<void> | undefined {
    const { maxPendingBytes, maxTotalPendingBytes } = this.#parts.settings;
    if (writer.pendingBytes <= maxPendingBytes && this.#pendingBytes <= maxTotalPendingBytes) return undefined;
    if (writer.closed) return undefined;
    this.#urgent = true;
    this.#schedule();
    return new Promise((resolve) => this.#waitingForRoom.push(resolve));
  }

  /** Whether a flush is in flight and further writes wait for the next one. */
  get isBusy(): boolean {
    return this.#flushing && (this.#creations.length > 0 || this.#dirty.size > 0);
  }

  /** Resolves when every write added so far has an outcome. */
  async idle(): Promise<void> {
    if (!this.#flushing && this.#creations.length === 0 && this.#dirty.size === 0) return;
    await new Promise<void>((resolve) => this.#waitingForIdle.push(resolve));
  }

  /** Stops writing: pending writes are resolved as lost or failed. */
  close(): void {
    this.#closed = true;
    this.#cancelLater?.();
    for (const { key, resolve } of this.#creations.splice(0)) resolve({ kind: "failed", key, error: closedError() });
    this.#closeWaiting();
    this.#release();
  }

  /** Resolves everything that waits for a flush as lost, except new runs. */
  #closeWaiting(): void {
    for (const writer of this.#dirty) {
      const before = writer.pendingBytes;
      writer.close({ kind: "lost" });
      this.#pendingBytes -= before - writer.pendingBytes;
    }
    this.#dirty.clear();
  }

  readonly #added = (writer: RunWriter, bytes: number, isAwaited: boolean): void => {
    if (this.#closed) {
      writer.close({ kind: "lost" });
      return;
    }
    this.#oldest ??= this.#parts.runtime.clock.monotonic();
    this.#pendingBytes += bytes;
    this.#dirty.add(writer);
    if (isAwaited || this.#pendingBytes >= this.#parts.settings.maxFlushBytes) this.#urgent = true;
    this.#schedule();
  };

  #schedule(): void {
    if (this.#flushing || this.#closed || this.#next === "soon") return;
    const { clock } = this.#parts.runtime;
    const begin = (): void => {
      this.#next = this.#cancelLater = undefined;
      void this.#flush();
    };
    if (!this.#urgent) {
      if (this.#next === "later") return;
      const turns = intervalFactor(this.#parts.living?.() ?? 1);
      const wait = this.#lastBegun + this.#parts.settings.flushInterval * turns - clock.monotonic();
      if (wait > 0) {
        this.#next = "later";
        this.#cancelLater = clock.after(wait, begin);
        return;
      }
    }
    this.#cancelLater?.();
    this.#next = "soon";
    clock.defer(begin);
  }

  async #flush(): Promise<void> {
    if (this.#closed) return;
    this.#flushing = true;
    const { clock, measurements } = this.#parts.runtime;
    this.#lastBegun = clock.monotonic();
    const oldest = this.#oldest ?? this.#lastBegun;
    const creations = this.#takeCreations();
    const writers: RunWriter[] = [];
    const writes: Write[] = creations.map(({ key, run }) => ({ kind: "create", key, run }));
    const bytes = this.#takeShares(writers, writes, bytesOf(creations));
    this.#urgent = this.#dirty.size > 0 || this.#creations.length > 0;
    // Writes that did not fit have waited as long as the others.
    if (!this.#urgent) this.#oldest = undefined;
    try {
      const outcomes = await this.#parts.store.append(writes);
      const now = clock.monotonic();
      measurements.flush({ bytes, seconds: (now - this.#lastBegun) / 1000, latency: (now - oldest) / 1000 });
      for (const [place, creation] of creations.entries()) resolveCreation(creation, outcomes[place]);
      for (const [place, writer] of writers.entries()) this.#applyOutcome(writer, outcomes[creations.length + place]);
    } catch (error) {
      this.#failFlush(creations, writers, error as Error);
    }
    this.#flushing = false;
    this.#release();
    if (this.#creations.length > 0 || this.#dirty.size > 0) this.#schedule();
  }

  /** Takes new runs until their texts fill the flush; at least one. */
  #takeCreations(): Creation[] {
    let bytes = 0;
    let count = 0;
    for (const creation of this.#creations) {
      bytes += creation.bytes;
      if (count > 0 && bytes > this.#parts.settings.maxFlushBytes) break;
      count++;
    }
    return this.#creations.splice(0, Math.min(count, creationsPerFlush));
  }

  /** Takes a share from each waiting run until the flush is full, and returns its size in bytes. Runs that were left out come first in the next flush. */
  #takeShares(writers: RunWriter[], writes: Write[], taken: number): number {
    const { maxFlushBytes, maxFlushShareBytes } = this.#parts.settings;
    let bytes = taken;
    for (const writer of [...this.#dirty]) {
      if (bytes >= maxFlushBytes) return bytes;
      const share = writer.take(Math.min(maxFlushShareBytes, maxFlushBytes - bytes));
      bytes += share.bytes;
      writers.push(writer);
      writes.push({ kind: "run", ...share.write });
      this.#dirty.delete(writer);
      if (writer.hasWork) this.#dirty.add(writer);
    }
    return bytes;
  }

  #applyOutcome(writer: RunWriter, outcome: Outcome | undefined): void {
    if (
      outcome === undefined ||
      outcome.kind === "created" ||
      outcome.kind === "exists" ||
      outcome.kind === "refused"
    ) {
      throw new InvariantError("The store answered a run's write as if it were a creation.");
    }
    const { live, signals } = this.#parts;
    const before = writer.pendingBytes;
    const durable = writer.applyOutcome(outcome);
    this.#pendingBytes -= before - writer.pendingBytes;
    if (durable.frames) live.committed(writer.live, durable.first, durable.last, durable.frames);
    if (durable.moved) {
      live.moved(writer.live, durable.moved);
      if (isTerminal(durable.moved)) this.#parts.onEnded?.(writer.key);
    }
    // Its readers continue from the table: the log in memory is out of date.
    const isGone = outcome.kind === "lost" || (outcome.kind === "state" && outcome.status !== "RUNNING");
    if (isGone) live.forget(writer.live);
    const isAskedFor = isGone || (outcome.kind === "committed" && outcome.watched);
    if (isAskedFor) signals.publish({ topic: "run", key: writer.key });
    else if (durable.frames || durable.moved) signals.publishHere({ topic: "run", key: writer.key });
    for (const commit of durable.commits) commit.resolve(outcome);
    if (!writer.hasWork) return;
    this.#dirty.add(writer);
    // The rest of a rejected ending was put back, and a caller waits for it.
    if (outcome.kind === "state") this.#urgent = true;
  }

  /** The store is closed, or broke its contract: no caller may wait forever. */
  #failFlush(creations: readonly Creation[], writers: readonly RunWriter[], error: Error): void {
    this.#parts.runtime.log.error({ error }, "A flush failed; another process takes over its runs.");
    for (const { key, resolve } of creations) resolve({ kind: "failed", key, error });
    for (const writer of writers) {
      this.#parts.live.forget(writer.live);
      this.#pendingBytes -= writer.pendingBytes;
      writer.applyOutcome({ kind: "lost" });
      this.#parts.signals.publish({ topic: "run", key: writer.key });
    }
  }

  #release(): void {
    const room = this.#waitingForRoom;
    this.#waitingForRoom = [];
    for (const resolve of room) resolve();
    if (this.#creations.length > 0 || this.#dirty.size > 0) return;
    const idle = this.#waitingForIdle;
    this.#waitingForIdle = [];
    for (const resolve of idle) resolve();
  }
}

/** Total characters of its texts. */
function sizeOf({ input, options, sessionState, messages = [] }: RunCreation): number {
  const messageSize = messages.reduce((sum, { body }) => sum + body.length, 0);
  return input.length + options.length + sessionState.length + messageSize;
}

function bytesOf(creations: readonly Creation[]): number {
  return creations.reduce((sum, { bytes }) => sum + bytes, 0);
}

function closedError(): Error {
  return new Error("The journal is closed.");
}

function resolveCreation({ key, resolve }: Creation, outcome: Outcome | undefined): void {
  if (outcome?.kind === "created") resolve({ ...outcome, key });
  else if (outcome?.kind === "exists") resolve(outcome);
  else if (outcome?.kind === "refused") resolve({ ...outcome, key });
  else if (outcome?.kind === "failed") resolve({ ...outcome, key });
  else throw new InvariantError("The store answered a creation as if it were a run's write.");
}
