/** Limits on what runs use: their definitions, and how they are shown on the wire. */

import type { ComponentKind } from "../run/run.ts";
import { toDollars } from "./cost.ts";

/** Limits on usage. A run stops before the next model request or tool call when one of them is reached. */
export interface UsageLimits {
  /** Tokens of input and output. */
  readonly tokens?: number;
  /** US dollars. Model requests whose price is unknown count as free. */
  readonly cost?: number;
  /** Answered model requests. */
  readonly modelRequests?: number;
  /** Tool calls, including delegations to members. */
  readonly toolCalls?: number;
}

/** Limits on one run and the runs under it. */
export interface RunLimits extends UsageLimits {
  /** Milliseconds that the run executes, without the time in which it waits in a queue or is paused. To stop a request in progress, use `timeout`. */
  readonly duration?: number;
}

/** Limits of a platform, a component or a user. The fields at the top apply to each run. */
export interface Limits extends RunLimits {
  /** Limits on all runs of one session. */
  readonly perSession?: UsageLimits;
  /** Limits on all runs of one UTC day. */
  readonly perDay?: UsageLimits;
  /**
   * The effect of a limit on a run that reaches it. `fail` (default): it ends as ERROR with the type `limit_exceeded`. `pause`: it pauses until an approver
   * raises the limit for this run.
   */
  readonly onLimit?: "fail" | "pause";
}

/** A quantity that a limit bounds. */
export type Metric = keyof RunLimits;

/** The quantities, by their names on the wire. */
export const metricNames: {
  readonly tokens: "tokens";
  readonly cost: "cost";
  readonly modelRequests: "model_requests";
  readonly toolCalls: "tool_calls";
  readonly duration: "duration";
} = {
  tokens: "tokens",
  cost: "cost",
  modelRequests: "model_requests",
  toolCalls: "tool_calls",
  duration: "duration",
};

/** The owner of a limit: the platform, a component, a user, or the request that started the run. */
export type LimitScope = "platform" | ComponentKind | "user" | "run";

/** The time over which a limit counts. */
export type LimitPeriod = "run" | "session" | "day";

/** A limit with its use, as sent on the wire. Costs in US dollars, durations in milliseconds. */
export interface ShownLimit {
  readonly scope: LimitScope;
  /** Id of the component or the user; null for the other scopes. */
  readonly id: string | null;
  readonly period: LimitPeriod;
  readonly metric: (typeof metricNames)[Metric];
  readonly used: number;
  readonly allowed: number;
  /** For a limit per day: when it begins again, as an ISO 8601 text. Null for the other periods. */
  readonly reset_at: string | null;
}

/** Converts an amount to the unit of the wire: costs are counted in nanodollars. */
export function shownAmount(metric: Metric, amount: number): number {
  return metric === "cost" ? toDollars(amount) : amount;
}

const usageMetrics: readonly Metric[] = ["tokens", "cost", "modelRequests", "toolCalls"];
const runMetrics: readonly Metric[] = [...usageMetrics, "duration"];
const fieldsOfLimits = [...runMetrics, "perSession", "perDay", "onLimit"];

/** Returns what is wrong with limits from outside the type checker; undefined for valid ones. */
export function faultOfLimits(given: unknown): string | undefined {
  const { perSession, perDay, onLimit, ...perRun } = (given ?? {}) as Limits;
  if (typeof given !== "object" || given === null || Array.isArray(given)) return "must be an object";
  if (given instanceof Promise) return "must be an object, not a promise";
  if (onLimit !== undefined && onLimit !== "fail" && onLimit !== "pause") return 'onLimit must be "fail" or "pause"';
  const unknown = Object.keys(given).find((name) => !fieldsOfLimits.includes(name));
  if (unknown !== undefined) return `has no "${unknown}": there are ${fieldsOfLimits.join(", ")}`;
  return faultOfRunLimits(perRun) ?? faultOfPart("perSession", perSession) ?? faultOfPart("perDay", perDay);
}

const wireNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(metricNames).map(([name, wire]) => [wire, name])),
  ...{ per_session: "perSession", per_day: "perDay", on_limit: "onLimit" },
};

const ourNames: ReadonlySet<string> = new Set(Object.values(wireNames));

/** Limits with the names of the wire (`model_requests`, `per_day`), with our names. Unknown names and all values stay as they are. */
export function limitsFromWire(given: unknown): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const ours = Object.hasOwn(wireNames, name) ? wireNames[name] : undefined;
      // Our own names are unknown on the wire, so they become names that do not exist.
      return [ours ?? (ourNames.has(name) ? `${name} ` : name), limitsFromWire(value)];
    }),
  );
}

/** The same for limits of one run. */
export function faultOfRunLimits(given: object): string | undefined {
  return faultOfAmounts("", given, runMetrics);
}

function faultOfPart(part: string, given: unknown): string | undefined {
  if (given === undefined) return undefined;
  if (typeof given !== "object" || given === null || Array.isArray(given)) return `${part} must be an object`;
  return faultOfAmounts(`${part}.`, given, usageMetrics);
}

function faultOfAmounts(prefix: string, given: object, metrics: readonly Metric[]): string | undefined {
  for (const [name, amount] of Object.entries(given)) {
    if (!metrics.includes(name as Metric)) return `has no "${prefix}${name}": there are ${metrics.join(", ")}`;
    if (amount === undefined) continue;
    const isAmount = typeof amount === "number" && Number.isFinite(amount) && amount > 0 && amount <= 1e15;
    if (!isAmount) return `${prefix}${name} must be a number above 0`;
    if (name !== "cost" && !Number.isInteger(amount)) return `${prefix}${name} must be a whole number`;
  }
  return undefined;
}
