/** What a seed makes happen: the words of a history. Every action can be taken away without changing the others. */
import type { Role } from "../../src/model/role.ts";
import type { Settings } from "../../src/model/settings.ts";

/** What a model says in a run: turn by turn. It is the text of the run's message. */
export interface Script {
  readonly turns: readonly Turn[];
  /** What members of a broadcast say. */
  readonly each?: Script | undefined;
}

/** One turn of a model. One with calls is followed by another. */
export interface Turn {
  readonly deltas: number;
  /** Characters of a delta. */
  readonly size: number;
  /** Milliseconds before a delta. */
  readonly delay: number;
  readonly reasoning?: number;
  readonly calls?: readonly Call[];
  /** `retry`: the first call fails before anything is said. `cut`: the answer breaks off for good. */
  readonly fails?: "retry" | "cut" | undefined;
  /** The answer is JSON for the component's schema, or is not. */
  readonly json?: boolean;
}

/** A call of a tool, or of a member. */
export interface Call {
  readonly tool: ToolName | "member";
  /** Milliseconds it takes. */
  readonly takes: number;
  readonly member?: string;
  readonly task?: Script;
}

/** Tools of the simulated platform. */
export type ToolName = "lookup" | "charge" | "pay" | "note" | "finish" | "fragile" | "poison";

/** Calls of a store by which faults are placed: `create`, `step` and `end` are flushes with a creation, with messages, with an ending. */
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

/** What happens to a call. */
export type CallFault =
  /** The database asks to try again (a deadlock, a busy file). */
  | "again"
  /** The connection is lost before the work is done. */
  | "lost"
  /** The connection is lost after the work is done. */
  | "unanswered"
  /** The connection is given up, and the commit comes all the same, later. */
  | "late"
  /** The work is done late. */
  | "slow"
  /** The answer comes late. */
  | "slow-answer"
  /** The database cannot store the data of one run in the flush. */
  | "data";

/** Something that is done to the platform, or by its clients. Times are virtual milliseconds. */
export type Action =
  | {
      readonly kind: "start";
      /** By which other actions name its run. */
      readonly name: number;
      readonly at: number;
      readonly slot: number;
      readonly component: string;
      readonly session: string | undefined;
      readonly script: Script;
      readonly dispatch: boolean;
      /** The answer does not arrive. */
      readonly losesAnswer: boolean;
      /** Starts again when it does not know whether it has started. */
      readonly insists: boolean;
      /** Kills before the first step (component `brittle`). */
      readonly kills: number;
      readonly reader: ReaderTraits;
    }
  | { readonly kind: "follow"; readonly at: number; readonly start: number; readonly reader: ReaderTraits }
  /** The client that started the run closes its connection, and comes back after a while, or never. */
  | { readonly kind: "drop"; readonly at: number; readonly start: number; readonly away: number | undefined }
  /** At a time, or when a process makes a call: `by` is the process that is asked. */
  | {
      readonly kind: "cancel";
      readonly when: When;
      readonly slot: number;
      readonly start: number;
      readonly by: number;
    }
  | {
      readonly kind: "delete";
      readonly at: number;
      readonly start: number;
      readonly slot: number;
      readonly session: boolean;
    }
  | { readonly kind: "expire"; readonly at: number; readonly start: number; readonly share: number }
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

/** At a time, or at a process's so-many-th call of the store: before it is sent, when it is done, or when it is answered. */
export type When = { readonly at: number } | AtCall;

export interface AtCall {
  readonly call: CallName;
  readonly nth: number;
  readonly phase: "sent" | "done" | "answered";
}

/** How a client reads. */
export interface ReaderTraits {
  /** Milliseconds it takes for each piece. */
  readonly slow: number;
  /** Whether it is there at all. */
  readonly reads: boolean;
}

/** A whole history, before it happens. */
export interface Plan {
  readonly seed: number;
  readonly dialect: "sqlite" | "postgres";
  readonly processes: number;
  /** What each process does of the platform's work; everything unless it is said. */
  readonly roles?: readonly Role[] | undefined;
  readonly settings: Settings;
  /** How far each process's wall clock is off. */
  readonly clockErrors: readonly number[];
  /** Whether a process that starts again has a changed definition of its components, every other time. */
  readonly deploys: boolean;
  /** Longest usual way to the database. */
  readonly latency: number;
  readonly actions: readonly Action[];
}
