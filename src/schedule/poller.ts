/** Fires what is due. Nothing is decided here that the tables do not hold: any process may take over from any other. */
import type { Lease } from "../engine/process/lease.ts";
import { TroupeError } from "../errors.ts";
import type { Schedule } from "../model/schedule.ts";
import type { Settings } from "../model/settings.ts";
import type { ClaimedFire, DuePlan } from "../store/schedule-seam.ts";
import { type AttemptEnd, type AttemptParts, attempt } from "./attempt.ts";
import { planTicks } from "./plan.ts";

/** What the poller takes of the platform. */
export interface PollerParts extends AttemptParts {
  readonly lease: Pick<Lease, "mayTakeOver">;
  readonly settings: Settings;
  readonly processId: string;
}

/** Schedules that one transaction plans. */
const mostPlanned = 100;

/** Shortest pause between two looks, in milliseconds. */
const shortestPause = 20;

export class Poller {
  readonly #parts: PollerParts;
  readonly #hands = new Set<Promise<string>>();
  /** What cancels the attempt of an id that is in hand. */
  readonly #cancels = new Map<string, AbortController>();
  readonly #stop = new AbortController();
  #looking: Promise<void> | undefined;
  #stopTimer: (() => void) | undefined;
  #isRunning = false;
  #again = false;

  constructor(parts: PollerParts) {
    this.#parts = parts;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  start(): void {
    this.#isRunning = true;
    this.wake();
  }

