/**
 * Push notification targets of runs. A target's row is its outbox: the flush that changes a run's status also makes the rows of the run's targets
 * due. The notifications are built from the events in the run's log after the row's cursor.
 */
import type { PushTarget } from "../../model/push.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import type { Shares } from "../../model/shares.ts";
import type { RunRef } from "./store.ts";

/** A target that a process has claimed. */
export interface ClaimedPush extends RunRef {
  readonly target: PushTarget;
  /** User of the run; '' for no user. */
  readonly userId: string;
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly sessionId: string;
  readonly createdAt: number;
  /** Index of the last event whose notifications were delivered. */
  readonly cursor: number;
  /** Number of status changes so far. If it has grown when the claim ends, the target is due again. */
  readonly statusChanges: number;
  /** Number of consecutive failed attempts. */
  readonly failures: number;
  /** Fencing token: number of claims of the target so far. */
  readonly claim: number;
}

/** Limits and filters of `claim`. */
export interface PushClaimRequest {
  readonly owner: string;
  readonly limit: number;
  /** Whether to also claim targets held by dead processes. */
  readonly orphans: boolean;
  /** Number of targets that the claimer holds, by user. Default: none. */
  readonly held?: Shares;
  /** Max number of targets that the claimer may hold, shared among users. Default: no limit. */
  readonly maxHeld?: number;
}

/** The result of an attempt. */
export interface PushResult {
  readonly cursor: number;
  /** Milliseconds until the next attempt; null when no notifications are left. */
  readonly retryIn: number | null;
  /** Number of consecutive failed attempts, including this one. */
  readonly failures: number;
}

/** Push targets of runs. Methods that take a run's key do not check permissions: call them only after finding the run as the caller. */
export interface PushStore {
  /**
   * Stores a target, which gets notifications about events after `cursor`. A target that replaces one with the same id keeps its
   * cursor, and its pending notifications are due at once. Returns `full` if the run already has `maxTargets` targets, `gone` if the run is deleted.
   */
  put(
    runKey: number,
    target: PushTarget,
    at: { cursor: number; maxTargets: number },
  ): Promise<"stored" | "full" | "gone">;
  find(runKey: number, id: string): Promise<PushTarget | undefined>;
  /** Sorted by id; only ids after `after`, when given. */
  list(runKey: number, page: { limit: number; after?: string | undefined }): Promise<readonly PushTarget[]>;
  /** Returns false when there is no such target. */
  remove(runKey: number, id: string): Promise<boolean>;

  /** Claims due targets and, when requested, targets held by dead processes. */
  claim(request: PushClaimRequest): Promise<readonly ClaimedPush[]>;
  /** Whether the claim is still valid: no process has claimed, replaced or deleted the target since. */
  isClaimValid(claimed: ClaimedPush): Promise<boolean>;
  /** Releases a target with the result of its attempt. Returns false when another claim holds it, or it is gone. */
  finish(claimed: ClaimedPush, end: PushResult): Promise<boolean>;
  /** Releases all targets that a process holds. */
  release(owner: string): Promise<void>;
  /** Milliseconds until the next target is due, among the users below their share (default: all users); null for none. Never negative. */
  untilDue(held?: Shares, maxHeld?: number): Promise<number | null>;
}
