/** What a schedule is, and what becomes of its ticks. Times are milliseconds since the epoch. */

import type { RunClaims } from "../principal.ts";
import type { Rhythm } from "./cron.ts";

/** What happens to a tick while an earlier fire of the schedule is not over. */
export const overlaps = ["skip", "queue", "cancelPrevious", "allow"] as const;
export type Overlap = (typeof overlaps)[number];

/** Which of the ticks are made up for that nobody was there for. */
export const catchUps = ["none", "last", "all"] as const;
export type CatchUp = (typeof catchUps)[number];

/** Methods that an endpoint may be called with. */
export const scheduleMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type ScheduleMethod = (typeof scheduleMethods)[number];

/** What is called, when, and how often it may fail. */
export interface SchedulePlan extends Rhythm {
  readonly name: string;
  readonly description: string | null;
  readonly method: ScheduleMethod;
  /** A path of this platform. */
  readonly endpoint: string;
  readonly payload: Readonly<Record<string, unknown>> | null;
  /** Bounds one attempt: a run that takes longer is cancelled. */
  readonly timeoutSeconds: number;
  readonly maxRetries: number;
  readonly retryDelaySeconds: number;
  /** The one tick of a schedule without a rhythm. */
  readonly runAt: number | null;
  /** No tick comes after it. */
  readonly endsAt: number | null;
  /** No tick fires after that many. */
  readonly maxFires: number | null;
  readonly overlap: Overlap;
  readonly catchUp: CatchUp;
  /** A fire begins up to so much after its tick, by chance. */
  readonly jitterSeconds: number;
  /** Disabled after so many failures in a row; null for never. */
  readonly pauseAfter: number | null;
}

/** What may be left out, and what it is then. */
export const usualPlan: Omit<SchedulePlan, "name" | "endpoint" | "cronExpr"> = {
  description: null,
  method: "POST",
  payload: null,
  timezone: "UTC",
  timeoutSeconds: 3_600,
  maxRetries: 0,
  retryDelaySeconds: 60,
  runAt: null,
  endsAt: null,
  maxFires: null,
  overlap: "skip",
  catchUp: "last",
  jitterSeconds: 0,
  pauseAfter: null,
};

/** For whom a schedule acts: a caller as it was when it made the schedule, with the scopes that the endpoint needs and no others. */
export interface StandingGrant {
  readonly kind: "anonymous" | "user" | "service-account" | "scheduler";
  readonly userId: string | null;
  readonly scopes: readonly string[];
  /** By which of the platform's scope mappings its scopes are named. */
  readonly mapping: number;
  /** Id of the program's account, where it is one. */
  readonly account: string | null;
  /** What the caller's credential said of its runs: it wins over the payload, as over any request. */
  readonly claims?: RunClaims;
}

/** A schedule as it is stored. */
export interface Schedule extends SchedulePlan {
  readonly id: string;
  /** Name space of its owner; empty for the common one. */
  readonly owner: string;
  readonly enabled: boolean;
  /** Why it is not enabled, where that was nobody's wish. */
  readonly disabledReason: string | null;
  /** Its next tick; null when there is none to come. */
  readonly nextRunAt: number | null;
  /** Ticks that fired. */
  readonly fires: number;
  /** Fires that failed, since the last one that did not. */
  readonly failures: number;
  /** The platform whose code defines it; null for one that was made by a request. */
  readonly platform: string | null;
  readonly grant: StandingGrant;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** Where a fire stands. Only `waiting` and `running` are not over. */
export type FireStatus = "waiting" | "running" | "success" | "failed" | "paused" | "cancelled" | "skipped";

/** What became of an attempt. */
export interface FireDetail {
  readonly statusCode: number | null;
  readonly input: Readonly<Record<string, unknown>> | null;
  readonly output: Readonly<Record<string, unknown>> | null;
  /** What a paused run waits for, as the wire shows it. */
  readonly requirements?: readonly Readonly<Record<string, unknown>>[] | null;
  readonly error: string | null;
}

/** One attempt at a fire. The first of a tick is made with the tick, and all that it starts has the id that it is given here. */
export interface Fire {
  readonly id: string;
  readonly scheduleId: string;
  /** Null where somebody asked for it. */
  readonly tick: number | null;
  /** From 1. */
  readonly attempt: number;
  readonly status: FireStatus;
  /** Id of the run that it starts, if it starts one. */
  readonly runId: string;
  /** Set when there is one. */
  readonly sessionId: string | null;
  readonly detail: FireDetail | null;
  readonly dueAt: number;
  readonly triggeredAt: number | null;
  readonly completedAt: number | null;
  readonly createdAt: number;
}
