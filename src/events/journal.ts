/**
 * The group commit: one writer a process. What all runs want written waits here; one flush is in flight, and when it commits, the next
 * takes what queued meanwhile. An event is shown to nobody before its flush has committed (L2).
 *
 * Where somebody waits for a commit, or a flush is full, the next one begins at once. Else flushes begin at least `flushInterval` apart: a
 * thousand runs at token speed would make a commit of every few events. Processes that share a database take turns: the more there
 * are, the more intervals each waits, so that the database commits as seldom as for one.
 */
import { InvariantError } from "../errors.ts";
import { isTerminal } from "../model/run.ts";
import type { Runtime } from "../model/runtime.ts";
import type { Settings } from "../model/settings.ts";
import { turnsOf } from "../model/turns.ts";
import type { Signals } from "../store/contract/signals.ts";
import type { Outcome, RunCreation, Store, Write } from "../store/contract/store.ts";
import type { LiveLogs } from "./live-log.ts";
import { RunWriter } from "./run-writer.ts";

/** What became of a creation. */
export type CreationOutcome = Extract<Outcome, { kind: "created" | "exists" | "refused" | "failed" }> & {
  readonly key: number;
};

interface Creation {
  readonly key: number;
  readonly run: RunCreation;
  /** Of its texts, about. */
  readonly bytes: number;
  readonly settle: (outcome: CreationOutcome) => void;
}

/** What the journal is made of. */
export interface JournalParts {
  readonly store: Store;
  readonly signals: Signals;
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly live: LiveLogs;
  /** Told of each run that ended here. */
  readonly onEnded?: (key: number) => void;
  /** Processes that share the database just now, this one among them. Default: this one alone. */
  readonly living?: () => number;
}

/** Most creations of one flush: beside their bytes each costs the database some rows. */
const creationsPerFlush = 500;

export class Journal {
  readonly #parts: JournalParts;
  #creations: Creation[] = [];
  #dirty = new Set<RunWriter>();
  #pendingBytes = 0;
  #flushing = false;
  /** How the next flush is to begin: at the end of this turn of the event loop, or when its time has come. */
  #next: "soon" | "later" | undefined;
  #cancelLater: (() => void) | undefined;
  /** Whether the next flush must not be put off. */
  #urgent = false;
  #lastBegun = Number.NEGATIVE_INFINITY;
  #closed = false;
  #waitingForRoom: (() => void)[] = [];
  #waitingForIdle: (() => void)[] = [];

  constructor(parts: JournalParts) {
    this.#parts = parts;
  }

