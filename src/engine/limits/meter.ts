/** Checks the limits of a run before each model request and each tool call, and counts what it uses. */
import type { Hosted } from "../../define/platform.ts";
import type { Message } from "../../model/run/message.ts";
import type { RecordedRequest } from "../../model/run/recorded-request.ts";
import type { CountedUsage, UsageCounter, UsageSums } from "../../store/contract/store.ts";
import { counterName } from "../../store/contract/usage.ts";
import type { RunMeter, RunScope } from "../loops/contract.ts";
import { RunFailure } from "../loops/contract.ts";
import type { EngineParts } from "../parts.ts";
import { retryWhileUnavailable } from "../process/retry-while-unavailable.ts";
import { type Bound, counterOf, describeBound, isShared, toShownLimit, usedOf } from "./bounds.ts";
import { type Level, noUsage, usageOfMessage, usageOfRequest } from "./level.ts";
import { raisePause } from "./raise-pause.ts";
import type { RunUsage } from "./run-usage.ts";

/** Parts of a meter that all scopes of a root run share. */
export interface MeterParts {
  readonly parts: Pick<EngineParts, "store" | "runtime" | "settings">;
  readonly usage: RunUsage;
  readonly sessionKey: number;
  readonly signal: AbortSignal;
  /** Makes everything so far durable, with its usage. */
  commit(): Promise<void>;
  /** Ends the root run. */
  fail(failure: RunFailure): never;
}

/** The meter of a run without limits. */
export const unlimited: Pick<Meter, "levels" | "begin" | "mayBegin" | "end" | "count" | "countRequest"> = {
  levels: [],
  begin: () => undefined,
  mayBegin: () => true,
  end: () => undefined,
  count: () => [],
  countRequest: () => [],
};

const actions = ["modelRequests", "toolCalls"] as const;

/** The next action of a run. */
type Action = (typeof actions)[number];

export class Meter implements RunMeter {
  /** In order: the root run's limits first, the run's own limits last. */
  readonly levels: readonly Level[];
  readonly #root: MeterParts;
  readonly #scope: Pick<RunScope<Hosted>, "runtime" | "runKey" | "component">;
  readonly #hasShared: boolean;
  /** Actions of the run in progress that its messages do not contain yet. */
  readonly #open: { modelRequests: number; toolCalls: number } = { modelRequests: 0, toolCalls: 0 };

  constructor(
    root: MeterParts,
    levels: readonly Level[],
    scope: Pick<RunScope<Hosted>, "runtime" | "runKey" | "component">,
  ) {
    this.#root = root;
    this.levels = levels;
    this.#scope = scope;
    this.#hasShared = levels.some(({ bounds }) => bounds.some(isShared));
  }

  begin(action: Action, count: number): Promise<void> | undefined {
    return this.levels.length === 0 ? undefined : this.#begin(action, count);
  }

  async #begin(action: Action, count: number): Promise<void> {
    this.#check(action, count, false);
    if (this.#hasShared) {
      await this.#root.commit();
      // The flush that stored the last turn has returned the totals; before a model request, other runs count, too.
      if (action === "modelRequests" || !this.#knowsTotals) await this.#readTotals();
      this.#check(action, count, true);
      // Other runs under this root may have begun an action meanwhile.
      this.#check(action, count, false);
    }
    this.#reserve(action, count);
  }

  mayBegin(action: Action, count: number): boolean | Promise<boolean> {
    return this.levels.length === 0 ? true : this.#mayBegin(action, count);
  }

  async #mayBegin(action: Action, count: number): Promise<boolean> {
    if (this.#hasShared) {
      await this.#root.commit();
      await this.#readTotals();
    }
    if (this.#reached(action, count)) return false;
    this.#reserve(action, count);
    return true;
  }

  end(): void {
    for (const action of actions) this.#reserve(action, -this.#open[action]);
  }

  /** Counts a message. Returns what the flush that stores the message adds to shared counters. */
  count(message: Message): readonly CountedUsage[] {
    const usage = this.levels.length === 0 ? undefined : usageOfMessage(message);
    return usage ? this.#count(usage) : [];
  }

