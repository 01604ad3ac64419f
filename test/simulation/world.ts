/** One history: processes, clients and a database, and the actions of a plan as they happen. */
import { act, isOfClient } from "./actions.ts";
import { Reader } from "./client.ts";
import { epoch } from "./clock.ts";
import { type Counts, noCounts } from "./counts.ts";
import { Effects } from "./effects.ts";
import { Faults } from "./faults.ts";
import { Guarantees } from "./guarantees.ts";
import { MemoryDatabase } from "./memory/database.ts";
import type { Action, Plan, ReaderTraits } from "./plan.ts";
import { SimulatedProcess } from "./process.ts";
import { Random } from "./random.ts";
import { Scheduler } from "./scheduler.ts";
import { Trace } from "./trace.ts";
import type { Variant } from "./variant.ts";
import { VersionTable } from "./versions.ts";
import type { RootView } from "./views.ts";

/** Offset of the database's clock in milliseconds, different from every process's. */
const databaseClockError = 137;

export class World {
  readonly plan: Plan;
  readonly variant: Variant;
  readonly scheduler: Scheduler;
  /** Random numbers for everything outside the processes. */
  readonly random: Random;
  readonly trace: Trace;
  readonly database: MemoryDatabase;
  readonly guarantees: Guarantees;
  readonly faults: Faults;
  readonly effects: Effects;
  readonly versions: VersionTable = new VersionTable();
  /** The newest process of each slot. */
  readonly processes: (SimulatedProcess | undefined)[];
  /** Runs with an acknowledged start, by the start's name. */
  readonly started: Map<number, RootView> = new Map();
  /** The clients that started these runs and follow them. */
  readonly starters: Map<number, Reader> = new Map();
  /** Callbacks at the end of the history. */
  readonly atEnd: (() => void)[] = [];
  /** Number of unfinished client actions. */
  busy = 0;
  readonly counts: Counts = noCounts();
  readonly #incarnations: number[];
  #words = 0;

  constructor(plan: Plan, variant: Variant = {}) {
    this.plan = plan;
    this.variant = variant;
    this.scheduler = new Scheduler(new Random(plan.seed, "order"));
    this.random = new Random(plan.seed, "world");
    this.trace = new Trace(() => this.scheduler.time);
    const now = (): number => Math.floor(epoch + this.scheduler.time + databaseClockError);
    this.database = new MemoryDatabase(plan.dialect, now);
    this.database.distort = variant.facts;
    this.guarantees = new Guarantees(this.database, {
      takeovers: plan.settings.maxStalledTakeovers,
      deploys: plan.deploys,
    });
    this.faults = new Faults(plan.actions);
    this.effects = new Effects(this);
    this.processes = Array.from({ length: plan.processes }, () => undefined);
    this.#incarnations = this.processes.map(() => 0);
  }

  /** Starts the processes and schedules every action. */
  open(): void {
    for (const slot of this.processes.keys()) this.launch(slot);
    for (const action of this.plan.actions) {
      const at = "at" in action ? action.at : "at" in action.when ? action.when.at : undefined;
      if (at === undefined) continue;
      const isWish = isOfClient(action);
      if (isWish) this.busy++;
      this.scheduler.after(at, undefined, () => {
        if (isWish) this.busy--;
        this.act(action);
      });
    }
  }

  /** The virtual time at which all faults of the plan have ended. */
  get calmAt(): number {
    const ends = this.plan.actions.map((action) => {
      const at = "at" in action ? action.at : "at" in action.when ? action.when.at : 3_000;
      return at + ("lasts" in action && action.kind !== "noise" ? action.lasts : 0);
    });
    return Math.max(1_000, ...ends);
  }

  /** Ends all faults and restarts dead processes. */
  calm(): void {
    this.trace.add("world", "ends all faults");
    const wasAway = this.processes.filter((process) => process && this.faults.isAway(process.slot));
    this.faults.calm();
    for (const process of wasAway) process?.signals.reconnect();
    for (const process of this.processes) if (process) this.#resume(process);
  }

  /** Whether all runs and client actions have ended. */
  get isSettled(): boolean {
    return this.busy === 0 && this.guarantees.unfinished === 0;
  }

  /** Executes an action of the plan. */
  act(action: Action): void {
    act(this, action);
  }

  /** From now on the database rejects the data of the process's next flush, or of one run in it. */
  spoil(process: SimulatedProcess): void {
    process.tell("writes data that the database rejects");
    this.database.spoilNext = (writes) => {
      // Once per run: a second rejection would hit the engine's own error event.
      const runs = writes.filter((write) => write.kind === "run" && !this.guarantees.roots.get(write.key)?.spoiled);
      const guilty = this.random.pick(runs);
      const root = guilty && this.guarantees.roots.get(guilty.key);
      if (root) root.spoiled = true;
      return guilty;
    };
  }

  /** Returns the counts at the end. */
  finishCounts(): void {
    const { counts, scheduler, guarantees } = this;
    counts.histories = 1;
    counts.steps = scheduler.steps;
    counts.seconds = scheduler.time / 1000;
    counts.embedded = this.plan.dialect === "sqlite" ? 1 : 0;
    for (const { attempt, frames } of guarantees.roots.values()) {
      counts.runs++;
      counts.events += frames.length;
      counts.takeovers += Math.max(attempt - 1, 0);
    }
    for (const times of this.effects.made.values()) counts.tools += times;
  }

  nextWord(): number {
    this.#words += 1;
    return this.#words;
  }

  /** Returns a process that accepts requests. */
  serving(slot: number): SimulatedProcess | undefined {
    const process = this.processes[slot];
    return process?.phase === "serving" ? process : undefined;
  }

  anyServing(): SimulatedProcess | undefined {
    const serving = this.processes.filter((process) => process?.phase === "serving");
    return serving.length > 0 ? this.random.pick(serving) : undefined;
  }

  /** Kills a process, as kill -9 does. */
  crash(process: SimulatedProcess, restart: number): void {
    if (process.isDead) return;
    this.counts.crashes++;
    process.tell("is killed");
    process.end();
    this.scheduler.after(restart, undefined, () => this.launch(process.slot));
  }

  /** Pauses a process, as SIGSTOP does, and resumes it after a while. */
  pause(process: SimulatedProcess, lasts: number): void {
    if (process.owner.state !== "running") return;
    this.counts.stops++;
    process.tell(`is paused for ${lasts.toFixed(0)} ms`);
    this.scheduler.pause(process.owner);
    this.scheduler.after(lasts, undefined, () => this.#resume(process));
  }

  /** Starts a client that follows a run. */
  follow(root: RootView, name: string, traits: ReaderTraits): Reader {
    const reader = new Reader(this, name, root, traits);
    this.await(reader.read());
    return reader;
  }

  /** Counts a client action until it is done. */
  await(work: Promise<unknown>): void {
    this.busy++;
    work.then(
      () => this.busy--,
      (error: unknown) => this.guarantees.fail("error", `A client failed: ${(error as Error).stack}`),
    );
  }

  /** Starts a process in a slot. */
  launch(slot: number): void {
    const incarnation = (this.#incarnations[slot] ?? 0) + 1;
    this.#incarnations[slot] = incarnation;
    const process = new SimulatedProcess(this, slot, incarnation);
    this.processes[slot] = process;
    process.open().catch((error: unknown) => this.guarantees.fail("error", `${process.name} did not start: ${error}`));
  }

  #resume(process: SimulatedProcess): void {
    if (process.owner.state !== "paused") return;
    process.tell("resumes");
    this.scheduler.resume(process.owner);
  }
}