  /** Records a new run; resolves when its row is durable. */
  async create(run: RunCreation): Promise<CreationOutcome> {
    const key = await this.#parts.store.nextRunKey();
    if (this.#closed) return { kind: "failed", key, error: closedError() };
    return new Promise((settle) => {
      this.#creations.push({
        key,
        run,
        bytes: sizeOf(run),
        settle,
      });
      this.#urgent = true;
      this.#schedule();
    });
  }

  /** Opens the writing end of a run that this process has just created or claimed. */
  open(run: { key: number; attempt: number; nextIndex: number; firstKept: number }): RunWriter {
    const live = this.#parts.live.open(run);
    return new RunWriter(run, live, this.#added);
  }

  /** Forgets the log of a run that another process has taken over: its readers go on with the table. */
  forget(key: number, attempt: number): void {
    const { live, signals } = this.#parts;
    const log = live.get(key);
    if (log?.attempt !== attempt) return;
    live.forget(log);
    signals.publish({ topic: "run", key });
  }

  /** The run's end could not be stored: its readers are told, and the run is taken up again when this process has ended. */
  breakOff({ key, live: log }: RunWriter): void {
    const { live, signals } = this.#parts;
    live.broke(log);
    signals.publishHere({ topic: "run", key });
  }

  /** Undefined while the run may produce more; else resolves when there may be room. */
  room(writer: RunWriter): Promise<void> | undefined {
    const { pendingBytes, pendingTotalBytes } = this.#parts.settings;
    if (writer.pendingBytes <= pendingBytes && this.#pendingBytes <= pendingTotalBytes) return undefined;
    if (writer.closed) return undefined;
    this.#urgent = true;
    this.#schedule();
    return new Promise((resolve) => this.#waitingForRoom.push(resolve));
  }

  /** Resolves when everything added so far has been settled. */
  async idle(): Promise<void> {
    if (!this.#flushing && this.#creations.length === 0 && this.#dirty.size === 0) return;
    await new Promise<void>((resolve) => this.#waitingForIdle.push(resolve));
  }

  /** Writes no more: what waits is settled as lost or failed. */
  close(): void {
    this.#closed = true;
    this.#cancelLater?.();
    for (const { key, settle } of this.#creations.splice(0)) settle({ kind: "failed", key, error: closedError() });
    for (const writer of this.#dirty) writer.close({ kind: "lost" });
    this.#dirty.clear();
    this.#release();
  }

  readonly #added = (writer: RunWriter, bytes: number, isAwaited: boolean): void => {
    if (this.#closed) {
      writer.close({ kind: "lost" });
      return;
    }
    this.#pendingBytes += bytes;
    this.#dirty.add(writer);
    if (isAwaited || this.#pendingBytes >= this.#parts.settings.flushBytes) this.#urgent = true;
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
      const turns = turnsOf(this.#parts.living?.() ?? 1);
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
    this.#lastBegun = this.#parts.runtime.clock.monotonic();
    const creations = this.#takeCreations();
    const writers: RunWriter[] = [];
    const writes: Write[] = creations.map(({ key, run }) => ({ kind: "create", key, run }));
    this.#takeShares(writers, writes, bytesOf(creations));
    this.#urgent = this.#dirty.size > 0 || this.#creations.length > 0;
    try {
      const outcomes = await this.#parts.store.append(writes);
      for (const [place, creation] of creations.entries()) settleCreation(creation, outcomes[place]);
      for (const [place, writer] of writers.entries()) this.#settle(writer, outcomes[creations.length + place]);
    } catch (error) {
      this.#abandon(creations, writers, error as Error);
    }
    this.#flushing = false;
    this.#release();
    if (this.#creations.length > 0 || this.#dirty.size > 0) this.#schedule();
  }

  /** Takes new runs until their inputs fill the flush; one at least. */
  #takeCreations(): Creation[] {
    let bytes = 0;
    let count = 0;
    for (const creation of this.#creations) {
      bytes += creation.bytes;
      if (count > 0 && bytes > this.#parts.settings.flushBytes) break;
      count++;
    }
    return this.#creations.splice(0, Math.min(count, creationsPerFlush));
  }

  /** Takes from each run that waits its share, until the flush is full; who is left out, or has more, is first in the next one. */
  #takeShares(writers: RunWriter[], writes: Write[], taken: number): void {
    const { flushBytes, flushShare } = this.#parts.settings;
    let bytes = taken;
    for (const writer of [...this.#dirty]) {
      if (bytes >= flushBytes) return;
      const share = writer.take(Math.min(flushShare, flushBytes - bytes));
      bytes += share.bytes;
      writers.push(writer);
      writes.push({ kind: "run", ...share.write });
      this.#dirty.delete(writer);
      if (writer.hasWork) this.#dirty.add(writer);
    }
  }

  #settle(writer: RunWriter, outcome: Outcome | undefined): void {
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
    const settled = writer.settle(outcome);
    this.#pendingBytes -= before - writer.pendingBytes;
    if (settled.frames) live.committed(writer.live, settled.first, settled.last, settled.frames);
    if (settled.moved) {
      live.moved(writer.live, settled.moved);
      if (isTerminal(settled.moved)) this.#parts.onEnded?.(writer.key);
    }
    // Its readers go on with the table: what is remembered here is not where the log stands.
    const isGone = outcome.kind === "lost" || (outcome.kind === "state" && outcome.status !== "RUNNING");
    if (isGone) live.forget(writer.live);
    const isAskedFor = isGone || (outcome.kind === "committed" && outcome.watched);
    if (isAskedFor) signals.publish({ topic: "run", key: writer.key });
    else if (settled.frames || settled.moved) signals.publishHere({ topic: "run", key: writer.key });
    for (const commit of settled.commits) commit.settle(outcome);
    if (!writer.hasWork) return;
    this.#dirty.add(writer);
    // A refused ending has been put back: somebody waits for what was before it.
    if (outcome.kind === "state") this.#urgent = true;
  }

  /** The store is closed, or broke a promise: nobody may wait for ever. */
  #abandon(creations: readonly Creation[], writers: readonly RunWriter[], error: Error): void {
    this.#parts.runtime.log.error({ error }, "A flush was abandoned; its runs are left to whoever takes them up.");
    for (const { key, settle } of creations) settle({ kind: "failed", key, error });
    for (const writer of writers) {
      this.#parts.live.forget(writer.live);
      this.#pendingBytes -= writer.pendingBytes;
      writer.settle({ kind: "lost" });
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

/** Characters of its texts. */
function sizeOf({ input, options, sessionState, messages = [] }: RunCreation): number {
  const said = messages.reduce((sum, { body }) => sum + body.length, 0);
  return input.length + options.length + sessionState.length + said;
}

function bytesOf(creations: readonly Creation[]): number {
  return creations.reduce((sum, { bytes }) => sum + bytes, 0);
}

function closedError(): Error {
  return new Error("The journal is closed.");
}

function settleCreation({ key, settle }: Creation, outcome: Outcome | undefined): void {
  if (outcome?.kind === "created") settle({ ...outcome, key });
  else if (outcome?.kind === "exists") settle(outcome);
  else if (outcome?.kind === "refused") settle({ ...outcome, key });
  else if (outcome?.kind === "failed") settle({ ...outcome, key });
  else throw new InvariantError("The store answered a creation as if it were a run's write.");
}
