/**
 * Usage by UTC day of a run's start. The transaction that compacts a run's log also writes the run's usage into a queue. A later transaction adds
 * queued runs to their days and deletes them from the queue. So each run counts exactly once, in whichever process and after any crash.
 */
import type { Principal } from "../../model/principal.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import type { LoggedUsage } from "../../model/usage/log-usage.ts";
import type { CountedUsage } from "./usage.ts";

/** Tokens and cost of one model on one day. */
export interface ModelDay extends LoggedUsage {
  /** Root runs that used the model, themselves or in a member or step. */
  readonly runs: number;
}

/** Usage of one day. */
export interface UsageDay {
  /** `2026-11-22` */
  readonly day: string;
  /** Ended root runs. */
  readonly runs: Readonly<Record<ComponentKind, number>>;
  /** Sessions with such a run. */
  readonly sessions: Readonly<Record<ComponentKind, number>>;
  /** Users with such a run. */
  readonly users: number;
  /** Ordered by name. */
  readonly models: readonly ModelDay[];
  /** Times in milliseconds since the epoch, by the database's clock. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Usage of model requests outside a run. */
export interface BackgroundUsage {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Namespace of the sessions of the user: "" when callers are not isolated. */
  readonly owner: string;
  /** Amounts to add to shared counters. */
  readonly counted: readonly CountedUsage[];
  readonly models: readonly LoggedUsage[];
}

/** Days, both included: `2026-11-22`. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

/** Counts and reads usage by day. */
export interface UsageDayStore {
  /**
   * Adds some queued runs to their days, and returns these days. Empty if no run is queued. Runs that another transaction is adding at this moment
   * are skipped.
   */
  countQueued(): Promise<readonly string[]>;
  /** Queues some runs whose logs were compacted before their usage was counted. Returns whether more of them may exist. */
  queueEarlier(): Promise<boolean>;
  /** The days with usage that the caller may see, in order: of all runs, or only of runs of the caller's sessions. */
  listDays(caller: Principal, range: DayRange): Promise<readonly UsageDay[]>;
}
