/** Ownership of runs: idempotency keys, claims and process leases. */
import type { ComponentKind } from "../../model/run/run.ts";
import type { RunRef } from "./runs.ts";

/** A run that this process claimed and must now execute. */
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
  /** Consecutive takeovers from dead processes without a durable step in between. */
  readonly stalledTakeovers: number;
  readonly nextIndex: number;
  /** Number of messages that callers put into it. */
  readonly steered: number;
  readonly cancelRequested: boolean;
  readonly background: boolean;
  readonly createdAt: number;
  /** JSON text: the session's current state. */
  readonly sessionState: string;
}

/** A run id reserved under an idempotency key. Times are from the caller's clock. */
export interface IdempotencyReservation {
  /** Digest of the caller and its idempotency key. */
  readonly digest: string;
  /** Id for the run, used if this is the first request with this key. */
  readonly runId: string;
  readonly fingerprint: string;
  readonly at: number;
  /** Reservations older than this time have expired. */
  readonly since: number;
}

/** A reservation to be released. */
export interface IdempotencyRelease extends Pick<IdempotencyReservation, "digest" | "runId"> {
  /** Whether the key stays reserved if its run exists. */
  readonly unlessStarted: boolean;
}

/** Limits and filters of `claim`. */
export interface ClaimRequest {
  readonly owner: string;
  /** Max runs to claim. */
  readonly slots: number;
  /** Max background runs among them that have never started, shared among the users with waiting runs. Default: `slots`. */
  readonly freshSlots?: number;
  /** Only this run, when given. A run with a requested cancel may be claimed out of turn, because the process only ends it. */
  readonly key?: number;
  /** Only runs of this session, when given, whether or not they have started before. */
  readonly sessionKey?: number;
  /** False excludes background runs. Default true. Ignored for a claim by `key`. */
  readonly background?: boolean;
  /** Only runs of these components, which the process hosts. Default: any component. Ignored for a claim by `key`. */
  readonly components?: readonly { readonly kind: ComponentKind; readonly id: string }[];
  /** Whether to also claim RUNNING runs of processes whose lease has expired: all of them, or up to these limits. */
  readonly orphans: boolean | OrphanSlots;
}

/** Max number of dead processes' runs to claim. */
export interface OrphanSlots {
  /** Runs that were never taken over, or made progress after their last takeover. */
  readonly fresh: number;
  /** Runs that made no progress after their last takeover. Claimed only when no other runs of dead processes exist. */
  readonly stalled: number;
}

/** Number of unfinished, unhosted runs of a component. */
export interface UnhostedRuns {
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly runs: number;
}

/** The result of renewing a process's lease. */
export interface LeaseRenewal {
  /** False when the lease had expired: other processes may have taken this process's runs. */
  readonly inTime: boolean;
  /** Number of processes with a valid lease, including this one. */
  readonly liveProcesses: number;
  /** Milliseconds until the first lease of another process expires, if it is not renewed; null when there is no other process. */
  readonly nextExpiry: number | null;
}
