/** Stored feedback about root runs. */
import type { Principal } from "../../model/principal.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import type { Rating } from "../../model/trial.ts";

/** A user's opinion about a run. */
export interface StoredFeedback {
  readonly userId: string | null;
  readonly rating: Rating;
  readonly note: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Feedback with its run. */
export interface ListedFeedback extends StoredFeedback, FeedbackPosition {
  readonly runId: string;
  readonly sessionId: string;
  readonly kind: ComponentKind;
  readonly componentId: string;
}

/** The place of feedback in a listing. `author` is empty for a caller without a user. */
export interface FeedbackPosition {
  readonly updatedAt: number;
  readonly runKey: number;
  readonly author: string;
}

/** Filters and page of a listing. */
export interface FeedbackQuery {
  readonly kind?: ComponentKind | undefined;
  readonly componentId?: string | undefined;
  readonly rating?: Rating | undefined;
  readonly userId?: string | undefined;
  readonly limit: number;
  readonly after?: FeedbackPosition | undefined;
}

/** A page, last changed first. A page before the last may be shorter than requested, or empty. */
export interface FeedbackPage {
  readonly feedback: readonly ListedFeedback[];
  /** Where the next page begins; undefined on the last page. */
  readonly next: FeedbackPosition | undefined;
}

/** Reads and writes feedback. Before it is called, the run has been found for its caller. */
export interface FeedbackStore {
  /** Stores or replaces a user's feedback. Undefined: the run was deleted. */
  put(
    runKey: number,
    userId: string | null,
    given: { readonly rating: Rating; readonly note: string | null },
  ): Promise<StoredFeedback | undefined>;
  /** The feedback about a run, last changed first. */
  ofRun(runKey: number, limit: number): Promise<readonly StoredFeedback[]>;
  /** False: there is none. */
  remove(runKey: number, userId: string | null): Promise<boolean>;
  /** Feedback about the runs that the caller may see. */
  list(caller: Principal, query: FeedbackQuery): Promise<FeedbackPage>;
}
