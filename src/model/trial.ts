/** Feedback about runs, datasets, and experiments that compare two versions of a component. */
import type { GivenScorer } from "./eval.ts";
import type { Principal } from "./principal.ts";
import type { StandingGrant } from "./schedule/schedule.ts";
import type { Limits } from "./usage/limits.ts";

/** A user's opinion about a run. */
export const ratings = ["up", "down"] as const;
export type Rating = (typeof ratings)[number];

/** The states of an experiment. */
export const experimentStatuses = ["pending", "running", "completed", "failed", "cancelled"] as const;
export type ExperimentStatus = (typeof experimentStatuses)[number];

/** The two versions of an experiment. */
export const sides = ["a", "b"] as const;
export type Side = (typeof sides)[number];

/** A version of a component: the number of a stored one, or the definition in code. Undefined: the version that runs use. */
export type TrialVersion = number | "code" | undefined;

/** One score of an answer. */
export interface TrialScore {
  /** Name of the scorer. */
  readonly scorer: string;
  /** From 0 to 1; null if the scorer failed. */
  readonly score: number | null;
  readonly reason?: string | undefined;
}

/** A row of a dataset without its identity. */
export interface TrialRow {
  readonly input: string;
  readonly expected: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

/** What an experiment compares, and how. */
export interface ExperimentDefinition {
  readonly name: string | null;
  readonly versions: Readonly<Record<Side, TrialVersion>>;
  /** Definitions of the scorers. */
  readonly scorers: readonly GivenScorer[];
  /** Max runs that it executes concurrently. */
  readonly parallel: number;
  /** The caller of its runs. */
  readonly caller: Principal;
  /** The caller's permission to start runs. It is checked before each run. */
  readonly grant: StandingGrant;
  /** Limits of the caller's user. */
  readonly userLimits: readonly Limits[];
}

/** The results of one side. */
export interface SideSummary {
  /** Results so far. */
  readonly finished: number;
  /** Runs that did not complete. */
  readonly failures: number;
  /** The mean of each scorer's scores, with the number of scores. */
  readonly scores: readonly { readonly scorer: string; readonly mean: number | null; readonly count: number }[];
  /** Sum of the known costs in billionths of a US dollar; null if none is known. */
  readonly nanos: number | null;
  /** Durations of completed runs in milliseconds; null without one. */
  readonly latency: { readonly p50: number; readonly p95: number } | null;
}

/** The results of an experiment. */
export interface ExperimentSummary {
  readonly sides: Readonly<Record<Side, SideSummary>>;
  /** Why the experiment failed or was cancelled; undefined if a caller cancelled it. */
  readonly error?: string | undefined;
}

/** The kind of the jobs that execute experiments. The id of a job is the experiment's. */
export const experimentJob = "experiment";
