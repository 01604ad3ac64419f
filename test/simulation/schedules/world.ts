/** A history of schedules: processes with kills, pauses and shutdowns, and a database with faults, chosen by a seed. */

import { open } from "../../../src/model/principal.ts";
import { nextTick } from "../../../src/model/schedule/cron.ts";
import { defaultPlan, overlaps, type Schedule, type SchedulePlan } from "../../../src/model/schedule/schedule.ts";
import type { ScheduleStore } from "../../../src/store/contract/schedules.ts";
import { Random } from "../random.ts";
import { Scheduler } from "../scheduler.ts";
import type { SharedDatabase } from "./database.ts";
import { plainEndpoint, SchedulerProcess } from "./process.ts";
import { SimulatedRuns } from "./runs.ts";

/** The parts that a planted bug can replace. */
export interface ScheduleVariant {
  store?(store: ScheduleStore): Partial<ScheduleStore>;
  /** Replaces the run id, which is the fire's id. */
  runId?(runId: string, random: Random): string;
  /** Whether a tick may have several rows. */
  readonly withoutTickIndex?: boolean;
}

/** A schedule of a history. */
export interface Subject {
  readonly schedule: Schedule;
  /** Number of ticks during the faults. */
  readonly ticks: readonly number[];
  /** Whether clients disable, change and trigger the schedule meanwhile. */
  readonly isTouched: boolean;
}

const rhythms = ["* * * * * *", "* * * * * */3", "* * * * * */10", "* * * * * 7,20,21,50"];

export class ScheduleWorld {
  readonly seed: number;
  readonly variant: ScheduleVariant;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly runs: SimulatedRuns;
  readonly shared: SharedDatabase;
  readonly subjects: Subject[] = [];
  /** The newest process of each slot. */
  readonly processes: SchedulerProcess[] = [];
  /** Unhandled errors. */
  readonly errors: unknown[] = [];
  readonly counts = { crashes: 0, stops: 0, drains: 0, outages: 0 };
  /** The time after which no fault occurs. */
  readonly calmAt: number;
  #incarnations = 0;
  #isCalm = false;

  constructor(seed: number, shared: SharedDatabase, variant: ScheduleVariant) {
    this.seed = seed;
    this.shared = shared;
    this.variant = variant;
    this.scheduler = new Scheduler(new Random(seed, "order"));
    this.random = new Random(seed, "schedules");
    this.runs = new SimulatedRuns(this.scheduler, new Random(seed, "runs"), shared);
    this.calmAt = this.random.between(5_000, 90_000);
    shared.begin(this.scheduler, !variant.withoutTickIndex);
  }

  open(): void {
    const { random } = this;
    for (let slot = random.integer(1, 3); slot > 0; slot--) this.launch(this.processes.length);
    for (let count = random.integer(1, 3); count > 0; count--) this.#make(count);
    const faults = random.chance(0.1) ? 0 : random.integer(1, 12);
    for (let count = faults; count > 0; count--) {
      this.scheduler.after(random.between(0, this.calmAt), undefined, () => this.#strike());
    }
    this.scheduler.after(this.calmAt, undefined, () => this.#calm());
  }

  launch(slot: number): void {
    this.#incarnations += 1;
    const process = new SchedulerProcess(this, `${slot}/${this.#incarnations}`);
    this.processes[slot] = process;
    process.open().catch((error: unknown) => this.errors.push(error));
  }

  #make(count: number): void {
    const { random, shared } = this;
    const isTouched = random.chance(0.3);
    const rhythm = { cronExpr: random.pick(rhythms), timezone: "UTC" };
    const now = shared.now;
    const plan: SchedulePlan = {
      ...defaultPlan,
      ...{ ...rhythm, name: `schedule ${count}`, endpoint: random.chance(0.8) ? "/run" : plainEndpoint },
      overlap: random.pick(overlaps),
      catchUp: random.pick(["all", "all", "last", "none"] as const),
      maxRetries: random.integer(0, 2),
      retryDelaySeconds: random.integer(1, 10),
      timeoutSeconds: random.pick([5, 30, 3_600]),
      jitterSeconds: random.pick([0, 0, 4]),
      endsAt: Math.floor(now + this.calmAt),
    };
    const id = random.uuid();
    const nextRunAt = nextTick(rhythm, now);
    const schedule: Schedule = {
      ...{ ...plan, payload: { of: id }, id, owner: "", enabled: true, disabledReason: null, nextRunAt },
      ...{ fires: 0, failures: 0, platform: null, createdAt: now, updatedAt: null },
      grant: { kind: "open", userId: null, scopes: [], mapping: 0, account: null },
    };
    const ticks: number[] = [];
    for (let tick = nextRunAt; tick !== null && tick <= (plan.endsAt ?? 0); tick = nextTick(rhythm, tick)) {
      ticks.push(tick);
    }
    this.subjects.push({ schedule, ticks, isTouched });
    shared.store.create(schedule).catch((error: unknown) => this.errors.push(error));
  }

  #strike(): void {
    const { random, scheduler, counts } = this;
    const slot = random.integer(0, this.processes.length - 1);
    const process = this.processes[slot];
    if (process?.owner.state !== "running" || this.#isCalm) return;
    const lasts = random.skewed(100, 30_000);
    const restart = (): void => {
      scheduler.after(lasts, undefined, () => this.launch(slot));
    };
    const kind = random.pick(["crash", "stop", "drain", "away", "weather", "weather", "user", "user"] as const);
    if (kind === "crash") {
      counts.crashes++;
      process.owner.state = "dead";
      restart();
    } else if (kind === "stop") {
      counts.stops++;
      scheduler.pause(process.owner);
      scheduler.after(lasts, undefined, () => scheduler.resume(process.owner));
    } else if (kind === "drain" && process.isServing) {
      counts.drains++;
      process.close().then(restart, (error: unknown) => this.errors.push(error));
    } else if (kind === "away") {
      counts.outages++;
      const away = random.chance(0.5) ? [process] : [...this.processes];
      for (const one of away) one.weather.isAway = true;
      scheduler.after(lasts, undefined, () => {
        for (const one of away) one.weather.isAway = false;
      });
    } else if (kind === "weather") {
      Object.assign(process.weather, { refused: random.between(0, 0.3), unanswered: random.between(0, 0.3) });
    } else if (process.isServing) {
      this.#use(process).catch(() => undefined);
    }
  }

  /** Sends a random request to a process. No response may cause a doubled or unfinished fire. */
  async #use({ service }: SchedulerProcess): Promise<void> {
    const { random } = this;
    const subject = random.pick(this.subjects);
    if (!subject.isTouched) return;
    const { id } = subject.schedule;
    const what = random.pick(["trigger", "disable", "enable", "change", "change"] as const);
    if (what === "trigger") await service.trigger(open, id);
    else if (what === "change") await service.change(open, id, { cronExpr: random.pick(rhythms) });
    else await service.setEnabled(open, id, what === "enable");
  }

  #calm(): void {
    this.#isCalm = true;
    for (const process of this.processes) {
      Object.assign(process.weather, { refused: 0, unanswered: 0, isAway: false });
      this.scheduler.resume(process.owner);
    }
  }
}
