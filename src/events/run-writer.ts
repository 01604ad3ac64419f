/** The writer of one run's log: events and changes wait here, in order, for the next flush. */

import { encodeFrames, frameOverhead, type UnnumberedEvent } from "../model/frame.ts";
import type { RunStatus } from "../model/run/run.ts";
import type {
  CountedUsage,
  Outcome,
  RunChanges,
  RunTransition,
  RunWrite,
  StatePatch,
} from "../store/contract/store.ts";
import type { LiveLog } from "./live-log.ts";

/** A change of the run's own state, with its event. */
export interface Ending extends RunTransition {
  readonly event: UnnumberedEvent;
  /** An event that directly follows the change's event, in the same flush. */
  readonly after?: UnnumberedEvent | undefined;
}

/** The result of a commit. `state`: the ending was rejected; everything else is written or will be. */
export type CommitOutcome = Extract<Outcome, { kind: "committed" | "lost" | "state" | "failed" }>;

interface Barrier {
  /** Number of waiting events before this change. */
  at: number;
  readonly changes: RunChanges;
  readonly ending: Ending | undefined;
  /** Approximate size of the change's rows. */
  readonly bytes: number;
  readonly resolve: (outcome: CommitOutcome) => void;
}

/** One run's part of a flush. */
export interface FlushShare {
  readonly write: RunWrite;
  readonly bytes: number;
}

interface TakenShare {
  readonly first: number;
  readonly events: UnnumberedEvent[];
  readonly barriers: Barrier[];
  readonly bytes: number;
  readonly rowBytes: number;
  readonly encoded: Buffer | undefined;
}

/** The part of a run that a flush made durable. */
export interface DurablePart {
  /** Indexes of the first and the last event in `frames`. */
  readonly first: number;
  readonly last: number;
  readonly frames: Buffer | undefined;
  readonly moved: RunStatus | undefined;
  readonly commits: readonly { readonly resolve: (outcome: CommitOutcome) => void }[];
}

const noChanges: RunChanges = {};

const nothing: DurablePart = { first: 0, last: -1, frames: undefined, moved: undefined, commits: [] };

const noWaiter = (): void => undefined;

/** Called whenever something is added. `isAwaited`: a caller waits for it. */
type Report = (writer: RunWriter, addedBytes: number, isAwaited: boolean) => void;

export class RunWriter {
  readonly key: number;
  readonly attempt: number;
  readonly live: LiveLog;
  /** Called with the totals of the shared counters that a flush of this run changed, before its commits resolve. */
  onUsage: ((totals: readonly CountedUsage[]) => void) | undefined;
  readonly #report: Report;
  #events: UnnumberedEvent[] = [];
  #bytes = 0;
  #rowBytes = 0;
  #barriers: Barrier[] = [];
  #taken: TakenShare | undefined;
  #closed: CommitOutcome | undefined;
  #failure: CommitOutcome | undefined;
  /** Index of the next event to be taken: this attempt's own count, independent of any log in memory. */
  #nextIndex: number;
  /** Whether nothing of this attempt is durable yet. */
  #isFresh = true;

  constructor(run: { key: number; attempt: number; nextIndex: number }, live: LiveLog, report: Report) {
    this.key = run.key;
    this.attempt = run.attempt;
    this.#nextIndex = run.nextIndex;
    this.live = live;
    this.#report = report;
  }

  /** Approximate number of bytes that are not durable yet. */
  get pendingBytes(): number {
    const { bytes = 0, rowBytes = 0 } = this.#taken ?? {};
    return this.#bytes + this.#rowBytes + bytes + rowBytes;
  }

  /** Index of the next event to be added. */
  get nextIndex(): number {
    return this.#nextIndex + (this.#taken?.events.length ?? 0) + this.#events.length;
  }

  get hasWork(): boolean {
    return this.#events.length > 0 || this.#barriers.length > 0;
  }

  /** The outcome with which the log was closed for this writer; undefined while it is open. */
  get closed(): CommitOutcome | undefined {
    return this.#closed;
  }

