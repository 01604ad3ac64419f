/** Facts that the server measures about itself. */
import type { TurnMetrics } from "./run/message.ts";
import type { ComponentKind, RunStatus } from "./run/run.ts";

/** The component of a run. */
export interface MeasuredComponent {
  readonly kind: ComponentKind;
  readonly componentId: string;
}

/** A model by the names that it has on the wire. */
export interface MeasuredModel {
  /** `gpt-5.2` */
  readonly id: string;
  /** `OpenAI` */
  readonly provider: string;
}

/** The end of a model request or a tool call. `stopped`: its run was stopped meanwhile. */
export type MeasuredOutcome = "ok" | "error" | "stopped";

/** A finished HTTP request. */
export interface MeasuredRequest {
  readonly method: string;
  /** The pattern of the route; undefined if no route matched. */
  readonly route: string | undefined;
  /** The status of the response; 499 if the client left before there was one. */
  readonly status: number;
  /** Undefined for routes whose response may take as long as a run. */
  readonly seconds: number | undefined;
}

/** A request to a model. Each retry is a request of its own. */
export interface MeasuredModelRequest {
  readonly model: MeasuredModel;
  readonly outcome: MeasuredOutcome;
  readonly seconds: number;
  /** Time to the first token; undefined if no token arrived. */
  readonly firstToken: number | undefined;
}

/** A committed flush of the journal. */
export interface MeasuredFlush {
  /** Approximate size of its events and rows. */
  readonly bytes: number;
  /** Duration of the commit, with all retries. */
  readonly seconds: number;
  /** Time from the arrival of its oldest write to the commit. */
  readonly latency: number;
}

/**
 * The result of a read that a standby may serve. The primary serves all except `served`. `behind`: the standby does not have the primary's state yet.
 * `missing`: it does not have these events yet. `foreign`: it is not a standby of this primary. `busy`: all its connections are in use. `failed`: it
 * does not respond, or it cancelled the read.
 */
export type StandbyOutcome = (typeof standbyOutcomes)[number];

/** All outcomes. */
export const standbyOutcomes = ["served", "behind", "missing", "foreign", "busy", "failed"] as const;

/** What a hybrid search of documents lacked, so that it used words only. */
export type SearchLack = (typeof searchLacks)[number];

/** All of them. */
export const searchLacks = ["embedder", "vector_store"] as const;

/**
 * Receives one fact per call, directly after it happened. No method is called for a single event of a run. All times are in seconds. An
 * implementation must bound the values that it keeps: names come from definitions, from models and from callers.
 */
export interface Measurements {
  requestFinished(request: MeasuredRequest): void;
  /** A run was recorded by this process. */
  runStarted(component: MeasuredComponent): void;
  /** This process began to execute a run: a new one, or one that continues. */
  runOpened(component: MeasuredComponent): void;
  /** This process executes a run no longer. @param status undefined if another process continues it */
  runClosed(component: MeasuredComponent, status: RunStatus | undefined): void;
  /** This process took over a run of a process that ended. */
  takeover(component: MeasuredComponent): void;
  modelRequest(request: MeasuredModelRequest): void;
  /** A failed model request is repeated. */
  modelRetry(model: MeasuredModel): void;
  /** A model turn was recorded. */
  modelTurn(model: MeasuredModel, metrics: TurnMetrics): void;
  toolCall(call: { readonly tool: string; readonly outcome: MeasuredOutcome; readonly seconds: number }): void;
  flush(flush: MeasuredFlush): void;
  /** A push notification was delivered, failed and will be retried, or failed for good. */
  push(outcome: "delivered" | "retried" | "failed"): void;
  /** An attempt of a schedule's fire began `lateness` after it was due. */
  scheduleFire(lateness: number): void;
  /** A read that a standby may serve has ended. */
  standbyRead(outcome: StandbyOutcome): void;
  /** A hybrid search of documents used words only. */
  wordsOnly(lack: SearchLack): void;
}

const nothing = (): void => undefined;

/** Measures nothing. */
export const noMeasurements: Measurements = {
  requestFinished: nothing,
  runStarted: nothing,
  runOpened: nothing,
  runClosed: nothing,
  takeover: nothing,
  modelRequest: nothing,
  modelRetry: nothing,
  modelTurn: nothing,
  toolCall: nothing,
  flush: nothing,
  push: nothing,
  scheduleFire: nothing,
  standbyRead: nothing,
  wordsOnly: nothing,
};
