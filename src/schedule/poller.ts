/** Fires what is due. Nothing is decided here that the tables do not hold: any process may take over from any other. */
import { DueLoop } from "../engine/process/due-loop.ts";
import type { Lease } from "../engine/process/lease.ts";
import { isUnavailable } from "../errors.ts";
import type { Schedule } from "../model/schedule/schedule.ts";
import type { Settings } from "../model/settings.ts";
import type { ClaimedFire, DuePlan } from "../store/contract/schedules.ts";
import { type AttemptEnd, type AttemptParts, attempt } from "./attempt.ts";
import { planTicks } from "./plan.ts";
import { tellFailure } from "./tell-failure.ts";

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
  readonly #loop: DueLoop;
  #suspects: ReadonlySet<string> = new Set();
  /** When strays are looked for again, by the monotonic clock. */
  #straysAgain = 0;

  constructor(parts: PollerParts) {
    this.#parts = parts;
    this.#loop = new DueLoop({ clock: parts.runtime.clock, look: () => this.#look() });
  }

  get isRunning(): boolean {
    return this.#loop.isRunning;
  }

  start(): void {
    this.#loop.start();
  }

  /** Looks at once: something may be due. */
  wake(): void {
    this.#loop.wake();
  }

  /** Leaves what is in hand to others. */
  async close(): Promise<void> {
    if (!this.#loop.isRunning) return;
    const stopped = this.#loop.stop();
    this.#stop.abort();
    await stopped;
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

  /** Milliseconds until the next look. */
  async #look(): Promise<number> {
    const { schedules, settings, runtime, lease, processId } = this.#parts;
    let pause: number = settings.scheduleSweep;
    try {
      while ((await schedules.plan(mostPlanned, (...due) => this.#plan(...due))) === mostPlanned);
      const most = settings.scheduleFires - this.#hands.size;
      if (most > 0) {
        const strays = await this.#findStrays();
        const claimed = await schedules.claim({ owner: processId, most, orphans: lease.mayTakeOver, strays });
        for (const fire of claimed) void this.carry(fire);
      }
      for (const id of await schedules.cancelled(processId)) this.#cancels.get(id)?.abort();
      const left = this.#hands.size < settings.scheduleFires ? await schedules.untilDue() : null;
      pause = Math.min(pause, Math.max(left ?? pause, shortestPause));
    } catch (error) {
      if (this.#loop.isRunning) runtime.log.warn({ error }, "Schedules could not be looked at; trying again.");
    }
    return pause;
  }

  /** One that cannot be planned (a time zone that this machine does not know) must not keep the others from their time. */
  #plan(schedule: Schedule, now: number, notOver: number): DuePlan {
    try {
      return this.#planTicks(schedule, now, notOver);
    } catch (error) {
      const { id, name, nextRunAt } = schedule;
      this.#parts.runtime.log.error({ error, scheduleId: id, name }, "A schedule was disabled: it cannot be planned.");
      const disabledReason = `Its ticks cannot be found: ${error instanceof Error ? error.message : error}`;
      return { fires: [], cancelsOpen: false, nextRunAt, disabledReason };
    }
  }

  #planTicks(schedule: Schedule, now: number, notOver: number): DuePlan {
    const { settings, runtime } = this.#parts;
    const { scheduleLateness: lateness, scheduleCatchUp: catchUp, scheduleOpen: open } = settings;
    const limits = { lateness, catchUp: Math.floor(catchUp), open };
    const { ticks, leavesOut, ...plan } = planTicks(schedule, now, notOver, limits);
    if (leavesOut) {
      const { id, name } = schedule;
      runtime.log.warn(
        { scheduleId: id, name, catchUp: schedule.catchUp },
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

  /** While the database is away an attempt is begun again: all that it starts has its id. */
  async #patiently(claimed: ClaimedFire, cancel: AbortSignal): Promise<ClaimedFire | null> {
    const { schedules, runtime } = this.#parts;
    const { fire, now } = claimed;
    const stop = this.#stop.signal;
    const isLater = fire.triggeredAt === null;
    if (isLater) await runtime.clock.sleep(fire.dueAt - now, AbortSignal.any([stop, cancel]));
    let hand = isLater ? undefined : claimed;
    while (!stop.aborted) {
      try {
        hand ??= await schedules.again(claimed);
        return hand ? await this.#attempt(hand, cancel) : null;
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        const { id, scheduleId } = fire;
        runtime.log.warn({ error, scheduleId, fireId: id }, "An attempt of a schedule broke off; it goes on.");
        hand = undefined;
        await runtime.clock.sleep(1_000, stop);
      }
    }
    return null;
  }

  async #attempt(claimed: ClaimedFire, cancel: AbortSignal): Promise<ClaimedFire | null> {
    const { fire, schedule, now } = claimed;
    const stop = this.#stop.signal;
    // One that goes on after a pause was due anew then: what it waited is not counted.
    const begun = Math.max(fire.triggeredAt ?? now, fire.dueAt);
    const timeout = schedule.timeoutSeconds * 1_000 - (now - begun);
    const end = await attempt(this.#parts, claimed, { timeout, stop, cancel }).catch((error: unknown) => {
      if (isUnavailable(error)) throw error;
      const { id: fireId, scheduleId } = fire;
      this.#parts.runtime.log.error({ error, scheduleId, fireId }, "An attempt of a schedule broke.");
      return broken(claimed);
    });
    return end ? await this.#settle(claimed, end) : null;
  }

  /** Records an end; answers the next attempt, where it is for this process. */
  async #settle(claimed: ClaimedFire, end: AttemptEnd): Promise<ClaimedFire | null> {
    const { schedules, runtime } = this.#parts;
    const { schedule, fire } = claimed;
    const { uuid } = runtime.randomness;
    // What somebody has answered is not asked of a machine once more; and later fires have not waited for it.
    const wentOn = fire.triggeredAt !== null && fire.dueAt > fire.triggeredAt;
    const isRetried = end.status === "failed" && fire.attempt <= schedule.maxRetries && !wentOn;
    const retry = isRetried ? { id: uuid(), runId: uuid(), delay: schedule.retryDelaySeconds * 1_000 } : null;
    const { id, name } = schedule;
    if (end.status === "refused") {
      const disabledReason = `Its grant does not hold any more: ${end.detail.error}`;
      await this.#persist(() => schedules.update(id, { enabled: false, disabledReason }));
      runtime.log.warn({ scheduleId: id, name, reason: disabledReason }, "A schedule was disabled.");
    }
    const status = end.status === "refused" ? "failed" : end.status;
    const settled = await this.#persist(() => schedules.settle(claimed, { ...end, status, retry }));
    if (settled && end.status === "failed") tellFailure(runtime.log, claimed, end, isRetried);
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
        if (!isUnavailable(error)) throw error;
        log.warn({ error }, "The end of a fire could not be recorded; trying again.");
        await clock.sleep(1_000, this.#stop.signal);
      }
    } while (!this.#stop.signal.aborted);
    return undefined;
  }

  /**
   * Fires that this process was given by an answer that never came: the tables say that it has them, and it does not know them. One that is
   * seen so twice, a lease apart, is not on its way any more.
   */
  async #findStrays(): Promise<readonly string[]> {
    const { schedules, settings, runtime, processId } = this.#parts;
    const now = runtime.clock.monotonic();
    if (now < this.#straysAgain) return [];
    this.#straysAgain = now + settings.lease;
    const suspects = this.#suspects;
    const unknown = (await schedules.held(processId)).filter((id) => !this.#cancels.has(id));
    this.#suspects = new Set(unknown);
    return unknown.filter((id) => suspects.has(id));
  }
}

/** The end of an attempt that threw. */
function broken({ fire: { sessionId } }: ClaimedFire): AttemptEnd {
  const detail = { statusCode: 500, input: null, output: null, error: "Internal server error" };
  return { status: "failed", sessionId, detail };
}