  /** Adds an event, with rows that become durable in the same flush. */
  append(event: UnnumberedEvent, changes?: RunChanges): void {
    if (this.#closed || this.#failure) return;
    this.#events.push(event);
    const bytes = event.members.length + frameOverhead;
    this.#bytes += bytes;
    const rowBytes = changes ? this.#addBarrier(changes, undefined, noWaiter) : 0;
    this.#report(this, bytes + rowBytes, false);
  }

  /** Resolves when the events so far and the changes are durable. */
  commit(changes: RunChanges = noChanges, ending?: Ending): Promise<CommitOutcome> {
    if (this.#closed) return Promise.resolve(this.#closed);
    // Part of the log could not be stored: the run cannot complete any more, it can only end with an error or a cancel.
    if (this.#failure && ending?.to !== "ERROR" && ending?.to !== "CANCELLED") return Promise.resolve(this.#failure);
    const last = eventsOf(ending);
    const bytes = sizeOf(last);
    this.#events.push(...last);
    this.#bytes += bytes;
    return new Promise((applyOutcome) => {
      const rowBytes = this.#addBarrier(changes, ending, applyOutcome);
      this.#report(this, bytes + rowBytes, true);
    });
  }

  #addBarrier(changes: RunChanges, ending: Ending | undefined, resolve: Barrier["resolve"]): number {
    const bytes = bytesOfRows(changes) + (ending?.output?.length ?? 0);
    this.#barriers.push({ at: this.#events.length, changes, ending, bytes, resolve });
    this.#rowBytes += bytes;
    return bytes;
  }

  /** Takes up to `share` bytes of events (at least one event) with the changes that belong to them, and numbers the events. */
  take(share: number): FlushShare {
    const events = this.#takeEvents(share);
    const count = events.length;
    const reached = this.#barriers.findIndex((barrier) => barrier.at > count);
    const barriers = reached < 0 ? this.#barriers : this.#barriers.slice(0, reached);
    this.#barriers = reached < 0 ? [] : this.#barriers.slice(reached);
    for (const barrier of this.#barriers) barrier.at -= count;
    const first = this.#nextIndex;
    const encoded = count > 0 ? encodeFrames(first, events) : undefined;
    const bytes = sizeOf(events);
    this.#bytes -= bytes;
    const rowBytes = barriers.reduce((sum, barrier) => sum + barrier.bytes, 0);
    this.#rowBytes -= rowBytes;
    this.#taken = { first, events, barriers, bytes, rowBytes, encoded };
    const segment = encoded ? { firstIndex: first, lastIndex: first + count - 1, frames: encoded } : null;
    return {
      write: { key: this.key, attempt: this.attempt, segment, begins: this.#isFresh, ...merged(barriers) },
      bytes: (encoded?.length ?? 256) + rowBytes,
    };
  }

  /**
   * Applies the outcome of the share. Returns its durable part: the caller shows it to readers first, then resolves the commits. A rejected ending is
   * put back without its event; lost and failed writes drop everything that waits.
   */
  applyOutcome(outcome: CommitOutcome): DurablePart {
    const taken = this.#taken;
    this.#taken = undefined;
    if (!taken) return nothing;
    if (outcome.kind === "committed") {
      this.#isFresh = false;
      if (outcome.usage) this.onUsage?.(outcome.usage);
      const moved = taken.barriers.find((barrier) => barrier.ending)?.ending?.to;
      if (moved) this.#closed = outcome;
      const { first, encoded: frames } = taken;
      this.#nextIndex = first + taken.events.length;
      return { first, last: this.#nextIndex - 1, frames, moved, commits: taken.barriers };
    }
    if (outcome.kind === "state" && taken.barriers.some((barrier) => barrier.ending)) this.#putBack(taken, outcome);
    else this.#drop(outcome, taken.barriers);
    return nothing;
  }

  /** Stops writing: everything that waits is resolved with `outcome`. */
  close(outcome: CommitOutcome): void {
    this.#closed = outcome;
    this.#drop(outcome, []);
  }

  #drop(outcome: CommitOutcome, taken: readonly Barrier[]): void {
    const waiting = [...taken, ...this.#barriers];
    this.#barriers = [];
    this.#events = [];
    this.#bytes = 0;
    this.#rowBytes = 0;
    if (outcome.kind === "failed") this.#failure = outcome;
    else this.#closed = outcome;
    for (const barrier of waiting) barrier.resolve(outcome);
  }

  /** Drops a rejected ending, and puts the writes that waited with it into the next flush. */
  #putBack(taken: TakenShare, outcome: CommitOutcome): void {
    const refused = taken.barriers.find((barrier) => barrier.ending);
    const gone = eventsOf(refused?.ending);
    const events = taken.events.filter((event) => !gone.includes(event));
    const waiting = taken.barriers.filter((barrier) => barrier !== refused);
    if (refused)
      waiting.push({
        at: events.length,
        changes: refused.changes,
        ending: undefined,
        bytes: refused.bytes - (refused.ending?.output?.length ?? 0),
        resolve: () => refused.resolve(outcome),
      });
    for (const barrier of this.#barriers) barrier.at += events.length;
    this.#events = [...events, ...this.#events];
    this.#barriers = [...waiting, ...this.#barriers];
    this.#bytes += sizeOf(events);
    this.#rowBytes += waiting.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #takeEvents(share: number): UnnumberedEvent[] {
    if (this.#bytes <= share) {
      const all = this.#events;
      this.#events = [];
      return all;
    }
    let bytes = 0;
    let count = 0;
    for (const event of this.#events) {
      bytes += event.members.length + frameOverhead;
      if (count > 0 && bytes > share) break;
      count++;
    }
    // The two events of an ending stay in one flush.
    const pair = this.#barriers.find(({ ending }) => ending?.after)?.at;
    if (pair !== undefined && count === pair - 1) count = count > 1 ? count - 1 : pair;
    return this.#events.splice(0, count);
  }
}

function eventsOf(ending: Ending | undefined): readonly UnnumberedEvent[] {
  if (!ending) return [];
  return ending.after ? [ending.event, ending.after] : [ending.event];
}

function sizeOf(events: readonly UnnumberedEvent[]): number {
  let bytes = 0;
  for (const event of events) bytes += event.members.length + frameOverhead;
  return bytes;
}

/** Text sizes of the rows, in characters: an input with images may be larger than everything else. */
function bytesOfRows(changes: RunChanges): number {
  let bytes = 0;
  for (const { body } of changes.messages ?? []) bytes += body.length;
  for (const { body } of changes.marks ?? []) bytes += body.length;
  for (const { input } of changes.members ?? []) bytes += input.length;
  for (const { output } of changes.memberEnds ?? []) bytes += output.length;
  if (changes.summary) bytes += changes.summary.summary.length;
  return bytes;
}

function merged(barriers: readonly Barrier[]): RunChanges & Pick<RunWrite, "transition"> {
  const [first] = barriers;
  if (!first) return {};
  if (barriers.length === 1) return { ...first.changes, transition: first.ending };
  const patches = barriers.flatMap(({ changes }) => changes.statePatch ?? []);
  return {
    messages: barriers.flatMap(({ changes }) => changes.messages ?? []),
    marks: barriers.flatMap(({ changes }) => changes.marks ?? []),
    members: barriers.flatMap(({ changes }) => changes.members ?? []),
    memberEnds: barriers.flatMap(({ changes }) => changes.memberEnds ?? []),
    usage: usageOf(barriers),
    statePatch: patches.length > 0 ? mergedPatch(patches) : null,
    summary: barriers.find(({ changes }) => changes.summary)?.changes.summary,
    transition: barriers.find((barrier) => barrier.ending)?.ending,
  };
}

/** Undefined for most flushes, so that they allocate nothing. */
function usageOf(barriers: readonly Barrier[]): RunChanges["usage"] {
  if (!barriers.some(({ changes }) => changes.usage)) return undefined;
  return barriers.flatMap(({ changes }) => changes.usage ?? []);
}

/** Merges consecutive patches into one: for each key the last patch wins. */
function mergedPatch(patches: readonly StatePatch[]): StatePatch {
  const set = new Map<string, unknown>();
  const remove = new Set<string>();
  for (const patch of patches) {
    for (const name of patch.remove) {
      set.delete(name);
      remove.add(name);
    }
    for (const [name, value] of Object.entries(patch.set)) {
      remove.delete(name);
      set.set(name, value);
    }
  }
  return { set: Object.fromEntries(set), remove: [...remove] };
}
