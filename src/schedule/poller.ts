/** Fires the schedules that are due. All state is in the database, so any process can take over from any other. */
import { DueLoop } from "../engine/process/due-loop.ts";
import type { Lease } from "../engine/process/lease.ts";
import { isUnavailable } from "../errors.ts";
import type { Schedule } from "../model/schedule/schedule.ts";
import type { Settings } from "../model/settings.ts";
import type { ClaimedFire, DuePlan } from "../store/contract/schedules.ts";
import { type AttemptEnd, type AttemptParts, attempt } from "./attempt.ts";
import { logFailure } from "./log-failure.ts";
import { planTicks } from "./plan.ts";

/** Dependencies of the poller. */
export interface PollerParts extends AttemptParts {
  readonly lease: Pick<Lease, "mayTakeOver">;
  readonly settings: Settings;
  readonly processId: string;
  /** The webhooks that receive failures; `wake` is called when some may be due. Default: none. */
  readonly webhooks?: { readonly hookIds: readonly string[]; readonly wake: () => void } | undefined;
}

/** Maximum number of schedules that one transaction plans. */
const maxPlanned = 100;

/** Minimum pause between two polls, in milliseconds. */
const minPause = 20;

export class Poller {
  readonly #parts: PollerParts;
  readonly #running = new Set<Promise<string>>();
  /** Cancels running attempts, by their id. */
  readonly #cancels = new Map<string, AbortController>();
  readonly #stop = new AbortController();
  readonly #loop: DueLoop;
  #unknownFires: ReadonlySet<string> = new Set();
  /** Time of the next search for lost fires, by the monotonic clock. */
  #nextLostFireCheck = 0;

  constructor(parts: PollerParts) {
    this.#parts = parts;
    this.#loop = new DueLoop({ clock: parts.runtime.clock, poll: () => this.#poll() });
  }

  get isRunning(): boolean {
    return this.#loop.isRunning;
  }

  start(): void {
    this.#loop.start();
  }

  /** Polls at once, because a schedule may be due. */
  wake(): void {
    this.#loop.wake();
  }