  /** Counts a model request that is not a turn. Returns what the flush that stores its answer adds to shared counters. */
  countRequest({ metrics, purpose }: RecordedRequest): readonly CountedUsage[] {
    return this.levels.length === 0 ? [] : this.#count(usageOfRequest(metrics, purpose));
  }

  #count(usage: UsageSums): readonly CountedUsage[] {
    for (const action of actions) if (usage[action] > 0 && this.#open[action] > 0) this.#reserve(action, -1);
    for (const level of this.levels) level.add(usage);
    return this.#counters.map((counter) => ({ ...counter, ...usage }));
  }

  /** Counters of all limits that share them, without duplicates. */
  get #counters(): readonly UsageCounter[] {
    if (!this.#hasShared) return [];
    const now = this.#scope.runtime.clock.now();
    const counters = new Map<string, UsageCounter>();
    for (const bound of this.levels.flatMap(({ bounds }) => bounds.filter(isShared))) {
      const counter = counterOf(bound, this.#root.sessionKey, now);
      counters.set(counterName(counter), counter);
    }
    return [...counters.values()];
  }

  get #knowsTotals(): boolean {
    return this.#counters.every((counter) => this.#root.usage.total(counter) !== undefined);
  }

  async #readTotals(): Promise<void> {
    const { parts, signal, usage } = this.#root;
    const counters = this.#counters;
    const totals = await retryWhileUnavailable(parts, signal, () => parts.store.readUsage(counters));
    const zero = counters.map((counter) => ({ ...counter, ...noUsage() }));
    usage.takeTotals([...zero, ...totals]);
  }

  #reserve(action: Action, count: number): void {
    this.#open[action] += count;
    for (const { open } of this.levels) open[action] += count;
  }

  #check(action: Action, count: number, shared: boolean): void {
    const reached = this.#reached(action, count, shared);
    if (reached) this.#stop(reached.level, reached.bound, reached.used);
  }

  /** The first limit that the action reaches. @param shared only limits that other runs share, or only the others; undefined: all limits */
  #reached(action: Action, count: number, shared?: boolean): ReachedBound | undefined {
    for (const level of this.levels) {
      for (const own of level.bounds) {
        if (shared !== undefined && isShared(own) !== shared) continue;
        const bound = this.#root.usage.raised(own);
        const used = this.#usedOf(level, bound);
        if (isReached(level, bound, used, action, count)) return { level, bound, used };
      }
    }
    return undefined;
  }

  #usedOf(level: Level, bound: Bound): number {
    const { usage, sessionKey } = this.#root;
    if (bound.metric === "duration") return level.duration;
    if (!isShared(bound)) return usedOf(bound.metric, level.sums) ?? 0;
    const total = usage.total(counterOf(bound, sessionKey, this.#scope.runtime.clock.now()));
    return total ? (usedOf(bound.metric, total) ?? 0) : 0;
  }

  #stop(level: Level, bound: Bound, used: number): never {
    if (bound.onLimit === "pause" && !this.#root.usage.isRejected(bound)) throw raisePause(this.#scope, bound, used);
    const shown = toShownLimit(bound, used, this.#scope.runtime.clock.now());
    const failure = new RunFailure(
      "limit_exceeded",
      `${describeBound(bound)}, and ${shown.used} are used.`,
      undefined,
      shown,
    );
    if (level.isRoot) this.#root.fail(failure);
    throw failure;
  }
}

/** A limit that an action reaches. */
interface ReachedBound {
  readonly level: Level;
  readonly bound: Bound;
  readonly used: number;
}

function isReached(level: Level, { metric, allowed }: Bound, used: number, action: Action, count: number): boolean {
  // The number of tool calls does not stop an answer, and the number of requests does not stop the calls of the last one.
  if ((metric === "modelRequests" || metric === "toolCalls") && metric !== action) return false;
  return metric === action ? used + level.open[action] + count > allowed : used >= allowed;
}