  /** Looks at once: something may be due. */
  wake(): void {
    if (!this.#isRunning) return;
    this.#stopTimer?.();
    if (this.#looking) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined;
      if (this.#again) this.wake();
    });
  }

  /** Leaves what is in hand to others. */
  async close(): Promise<void> {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    this.#stopTimer?.();
    this.#stop.abort();
    await this.#looking;
    await Promise.allSettled(this.#hands);
    const { schedules, processId, runtime } = this.#parts;
    await schedules.release(processId).catch((error: unknown) => {
      runtime.log.warn(
        { error },
        "Fires of schedules could not be given back; others take them when the lease is over.",
      );
    });
  }

  /** Carries a fire through its attempts; answers the id of the last one. */
  carry(claimed: ClaimedFire): Promise<string> {
    const over = this.#carry(claimed)
      .catch((error: unknown) => {
        const { id, scheduleId } = claimed.fire;
        const message = "A fire of a schedule could not be carried on.";
        this.#parts.runtime.log.error({ error, scheduleId, fireId: id }, message);
        return id;
      })
      .finally(() => {
        this.#hands.delete(over);
        this.wake();
      });
    this.#hands.add(over);
    return over;
  }

  async #look(): Promise<void> {
    const { schedules, settings, runtime, lease, processId } = this.#parts;
    let pause: number = settings.scheduleSweep;
    try {
      while ((await schedules.plan(mostPlanned, (...due) => this.#plan(...due))) === mostPlanned);
      const most = settings.scheduleFires - this.#hands.size;
      if (most > 0) {
        const claimed = await schedules.claim({ owner: processId, most, orphans: lease.mayTakeOver });
        for (const fire of claimed) void this.carry(fire);
      }
      for (const id of await schedules.cancelled(processId)) this.#cancels.get(id)?.abort();
      const left = this.#hands.size < settings.scheduleFires ? await schedules.untilDue() : null;
      pause = Math.min(pause, Math.max(left ?? pause, shortestPause));
    } catch (error) {
      if (this.#isRunning) runtime.log.warn({ error }, "Schedules could not be looked at; trying again.");
    }
    if (this.#isRunning) this.#stopTimer = runtime.clock.after(pause, () => this.wake());
  }

  #plan(schedule: Schedule, now: number, open: number): DuePlan {
    const { settings, runtime } = this.#parts;
    const limits = { lateness: settings.scheduleLateness, catchUp: Math.floor(settings.scheduleCatchUp) };
    const { ticks, leavesOut, ...plan } = planTicks(schedule, now, open, limits);
    if (leavesOut) {
      const { id, name, catchUp } = schedule;
      runtime.log.warn(
        { scheduleId: id, name, catchUp },
        "A schedule had ticks that nobody was there for, and that are not made up for.",
      );
    }
    const { uuid, fraction } = runtime.randomness;
    const fires = ticks.map(({ tick, ...rest }) => {
      const jitter = Math.floor(fraction() * schedule.jitterSeconds * 1_000);
      return { id: uuid(), tick, attempt: 1, runId: uuid(), dueAt: tick + jitter, ...rest };
    });
    return { ...plan, fires };
  }

  async #carry(first: ClaimedFire): Promise<string> {
    for (let claimed = first; ; ) {
      const { id } = claimed.fire;
      const cancel = new AbortController();
      this.#cancels.set(id, cancel);
      const retry = await this.#patiently(claimed, cancel.signal).finally(() => this.#cancels.delete(id));
      if (!retry) return id;
      claimed = retry;
    }
  }

  /** While the database is away an attempt is begun again: all that it starts has its id. Any other fault ends it, so that nothing waits for it. */
  async #patiently(claimed: ClaimedFire, cancel: AbortSignal): Promise<ClaimedFire | null> {
    const { runtime } = this.#parts;
    while (!this.#stop.signal.aborted) {
      try {
        return await this.#attempt(claimed, cancel);
      } catch (error) {
        const { id, scheduleId } = claimed.fire;
        runtime.log.error({ error, scheduleId, fireId: id }, "An attempt of a schedule broke off.");
        if (!(error instanceof TroupeError && error.code === "unavailable")) return await this.#fail(claimed);
        await runtime.clock.sleep(1_000, this.#stop.signal);
      }
    }
    return null;
  }

  async #fail(claimed: ClaimedFire): Promise<null> {
    const detail = { statusCode: 500, input: null, output: null, error: "Internal server error" };
    const end = { status: "failed", sessionId: claimed.fire.sessionId, detail, retry: null } as const;
    await this.#persist(() => this.#parts.schedules.settle(claimed, end));
    return null;
  }

  async #attempt(claimed: ClaimedFire, cancel: AbortSignal): Promise<ClaimedFire | null> {
    const { schedules, runtime } = this.#parts;
    const { fire, now } = claimed;
    const stop = this.#stop.signal;
    if (fire.dueAt > now) await runtime.clock.sleep(fire.dueAt - now, stop);
    if (stop.aborted) return null;
    const schedule = await schedules.scheduleOf(claimed);
    const begun = schedule && (await schedules.trigger(claimed));
    if (!schedule || !begun) return null;
    const timeout = schedule.timeoutSeconds * 1_000 - (begun.now - begun.since);
    const end = await attempt(this.#parts, claimed, schedule, { timeout, stop, cancel });
    return end ? await this.#settle(claimed, schedule, end) : null;
  }

  /** Records an end; answers the next attempt, if there is one. */
  async #settle(claimed: ClaimedFire, schedule: Schedule, end: AttemptEnd): Promise<ClaimedFire | null> {
    const { schedules, runtime } = this.#parts;
    const { uuid } = runtime.randomness;
    const isRetried = end.status === "failed" && claimed.fire.attempt <= schedule.maxRetries;
    const retry = isRetried ? { id: uuid(), runId: uuid(), delay: schedule.retryDelaySeconds * 1_000 } : null;
    const status = end.status === "refused" ? "failed" : end.status;
    const settled = await this.#persist(() => schedules.settle(claimed, { ...end, status, retry }));
    const { id, name } = schedule;
    if (end.status === "refused") {
      const disabledReason = `Its grant does not hold any more: ${end.detail.error}`;
      await this.#persist(() => schedules.update(id, { enabled: false, disabledReason }));
      runtime.log.warn({ scheduleId: id, name, reason: disabledReason }, "A schedule was disabled.");
    }
    if (settled?.isPaused) runtime.log.warn({ scheduleId: id, name }, "A schedule was paused: it failed too often.");
    return settled?.retry ?? null;
  }

  /** An end that cannot be written now is written when the database is back. */
  async #persist<T>(write: () => Promise<T>): Promise<T | undefined> {
    const { clock, log } = this.#parts.runtime;
    do {
      try {
        return await write();
      } catch (error) {
        log.warn({ error }, "The end of a fire could not be recorded; trying again.");
        await clock.sleep(1_000, this.#stop.signal);
      }
    } while (!this.#stop.signal.aborted);
    return undefined;
  }
}
