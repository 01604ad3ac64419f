/**
 * Tells targets of their runs' changes. What is to be told stands in the tables: whoever is free takes a target, and the next one goes on
 * where a process that died had come to. A target is told each change at least once, and in order.
 */
import { DueLoop } from "../../../engine/process/due-loop.ts";
import type { Lease } from "../../../engine/process/lease.ts";
import type { Runtime } from "../../../model/runtime.ts";
import type { Settings } from "../../../model/settings.ts";
import { Shares } from "../../../model/shares.ts";
import type { ClaimedPush, PushEnd, PushStore } from "../../../store/contract/push-targets.ts";
import type { Signals } from "../../../store/contract/signals.ts";
import type { Store } from "../../../store/contract/store.ts";
import type { AddressRules } from "./addresses.ts";
import { type Notification, PushFailed, send } from "./send.ts";

/** Something to tell, with the event of the run's log that it comes from. */
export interface Telling {
  readonly index: number;
  readonly notification: Notification;
}

/** What the pusher takes of the platform. */
export interface PusherParts {
  readonly pushes: PushStore;
  readonly store: Store;
  readonly signals: Signals;
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly lease: Pick<Lease, "mayTakeOver">;
  readonly processId: string;
  readonly rules: AddressRules;
  /** What a target has to be told, from its cursor to where the log stands. */
  readonly tellingsOf: (claimed: ClaimedPush) => AsyncIterable<Telling>;
}

/** Shortest pause between two looks, in milliseconds: a run that is watched may say every few of them that it moved on. */
const shortestPause = 50;

/** Most runs of which this process knows that somebody is told of them; of others it hears when it looks by itself. */
const mostWatched = 10_000;

export class Pusher {
  readonly #parts: PusherParts;
  readonly #hands = new Set<Promise<void>>();
  /** How many of them are for which user's runs. */
  readonly #users = new Shares();
  readonly #watched = new Set<number>();
  readonly #stop = new AbortController();
  readonly #unlisten: () => void;
  readonly #loop: DueLoop;

