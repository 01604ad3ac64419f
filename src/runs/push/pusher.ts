/**
 * Delivers notifications of run changes to push targets. Pending deliveries are stored in the database: any replica claims a target, and another one
 * resumes after the cursor of a process that died. Each change is delivered to a target at least once, in order.
 */
import { DueLoop } from "../../engine/process/due-loop.ts";
import type { Lease } from "../../engine/process/lease.ts";
import { system } from "../../model/principal.ts";
import { optionsOf } from "../../model/run/stored-run.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { Settings } from "../../model/settings.ts";
import { Shares } from "../../model/shares.ts";
import { contextOf, type TraceContext, type Tracing } from "../../model/trace/propagation.ts";
import type { ClaimedPush, PushClaimRequest, PushResult, PushStore } from "../../store/contract/push-targets.ts";
import type { Signals } from "../../store/contract/signals.ts";
import type { Store } from "../../store/contract/store.ts";
import type { AddressRules } from "../outbound/addresses.ts";
import { DeliveryFailed, type OutboundMessage, send } from "../outbound/send.ts";

export type { ClaimedPush } from "../../store/contract/push-targets.ts";

/** A notification, with the index of the event that it comes from. */
export interface IndexedNotification {
  readonly index: number;
  readonly notification: OutboundMessage;
}

/** The platform services that the pusher uses. */
export interface PusherParts {
  readonly pushes: PushStore;
  readonly store: Store;
  readonly signals: Signals;
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly lease: Pick<Lease, "mayTakeOver">;
  readonly processId: string;
  readonly rules: AddressRules;
  /** Undefined: notifications carry no trace context. */
  readonly tracing?: Tracing | undefined;
  /** The notifications of a target, from its cursor to the end of the log. */
  readonly notificationsOf: (claimed: ClaimedPush) => AsyncIterable<IndexedNotification>;
}

/** Minimum pause between two polls, in milliseconds: a watched run may signal progress every few milliseconds. */
const minPollInterval = 50;

/** Maximum number of runs whose signals wake the loop; changes of other runs are found by polling. */
const maxWatched = 10_000;

export class Pusher {
  readonly #parts: PusherParts;
  readonly #deliveries = new Set<Promise<void>>();
  /** Number of deliveries in progress per user. */
  readonly #users = new Shares();
  readonly #watched = new Set<number>();
  readonly #stop = new AbortController();
  readonly #unlisten: () => void;
  readonly #loop: DueLoop;
  /** Whether a claim failed whose transaction may have been committed: this process may hold targets that it does not deliver to. */
  #isClaimUncertain = false;