  /** Stops and releases its fires to other processes. */
  async close(): Promise<void> {
    if (!this.#loop.isRunning) return;
    const stopped = this.#loop.stop();
    this.#stop.abort();
    await stopped;
    await Promise.allSettled(this.#running);
    const { schedules, processId, runtime } = this.#parts;
    await schedules.release(processId).catch((error: unknown) => {
      runtime.log.warn(
        { error },
        "The fires of schedules could not be released; other processes claim them when the lease expires.",
      );
    });
  }

  /** Runs a fire through all its attempts and returns the id of the last one. */
  runFire(claimed: ClaimedFire): Promise<string> {
    const over = this.#runAttempts(claimed)
      .catch((error: unknown) => {
        const { id, scheduleId } = claimed.fire;
        const message = "A fire of a schedule could not be continued.";
        this.#parts.runtime.log.error({ error, scheduleId, fireId: id }, message);
        return id;
      })
      .finally(() => {
        this.#running.delete(over);
        this.wake();
      });
    this.#running.add(over);
    return over;
  }

  /** Polls once and returns the milliseconds until the next poll. */
  async #poll(): Promise<number> {
    const { schedules, settings, runtime, lease, processId } = this.#parts;
    let pause: number = settings.scheduleSweepInterval;
    try {
      while ((await schedules.plan(maxPlanned, (...due) => this.#plan(...due))) === maxPlanned);
      const limit = settings.maxConcurrentFires - this.#running.size;
      if (limit > 0) {
        const lostFires = await this.#findLostFires();
        const claimed = await schedules.claim({ owner: processId, limit, orphans: lease.mayTakeOver, lostFires });
        for (const fire of claimed) void this.runFire(fire);
      }
      for (const id of await schedules.cancelRequests(processId)) this.#cancels.get(id)?.abort();
      const left = this.#running.size < settings.maxConcurrentFires ? await schedules.untilDue() : null;
      pause = Math.min(pause, Math.max(left ?? pause, minPause));
    } catch (error) {
      if (this.#loop.isRunning) runtime.log.warn({ error }, "Due schedules could not be read; retrying.");
    }
    return pause;
  }

  /** A schedule that cannot be planned (for example in a time zone unknown to this machine) is disabled, so that it does not delay the others. */
  #plan(schedule: Schedule, now: number, openFires: number): DuePlan {
    try {
      return this.#planTicks(schedule, now, openFires);
    } catch (error) {
      const { id, name, nextRunAt } = schedule;
      this.#parts.runtime.log.error({ error, scheduleId: id, name }, "A schedule was disabled: it cannot be planned.");
      const disabledReason = `Its ticks cannot be found: ${error instanceof Error ? error.message : error}`;
      return { fires: [], cancelsOpen: false, nextRunAt, disabledReason };
    }
  }

  #planTicks(schedule: Schedule, now: number, openFires: number): DuePlan {
    const { settings, runtime } = this.#parts;
    const { misfireTimeout: lateness, maxCatchUpFires: catchUp, maxOpenFires: open } = settings;
    const limits = { lateness, catchUp: Math.floor(catchUp), open };
    const { ticks, omitsTicks, ...plan } = planTicks(schedule, now, openFires, limits);
    if (omitsTicks) {
      const { id, name } = schedule;
      runtime.log.warn(
        { scheduleId: id, name, catchUp: schedule.catchUp },
        "A schedule missed ticks and does not catch up on them.",
      );
    }
    const { uuid, fraction } = runtime.randomness;
    const fires = ticks.map(({ tick, ...rest }) => {
      const jitter = Math.floor(fraction() * schedule.jitterSeconds * 1_000);
      return { id: uuid(), tick, attempt: 1, runId: uuid(), dueAt: tick + jitter, ...rest };
    });
    return { ...plan, fires };
  }

  async #runAttempts(first: ClaimedFire): Promise<string> {
    for (let claimed = first; ; ) {
      const { id } = claimed.fire;
      const cancel = new AbortController();
      this.#cancels.set(id, cancel);
      const retry = await this.#runAttempt(claimed, cancel.signal).finally(() => this.#cancels.delete(id));
      if (!retry) return id;
      claimed = retry;
    }
  }

  /** Restarts the attempt while the database is unavailable. Everything that it starts has the id of the fire, so nothing starts twice. */
  async #runAttempt(claimed: ClaimedFire, cancel: AbortSignal): Promise<ClaimedFire | null> {
    const { schedules, runtime } = this.#parts;
    const { fire, now } = claimed;
    const stop = this.#stop.signal;
    const isLater = fire.triggeredAt === null;
    if (isLater) await runtime.clock.sleep(fire.dueAt - now, AbortSignal.any([stop, cancel]));
    let current = isLater ? undefined : claimed;
    while (!stop.aborted) {
      try {
        if (!current) {
          current = await schedules.beginAttempt(claimed);
          if (current) runtime.measurements.scheduleFire(Math.max(0, current.now - fire.dueAt) / 1000);
        }
        return current ? await this.#attempt(current, cancel) : null;
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        const { id, scheduleId } = fire;
        runtime.log.warn(
          { error, scheduleId, fireId: id },
          "An attempt of a schedule was interrupted because the database is unavailable; retrying.",
        );
        current = undefined;
        await runtime.clock.sleep(1_000, stop);
      }
    }
    return null;
  }

  async #attempt(claimed: ClaimedFire, cancel: AbortSignal): Promise<ClaimedFire | null> {
    const { fire, schedule, now } = claimed;
    const stop = this.#stop.signal;
    // A fire that resumes after a pause became due again at that time, so the wait does not count towards the time-out.
    const begun = Math.max(fire.triggeredAt ?? now, fire.dueAt);
    const timeout = schedule.timeoutSeconds * 1_000 - (now - begun);
    const end = await attempt(this.#parts, claimed, { timeout, stop, cancel }).catch((error: unknown) => {
      if (isUnavailable(error)) throw error;
      const { id: fireId, scheduleId } = fire;
      this.#parts.runtime.log.error(
        { error, scheduleId, fireId },
        "An attempt of a schedule failed with an internal error.",
      );
      return internalError(claimed);
    });
    return end ? await this.#endAttempt(claimed, end) : null;
  }

  /** Records the end of an attempt; returns the next attempt if this process runs it. */
  async #endAttempt(claimed: ClaimedFire, end: AttemptEnd): Promise<ClaimedFire | null> {
    const { schedules, runtime } = this.#parts;
    const { schedule, fire } = claimed;
    const { uuid } = runtime.randomness;
    // A fire that resumed after a pause is not retried: a person has already answered it, and later fires have not waited for it.
    const wasResumed = fire.triggeredAt !== null && fire.dueAt > fire.triggeredAt;
    const isRetried = end.status === "failed" && fire.attempt <= schedule.maxRetries && !wasResumed;
    const retry = isRetried ? { id: uuid(), runId: uuid(), delay: schedule.retryDelaySeconds * 1_000 } : null;
    const { id, name } = schedule;
    if (end.status === "refused") {
      const disabledReason = `Its grant does not hold any more: ${end.detail.error}`;
      await this.#writeWhileUnavailable(() => schedules.update(id, { enabled: false, disabledReason }));
      runtime.log.warn({ scheduleId: id, name, reason: disabledReason }, "A schedule was disabled.");
    }
    const status = end.status === "refused" ? "failed" : end.status;
    const { hookIds = [], wake } = this.#parts.webhooks ?? {};
    const webhooks = status === "failed" ? hookIds : [];
    const result = { ...end, status, retry, webhooks };
    const ended = await this.#writeWhileUnavailable(() => schedules.endAttempt(claimed, result));
    if (ended && webhooks.length > 0) wake?.();
    if (ended && end.status === "failed") logFailure(runtime.log, claimed, end, isRetried);
    if (ended?.isDisabled) runtime.log.warn({ scheduleId: id, name }, "A schedule was paused: it failed too often.");
    return ended?.retry ?? null;
  }

  /** Retries the write while the database is unavailable. */
  async #writeWhileUnavailable<T>(write: () => Promise<T>): Promise<T | undefined> {
    const { clock, log } = this.#parts.runtime;
    do {
      try {
        return await write();
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        log.warn({ error }, "The end of a fire could not be recorded; retrying.");
        await clock.sleep(1_000, this.#stop.signal);
      }
    } while (!this.#stop.signal.aborted);
    return undefined;
  }

  /**
   * Finds lost fires: the database assigned them to this process, but the response was lost, so the process does not run them. A fire
   * counts as lost when two checks, one lease apart, have found it.
   */
  async #findLostFires(): Promise<readonly string[]> {
    const { schedules, settings, runtime, processId } = this.#parts;
    const now = runtime.clock.monotonic();
    if (now < this.#nextLostFireCheck) return [];
    this.#nextLostFireCheck = now + settings.leaseDuration;
    const previouslyUnknown = this.#unknownFires;
    const unknown = (await schedules.heldFires(processId)).filter((id) => !this.#cancels.has(id));
    this.#unknownFires = new Set(unknown);
    return unknown.filter((id) => previouslyUnknown.has(id));
  }
}

/** Returns the end of an attempt that threw. */
function internalError({ fire: { sessionId } }: ClaimedFire): AttemptEnd {
  const detail = { statusCode: 500, input: null, output: null, error: "Internal server error" };
  return { status: "failed", sessionId, detail };
}
