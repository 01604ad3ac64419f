/**
 * What a store keeps of those who are told of a run's changes. A target's row is its outbox: the flush that changes a run's status makes
 * the rows of its targets due, and what there is to tell is in the run's log, after the row's cursor.
 */
import type { PushTarget } from "../../model/push.ts";
import type { ComponentKind } from "../../model/run.ts";
import type { Shares } from "../../model/shares.ts";
import type { RunRef } from "./store.ts";

/** A target that a process has in hand. */
export interface ClaimedPush extends RunRef {
  readonly target: PushTarget;
  /** User of the run; '' for no user. */
  readonly userId: string;
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly sessionId: string;
  readonly createdAt: number;
  /** The last event that the target was told of. */
  readonly cursor: number;
  /** Changes of status so far: more of them when it is settled make it due again. */
  readonly marks: number;
  /** Tries in a row that failed. */
  readonly failures: number;
  /** The fence: how often the target was claimed. */
  readonly claim: number;
}

/** What `claim` may take. */
export interface PushClaim {
  readonly owner: string;
  readonly most: number;
  /** Also targets that a dead process has in hand. */
  readonly orphans: boolean;
  /** Targets that the claimer has in hand, by user. Default: none. */
  readonly inHand?: Shares;
  /** Targets that the claimer may have in hand, which users share. Default: no limit. */
  readonly limit?: number;
}

/** How a try ended. */
export interface PushEnd {
  readonly cursor: number;
  /** Milliseconds until the next try, null when there is nothing left to tell. */
  readonly retryIn: number | null;
  /** Tries in a row that failed, this one included. */
  readonly failures: number;
}

/** Targets of runs. Those that name a run by its key are only for who has found the run as the caller that it is for. */
export interface PushStore {
  /**
   * Keeps a target; it is told of what comes after `cursor`. In the place of one of the same id it goes on where that one is, at once.
   * `full` where the run has `most` targets already, `gone` where it is deleted.
   */
  put(runKey: number, target: PushTarget, at: { cursor: number; most: number }): Promise<"stored" | "full" | "gone">;
  find(runKey: number, id: string): Promise<PushTarget | undefined>;
  /** By id: those after `after`, when given. */
  list(runKey: number, page: { limit: number; after?: string | undefined }): Promise<readonly PushTarget[]>;
  /** False when there is none. */
  remove(runKey: number, id: string): Promise<boolean>;

  /** Takes targets that are due, and on request those that a dead process has in hand. */
  claim(request: PushClaim): Promise<readonly ClaimedPush[]>;
  /** Whether it is still this claim's: nobody has taken, replaced or deleted it since. */
  holds(claimed: ClaimedPush): Promise<boolean>;
  /** Gives a target back. False when it is in other hands, or gone. */
  settle(claimed: ClaimedPush, end: PushEnd): Promise<boolean>;
  /** Gives back what a process has in hand. */
  release(owner: string): Promise<void>;
  /** Milliseconds until a target is due of a user whose share has room (default: of any user); null for none. Not negative. */
  untilDue(inHand?: Shares, limit?: number): Promise<number | null>;
}