  constructor(parts: PusherParts) {
    this.#parts = parts;
    this.#loop = new DueLoop({ clock: parts.runtime.clock, look: () => this.#look(), gap: shortestPause });
    this.#unlisten = parts.signals.listen((signal) => {
      if (signal.topic === "run" && this.#watched.has(signal.key)) this.#loop.wake();
      else if (signal.topic === "deleted") this.#watched.delete(signal.key);
      else if (signal.topic === "all") this.#loop.wake();
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Somebody is told of a run, and it is heard of by this process: what changes is told at once. */
  watch(runKey: number): void {
    if (this.#watched.size >= mostWatched) this.#watched.clear();
    this.#watched.add(runKey);
    this.#loop.wake();
    if (this.#parts.store.capabilities.replicas) void this.#hearOfElsewhere(runKey);
  }

  /** Leaves what is in hand to others. */
  async close(): Promise<void> {
    this.#unlisten();
    if (!this.#loop.isRunning) return;
    const stopped = this.#loop.stop();
    this.#stop.abort();
    await stopped;
    await Promise.allSettled(this.#hands);
    const { pushes, processId, runtime } = this.#parts;
    await pushes.release(processId).catch((error: unknown) => {
      runtime.log.warn({ error }, "Push notifications could not be given back; others take them after the lease.");
    });
  }

  /** Whoever writes the run's log tells all processes, so also this one, of what it writes. */
  async #hearOfElsewhere(runKey: number): Promise<void> {
    const { store, runtime } = this.#parts;
    await store.watch(runKey).catch((error: unknown) => {
      runtime.log.warn(
        { error, runKey },
        "What another process writes of a run is pushed later: it could not be asked to tell of it.",
      );
    });
  }

  /** Milliseconds until the next look. */
  async #look(): Promise<number> {
    const { pushes, settings, runtime, lease, processId } = this.#parts;
    let pause: number = settings.pushSweep;
    try {
      const limit = settings.pushesAtOnce;
      const most = limit - this.#hands.size;
      const request = { owner: processId, most, orphans: lease.mayTakeOver, inHand: this.#users, limit };
      const claimed = most > 0 ? await pushes.claim(request) : [];
      for (const push of claimed) this.#take(push);
      const left = this.#hands.size < limit ? await pushes.untilDue(this.#users, limit) : null;
      pause = Math.min(pause, Math.max(left ?? pause, shortestPause));
    } catch (error) {
      if (this.#loop.isRunning)
        runtime.log.warn({ error }, "Push notifications could not be looked for; trying again.");
    }
    return pause;
  }

  #take(claimed: ClaimedPush): void {
    const over = this.#carry(claimed).finally(() => {
      this.#hands.delete(over);
      this.#users.add(claimed.userId, -1);
      this.#loop.wake();
    });
    this.#hands.add(over);
    this.#users.add(claimed.userId, 1);
  }

  async #carry(claimed: ClaimedPush): Promise<void> {
    const end = await this.#tell(claimed);
    if (end) await this.#persist(claimed, end);
  }

  /** Tells what there is; undefined when the process ends meanwhile, or the target is not this one's any more. */
  async #tell(claimed: ClaimedPush): Promise<PushEnd | undefined> {
    const { settings, rules, tellingsOf, runtime, pushes } = this.#parts;
    const { signal } = this.#stop;
    let { cursor } = claimed;
    try {
      const options = { rules, timeout: settings.pushTimeout, signal };
      for await (const { index, notification } of tellingsOf(claimed)) {
        // A process that slept may wake up after another one has told more; and what was deleted is told nothing.
        if (signal.aborted || !(await pushes.holds(claimed))) return undefined;
        await send(claimed.target, notification, options);
        cursor = index;
      }
      return { cursor, retryIn: null, failures: 0 };
    } catch (error) {
      if (signal.aborted) return undefined;
      const isProgress = cursor > claimed.cursor;
      const failures = (isProgress ? 0 : claimed.failures) + 1;
      const said = { runId: claimed.runId, target: claimed.target.id, failures };
      const reason = error instanceof PushFailed ? error.message : "what there is to tell could not be read";
      const isOver = (error instanceof PushFailed && error.isFinal) || failures >= settings.pushTries;
      if (!isOver) {
        runtime.log.debug({ ...said, reason }, "A push notification failed; it is tried again.");
        return { cursor, retryIn: this.#delayAfter(failures), failures };
      }
      runtime.log.warn({ ...said, reason }, "A push notification is given up.");
      return { cursor: await this.#endOf(claimed, cursor), retryIn: null, failures: 0 };
    }
  }

  /** What is given up is not told any more, whatever comes after it. */
  async #endOf({ key }: ClaimedPush, cursor: number): Promise<number> {
    const head = await this.#parts.store.head(key).catch(() => undefined);
    return Math.max(cursor, (head?.nextIndex ?? 0) - 1);
  }

  /** Twice as long after each failure, and not for all targets at the same moment. */
  #delayAfter(failures: number): number {
    const { settings, runtime } = this.#parts;
    const longest = Math.min(settings.pushBackoff * 2 ** (failures - 1), settings.pushLongestBackoff);
    return longest * (0.75 + 0.25 * runtime.randomness.fraction());
  }

  /** A place that cannot be written now is written when the database is back: nobody else takes the target while this process lives. */
  async #persist(claimed: ClaimedPush, end: PushEnd): Promise<void> {
    const { pushes, runtime } = this.#parts;
    while (!this.#stop.signal.aborted) {
      try {
        await pushes.settle(claimed, end);
        return;
      } catch (error) {
        runtime.log.warn({ error }, "The place of a push notification could not be recorded; trying again.");
        await runtime.clock.sleep(1_000, this.#stop.signal);
      }
    }
  }
}
