/** Who has which run: starts that are reserved, claims, and the leases of processes. */
import type { ComponentKind } from "../../model/run.ts";
import type { RunRef } from "./runs.ts";

/** A run that a process has taken and must now execute. */
export interface ClaimedRun extends RunRef {
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly sessionKey: number;
  readonly sessionId: string;
  readonly sessionSeq: number;
  readonly userId: string | null;
  readonly input: string;
  readonly options: string;
  readonly definitionHash: string;
  readonly attempt: number;
  /** How often in a row it was taken from a dead process without a durable step in between. */
  readonly stalledTakeovers: number;
  readonly nextIndex: number;
  readonly cancelRequested: boolean;
  readonly background: boolean;
  readonly createdAt: number;
  /** JSON text: the session's state as it stands. */
  readonly sessionState: string;
}

/** A start that may come again. Times are the caller's. */
export interface StartReservation {
  /** Of whoever starts and its key. */
  readonly digest: string;
  /** Id for its run, if this is the first one. */
  readonly runId: string;
  readonly fingerprint: string;
  readonly at: number;
  /** A reservation that is older than this does not count any more. */
  readonly since: number;
}

/** What `claim` may take. */
export interface ClaimRequest {
  readonly owner: string;
  /** Most runs to take. */
  readonly slots: number;
  /** Most background runs among them that were never begun, shared among the users whose runs wait. Default: `slots`. */
  readonly freshSlots?: number;
  /** Only this run, when given. One with a cancel requested may be taken out of its turn: it only has to be ended. */
  readonly key?: number;
  /** Only runs of this session, when given, whether or not they were begun. */
  readonly sessionKey?: number;
  /** False leaves background runs to others. Default true. A claim by `key` is not bound by it. */
  readonly background?: boolean;
  /** Only runs of these components: those that the process hosts. Default: any. A claim by `key` is not bound by it. */
  readonly components?: readonly { readonly kind: ComponentKind; readonly id: string }[];
  /** Also runs left RUNNING by processes whose lease has run out: all of them, or so many. */
  readonly orphans: boolean | OrphanSlots;
}

/** How many runs of dead processes a claim may take. */
export interface OrphanSlots {
  /** Runs whose last takeover, if any, got on. */
  readonly fresh: number;
  /** Runs whose last takeover came to nothing. A claim takes them only while there are no others. */
  readonly stalled: number;
}

/** Unfinished runs of a component. */
export interface Stray {
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly runs: number;
}

/** A renewed lease. */
export interface Renewal {
  /** False when it had run out: the process's runs may be gone. */
  readonly inTime: boolean;
  /** Processes that have a lease now, this one among them. */
  readonly living: number;
  /** Milliseconds until the first of the others' leases runs out, if it is not renewed; null where there are no others. */
  readonly nextLapse: number | null;
}
