/** Evals: measurements of a component on one input, by repeated runs. */
import type { Principal } from "./principal.ts";
import type { StandingGrant } from "./schedule/schedule.ts";
import type { Limits } from "./usage/limits.ts";

/** Kinds of evals, by their names in the contract. */
export const evalTypes = ["accuracy", "agent_as_judge", "performance", "reliability"] as const;

export type EvalType = (typeof evalTypes)[number];

/** Kind of the jobs that execute evals. A job has the id of its eval. */
export const evalJob = "eval";

/** `PENDING`: no process has begun. `FAILED`: the eval was given up. `CANCELLED`: its caller may not start runs any more. */
export const evalStatuses = ["PENDING", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"] as const;

export type EvalStatus = (typeof evalStatuses)[number];

/** A component that can be evaluated. */
export interface EvaluatedComponent {
  readonly kind: "agent" | "team";
  readonly id: string;
}

/** Arguments that a tool call must have: it may have more. Several objects: a call for each. */
export type ExpectedArguments = Readonly<Record<string, JsonObject | readonly JsonObject[]>>;

type JsonObject = Readonly<Record<string, unknown>>;

/** A scorer as a caller names it: by its name, or by its name and options. It is stored in this form. */
export type GivenScorer = string | { readonly name: string; readonly [option: string]: unknown };

/** The request for an eval. Its row stores it as JSON text. */
export interface EvalRequest {
  readonly component: EvaluatedComponent;
  /** A published or draft version of the component; undefined for the version of runs. */
  readonly version?: number | undefined;
  readonly type: EvalType;
  readonly input: string;
  /** For `accuracy`. */
  readonly expectedOutput?: string | undefined;
  /** For `accuracy`: scorers in the place of a judge. */
  readonly scorers?: readonly GivenScorer[] | undefined;
  /** For `agent_as_judge`. */
  readonly criteria?: string | undefined;
  readonly scoring: "numeric" | "binary";
  /** Min score of an answer that passes, from 1 to 10. */
  readonly threshold: number;
  /** For the judge. */
  readonly guidelines?: string | undefined;
  readonly context?: string | undefined;
  /** For `reliability`. */
  readonly expectedTools?: readonly string[] | undefined;
  readonly expectedArguments?: ExpectedArguments | undefined;
  readonly allowsOtherTools: boolean;
  readonly iterations: number;
  /** For `performance`: runs before the first iteration, which are not measured. */
  readonly warmups: number;
  /** The model that judges. Default: the component's own. */
  readonly judge?: { readonly id: string; readonly provider?: string | undefined } | undefined;
  /** The caller, for the runs. */
  readonly caller: Principal;
  /** The caller's permission to start runs. It is checked before each run. */
  readonly grant: StandingGrant;
  /** The user of the runs. */
  readonly userId: string | null;
  readonly userLimits: readonly Limits[];
}

/** A tool call of a run. */
export interface EvaluatedCall {
  readonly name: string;
  readonly arguments: unknown;
}

/** The result of one iteration, as its row stores it. Numbers below 0 are warm-ups. */
export interface EvalIteration {
  readonly number: number;
  readonly runId: string;
  readonly sessionId?: string | undefined;
  /** Undefined: the iteration has no result, because of this error. */
  readonly error?: string | undefined;
  readonly output?: string | undefined;
  /** From 1 to 10; null without one. */
  readonly score?: number | null | undefined;
  readonly passed?: boolean | undefined;
  readonly reason?: string | undefined;
  /** The scores of scorers, from 0 to 1. */
  readonly scores?: readonly { readonly name: string; readonly score: number | null; readonly reason: string | null }[];
  readonly calls?: readonly EvaluatedCall[] | undefined;
  /** Seconds. */
  readonly duration?: number | undefined;
  /** MiB. */
  readonly memory?: number | undefined;
}