  constructor(parts: PusherParts) {
    this.#parts = parts;
    this.#loop = new DueLoop({ clock: parts.runtime.clock, poll: () => this.#poll(), gap: minPollInterval });
    this.#unlisten = parts.signals.listen((signal) => {
      if (signal.topic === "run" && this.#watched.has(signal.key)) this.#loop.wake();
      else if (signal.topic === "deleted") this.#watched.delete(signal.key);
      else if (signal.topic === "all") this.#loop.wake();
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Registers a run with push targets: its signals wake the loop, so that changes are delivered at once. */
  watch(runKey: number): void {
    if (this.#watched.size >= maxWatched) this.#watched.clear();
    this.#watched.add(runKey);
    this.#loop.wake();
    if (this.#parts.store.capabilities.replicas) void this.#watchElsewhere(runKey);
  }

  /** Stops, and leaves deliveries in progress to other processes. */
  async close(): Promise<void> {
    this.#unlisten();
    if (!this.#loop.isRunning) return;
    const stopped = this.#loop.stop();
    this.#stop.abort();
    await stopped;
    await Promise.allSettled(this.#deliveries);
    const { pushes, processId, runtime } = this.#parts;
    await pushes.release(processId).catch((error: unknown) => {
      runtime.log.warn(
        { error },
        "Cannot release push targets; other processes claim them after this process's lease expires.",
      );
    });
  }

  /** Asks the store for signals of this run from other processes. */
  async #watchElsewhere(runKey: number): Promise<void> {
    const { store, runtime } = this.#parts;
    await store.watch(runKey).catch((error: unknown) => {
      runtime.log.warn(
        { error, runKey },
        "Cannot watch a run that another process executes; its push notifications may be delayed.",
      );
    });
  }

  /** Claims and starts due deliveries; returns the milliseconds until the next poll. */
  async #poll(): Promise<number> {
    const { pushes, settings, runtime, lease, processId } = this.#parts;
    let pause: number = settings.pushSweepInterval;
    try {
      if (this.#isClaimUncertain) {
        // Another poll follows when the last delivery ends.
        if (this.#deliveries.size > 0) return pause;
        await pushes.release(processId);
        this.#isClaimUncertain = false;
      }
      const maxHeld = settings.maxConcurrentPushes;
      const limit = maxHeld - this.#deliveries.size;
      const request: PushClaimRequest = {
        owner: processId,
        limit,
        orphans: lease.mayTakeOver,
        held: this.#users,
        maxHeld,
      };
      const claimed = limit > 0 ? await this.#claim(request) : [];
      for (const push of claimed) this.#startDelivery(push);
      const left = this.#deliveries.size < maxHeld ? await pushes.untilDue(this.#users, maxHeld) : null;
      pause = Math.min(pause, Math.max(left ?? pause, minPollInterval));
    } catch (error) {
      if (this.#loop.isRunning)
        runtime.log.warn({ error }, "Cannot claim push notifications that are due; trying again.");
    }
    return pause;
  }

  async #claim(request: PushClaimRequest): Promise<readonly ClaimedPush[]> {
    try {
      return await this.#parts.pushes.claim(request);
    } catch (error) {
      this.#isClaimUncertain = true;
      throw error;
    }
  }

  #startDelivery(claimed: ClaimedPush): void {
    const over = this.#finishDelivery(claimed).finally(() => {
      this.#deliveries.delete(over);
      this.#users.add(claimed.userId, -1);
      this.#loop.wake();
    });
    this.#deliveries.add(over);
    this.#users.add(claimed.userId, 1);
  }

  async #finishDelivery(claimed: ClaimedPush): Promise<void> {
    const end = await this.#deliver(claimed);
    if (end) await this.#persist(claimed, end);
  }

  /** Delivers pending notifications; undefined if the process stops meanwhile, or another process has claimed the target. */
  async #deliver(claimed: ClaimedPush): Promise<PushResult | undefined> {
    const { settings, rules, notificationsOf, runtime, pushes } = this.#parts;
    const { signal } = this.#stop;
    let { cursor } = claimed;
    let trace: Partial<TraceContext> | undefined;
    try {
      const options = { clock: runtime.clock, rules, timeout: settings.pushTimeout, signal };
      for await (const { index, notification } of notificationsOf(claimed)) {
        // After a suspension of this process, another one may have delivered more; a deleted target receives nothing.
        if (signal.aborted || !(await pushes.isClaimValid(claimed))) return undefined;
        trace ??= await this.#traceOf(claimed);
        const { headers, body } = notification;
        await send(claimed.target, { headers: { ...trace, ...headers }, body }, options);
        cursor = index;
        runtime.measurements.push("delivered");
      }
      return { cursor, retryIn: null, failures: 0 };
    } catch (error) {
      if (signal.aborted) return undefined;
      const isProgress = cursor > claimed.cursor;
      const failures = (isProgress ? 0 : claimed.failures) + 1;
      const about = { runId: claimed.runId, target: claimed.target.id, failures };
      const reason = error instanceof DeliveryFailed ? error.message : "its notifications could not be read";
      const isOver = (error instanceof DeliveryFailed && error.isFinal) || failures >= settings.maxPushAttempts;
      runtime.measurements.push(isOver ? "failed" : "retried");
      if (!isOver) {
        runtime.log.debug({ ...about, reason }, "A push notification failed; trying again.");
        return { cursor, retryIn: this.#delayAfter(failures), failures };
      }
      runtime.log.warn({ ...about, reason }, "A push notification has failed for good.");
      return { cursor: await this.#cursorAtEnd(claimed, cursor), retryIn: null, failures: 0 };
    }
  }

  /** Notifications belong to the trace of the run: they carry its first span. */
  async #traceOf({ runId }: ClaimedPush): Promise<Partial<TraceContext>> {
    const { tracing, store } = this.#parts;
    if (!tracing?.propagates) return {};
    const run = await store.findRun(system, runId);
    const { traceparent, tracestate } = run ? optionsOf(run) : {};
    const context = {
      ...(traceparent !== undefined && { traceparent }),
      ...(tracestate !== undefined && { tracestate }),
    };
    return contextOf({ runId, ...context }, "request", tracing.isSampled);
  }

  /** The cursor after a delivery has failed for good: the skipped notifications are never delivered. */
  async #cursorAtEnd({ key }: ClaimedPush, cursor: number): Promise<number> {
    const head = await this.#parts.store.head(key).catch(() => undefined);
    return Math.max(cursor, (head?.nextIndex ?? 0) - 1);
  }

  /** Exponential backoff with jitter, so that targets are not all retried at the same moment. */
  #delayAfter(failures: number): number {
    const { settings, runtime } = this.#parts;
    const maxDelay = Math.min(settings.pushRetryInterval * 2 ** (failures - 1), settings.maxPushRetryInterval);
    return maxDelay * (0.75 + 0.25 * runtime.randomness.fraction());
  }

  /** Retries until the cursor is written: no other process claims the target while this process lives. */
  async #persist(claimed: ClaimedPush, end: PushResult): Promise<void> {
    const { pushes, runtime } = this.#parts;
    while (!this.#stop.signal.aborted) {
      try {
        await pushes.finish(claimed, end);
        return;
      } catch (error) {
        runtime.log.warn({ error }, "Cannot record the result of a push notification; trying again.");
        await runtime.clock.sleep(1_000, this.#stop.signal);
      }
    }
  }
}
