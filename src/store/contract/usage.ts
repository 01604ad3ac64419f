/** Counters of usage that several runs share: of a session, and of a day. Only runs with such a limit write them. */

/** The name of a counter. */
export interface UsageCounter {
  /** A UTC date (`2026-11-22`), or the session (`session/` with its key). */
  readonly period: string;
  /** The owner of the usage: `platform`, `user`, `agent`, `team`, `workflow`, or `session` for all usage of a session. */
  readonly scope: string;
  /** Id of the user or the component; empty for other scopes. */
  readonly key: string;
}

/** Amounts of usage. */
export interface UsageSums {
  readonly tokens: number;
  /** Cost in nanodollars. */
  readonly nanos: number;
  readonly modelRequests: number;
  readonly toolCalls: number;
}

/** A counter with its total, or with an amount to add to it. */
export interface CountedUsage extends UsageCounter, UsageSums {}

/** The period of a session's counters. */
export function sessionPeriod(sessionKey: number): string {
  return `session/${sessionKey}`;
}

/** Unique name of a counter, in the order in which flushes write counters. */
export function counterName({ period, scope, key }: UsageCounter): string {
  return `${period} ${scope} ${key}`;
}

/** Reads and deletes counters. Flushes write them. */
export interface UsageStore {
  /** Totals of these counters, in any order; a counter that was never written is missing. */
  readUsage(counters: readonly UsageCounter[]): Promise<readonly CountedUsage[]>;
  /** Deletes counters of days before a UTC date, some at a time. */
  forgetUsage(beforeDay: string): Promise<void>;
}
