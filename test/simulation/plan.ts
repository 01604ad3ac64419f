/** The plan of a history. Every action can be removed without changing the others. */
import type { Role } from "../../src/model/role.ts";
import type { Settings } from "../../src/model/settings.ts";

/** A model's output in a run, turn by turn. The run's message contains it as JSON. */
export interface Script {
  readonly turns: readonly Turn[];
  /** Output of the members of a broadcast. */
  readonly each?: Script | undefined;
  /** The request that started the run, in plans with versions. */
  readonly start?: string | undefined;
}

/** One turn of a model. A turn with calls is followed by another turn. */
export interface Turn {
  readonly deltas: number;
  /** Characters of a delta. */
  readonly size: number;
  /** Milliseconds before a delta. */
  readonly delay: number;
  readonly reasoning?: number;
  readonly calls?: readonly Call[];
  /** `retry`: the first call fails before any output. `cut`: the answer ends early in every attempt. */
  readonly fails?: "retry" | "cut" | undefined;
  /** Whether the answer matches the component's schema. */
  readonly json?: boolean;
}

/** A call of a tool, or of a member. */
export interface Call {
  readonly tool: ToolName | "member";
  /** Duration in milliseconds. */
  readonly takes: number;
  readonly member?: string;
  readonly task?: Script;
}

/** Tools of the simulated platform. */
export type ToolName = "lookup" | "charge" | "pay" | "note" | "finish" | "fragile" | "poison";

/** Calls of a store at which faults occur: `create`, `step` and `end` are flushes with a creation, with messages, with an ending. */
export type CallName =
  | "append"
  | "create"
  | "step"
  | "tool"
  | "end"
  | "claim"
  | "renew"
  | "head"
  | "segments"
  | "cancel"
  | "release"
  | "any";

/** The fault of a call. */
export type CallFault =
  /** The database returns a transient error (a deadlock, a busy file). */
  | "again"
  /** The connection is lost before the work is done. */
  | "lost"
  /** The connection is lost after the work is done. */
  | "unanswered"
  /** The connection is lost, and the commit succeeds later nevertheless. */
  | "late"
  /** The work is done late. */
  | "slow"
  /** The response arrives late. */
  | "slow-answer"
  /** The database cannot store the data of one run in the flush. */
  | "data";

/** A fault of the platform, or an action of its clients. Times are virtual milliseconds. */
export type Action =
  | {
      readonly kind: "start";
      /** The name by which other actions refer to the run. */
      readonly name: number;
      readonly at: number;
      readonly slot: number;
      readonly component: string;
      readonly session: string | undefined;
      readonly script: Script;
      readonly dispatch: boolean;
      /** Whether the response is lost. */
      readonly losesAnswer: boolean;
      /** Whether the client retries a start with an unknown outcome. */
      readonly insists: boolean;
      /** Number of kills before the first step (component `brittle`). */
      readonly kills: number;
      readonly reader: ReaderTraits;
    }
  | { readonly kind: "follow"; readonly at: number; readonly start: number; readonly reader: ReaderTraits }
  /** The client that started the run closes its connection, and resumes after a while or never. */
  | { readonly kind: "drop"; readonly at: number; readonly start: number; readonly away: number | undefined }
  /** At a time, or at a call of a process: `by` is the process that receives the request. */
  | {
      readonly kind: "cancel";
      readonly when: When;
      readonly slot: number;
      readonly start: number;
      readonly by: number;
    }
  /** A client puts a message into the run; `by` is the process that receives the request. */
  | {
      readonly kind: "steer";
      readonly at: number;
      readonly start: number;
      readonly by: number;
      readonly mode: "queue" | "interrupt";
      /** The idempotency key: the client repeats the request until a response arrives. */
      readonly name: string;
    }
  | {
      readonly kind: "delete";
      readonly at: number;
      readonly start: number;
      readonly slot: number;
      readonly session: boolean;
    }
  | { readonly kind: "expire"; readonly at: number; readonly start: number; readonly share: number }
  /** A version of a component becomes the one that new runs use; undefined for the definition in code. */
  | { readonly kind: "publish"; readonly at: number; readonly component: string; readonly version: number | undefined }
  | { readonly kind: "crash"; readonly slot: number; readonly when: When; readonly restart: number }
  | { readonly kind: "pause"; readonly slot: number; readonly when: When; readonly lasts: number }
  | {
      readonly kind: "drain";
      readonly at: number;
      readonly slot: number;
      readonly grace: number;
      readonly restart: number;
    }
  | {
      readonly kind: "call";
      readonly slot: number;
      readonly when: AtCall;
      readonly fault: CallFault;
      readonly lasts: number;
    }
  | { readonly kind: "outage"; readonly at: number; readonly lasts: number; readonly slot: number | undefined }
  | {
      readonly kind: "noise";
      readonly at: number;
      readonly lasts: number;
      readonly loss: number;
      readonly delay: number;
    };

/** At a time, or at the nth call of a process to the store: before it is sent, when it is done, or when its response arrives. */
export type When = { readonly at: number } | AtCall;

export interface AtCall {
  readonly call: CallName;
  readonly nth: number;
  readonly phase: "sent" | "done" | "answered";
}

/** A client's reading behaviour. */
export interface ReaderTraits {
  /** Milliseconds per read. */
  readonly slow: number;
  /** Whether the client reads at all. */
  readonly reads: boolean;
}

/** The plan of a whole history. */
export interface Plan {
  readonly seed: number;
  readonly dialect: "sqlite" | "postgres";
  readonly processes: number;
  /** The role of each process. Default: `all`. */
  readonly roles?: readonly Role[] | undefined;
  readonly settings: Settings;
  /** Offset of each process's wall clock. */
  readonly clockErrors: readonly number[];
  /** Whether every second restart of a process has changed definitions. */
  readonly deploys: boolean;
  /** Whether versions of components are published during the history. */
  readonly versions?: boolean | undefined;
  /** Maximum latency to the database without a fault. */
  readonly latency: number;
  readonly actions: readonly Action[];
}
