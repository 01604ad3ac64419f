/** Schedules, their ticks and fires. Times are milliseconds since the epoch. */

import type { PrincipalKind, RunClaims } from "../principal.ts";
import type { Rhythm } from "./cron.ts";

/** Handling of a tick while an earlier fire of the schedule is unfinished. */
export const overlaps = ["skip", "queue", "cancelPrevious", "allow"] as const;
export type Overlap = (typeof overlaps)[number];

/** Which missed ticks fire late: ticks at which no process was running. */
export const catchUps = ["none", "last", "all"] as const;
export type CatchUp = (typeof catchUps)[number];

/** HTTP methods for the call to the endpoint. */
export const scheduleMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type ScheduleMethod = (typeof scheduleMethods)[number];

/** The endpoint, times and limits of a schedule. */
export interface SchedulePlan extends Rhythm {
  readonly name: string;
  readonly description: string | null;
  readonly method: ScheduleMethod;
  /** A path on this platform. */
  readonly endpoint: string;
  readonly payload: Readonly<Record<string, unknown>> | null;
  /** Maximum duration of one attempt; a run that takes longer is cancelled. */
  readonly timeoutSeconds: number;
  readonly maxRetries: number;
  readonly retryDelaySeconds: number;
  /** The only tick of a schedule with `@once`. */
  readonly runAt: number | null;
  /** The end of the schedule: there are no later ticks. */
  readonly endsAt: number | null;
  /** Maximum number of ticks that fire. */
  readonly maxFires: number | null;
  readonly overlap: Overlap;
  readonly catchUp: CatchUp;
  /** Maximum random delay between a tick and its fire. */
  readonly jitterSeconds: number;
  /** Number of consecutive failures that disables the schedule; null for never. */
  readonly pauseAfter: number | null;
}

/** Defaults of optional fields. */
export const defaultPlan: Omit<SchedulePlan, "name" | "endpoint" | "cronExpr"> = {
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

/** The principal that a schedule acts for: the caller that created it, with only the scopes that the endpoint needs. */
export interface StandingGrant {
  readonly kind: PrincipalKind;
  readonly userId: string | null;
  readonly scopes: readonly string[];
  /** Index of the platform's scope mapping for its scopes. */
  readonly mapping: number;
  /** Id of the service account, if it is one. */
  readonly account: string | null;
  /** Claims of the caller's credential for its runs. They override the payload, as in any request. */
  readonly claims?: RunClaims;
}

/** A schedule as stored. */
export interface Schedule extends SchedulePlan {
  readonly id: string;
  /** The owner's namespace; empty for the shared one. */
  readonly owner: string;
  readonly enabled: boolean;
  /** Why the server disabled the schedule; null if a caller disabled it or it is enabled. */
  readonly disabledReason: string | null;
  /** Next tick; null if there is none. */
  readonly nextRunAt: number | null;
  /** Number of ticks that fired. */
  readonly fires: number;
  /** Number of consecutive failed fires. */
  readonly failures: number;
  /** The platform whose code defines the schedule; null if a request created it. */
  readonly platform: string | null;
  readonly grant: StandingGrant;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** State of a fire. Only `waiting` and `running` are unfinished. */
export type FireStatus = "waiting" | "running" | "success" | "failed" | "paused" | "cancelled" | "skipped";

/** Result of an attempt. */
export interface FireDetail {
  readonly statusCode: number | null;
  readonly input: Readonly<Record<string, unknown>> | null;
  readonly output: Readonly<Record<string, unknown>> | null;
  /** Requirements of a paused run, as sent on the wire. */
  readonly requirements?: readonly Readonly<Record<string, unknown>>[] | null;
  readonly error: string | null;
}

/** One attempt of a fire. The first attempt of a tick is stored together with the tick. The run that it starts has the `runId` given here. */
export interface Fire {
  readonly id: string;
  readonly scheduleId: string;
  /** Null for a fire that a caller triggered. */
  readonly tick: number | null;
  /** Starts at 1. */
  readonly attempt: number;
  readonly status: FireStatus;
  /** Id of the run that the attempt starts, if it starts one. */
  readonly runId: string;
  /** Set once the session is known. */
  readonly sessionId: string | null;
  readonly detail: FireDetail | null;
  readonly dueAt: number;
  readonly triggeredAt: number | null;
  readonly completedAt: number | null;
  readonly createdAt: number;
}
