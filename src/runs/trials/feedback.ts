/** Feedback about runs: one rating with an optional note for each user and run. */
import { TroupeError } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";
import type { Rating } from "../../model/trial.ts";
import type { FeedbackPage, FeedbackQuery, StoredFeedback } from "../../store/contract/feedback.ts";
import type { LocatedRun } from "../../store/contract/store.ts";
import { attributedUser } from "../callers.ts";
import { findRun, type RunName } from "../find.ts";
import type { RunParts } from "../parts.ts";

export type {
  FeedbackPage,
  FeedbackPosition,
  FeedbackQuery,
  ListedFeedback,
  StoredFeedback,
} from "../../store/contract/feedback.ts";

/** Max feedback about one run that a request reads. */
const maxOfRun = 100;

/** Feedback that a caller gives. */
export interface GivenFeedback {
  readonly rating: Rating;
  readonly note: string | null;
  /** The user that the request names; ignored for callers with a credential. */
  readonly userId: string | undefined;
}

/** Feedback with its run. */
export interface FeedbackOfRun {
  readonly run: LocatedRun;
  readonly feedback: StoredFeedback;
}

/** Calls about feedback. A caller may give feedback about the root runs that it may see, in any state. */
export interface FeedbackCalls {
  /** Stores or replaces the caller's feedback. @throws TroupeError `notFound`, `forbidden` (a reserved user id) */
  give(caller: Principal, name: RunName, given: GivenFeedback): Promise<FeedbackOfRun>;
  /** The feedback about a run, last changed first, at most 100. @throws TroupeError `notFound` */
  ofRun(
    caller: Principal,
    name: RunName,
  ): Promise<{ readonly run: LocatedRun; readonly all: readonly StoredFeedback[] }>;
  /** Removes the caller's feedback. @throws TroupeError `notFound` */
  remove(caller: Principal, name: RunName, userId: string | undefined): Promise<void>;
  /** Feedback about the runs that the caller may see, last changed first. */
  list(caller: Principal, query: FeedbackQuery): Promise<FeedbackPage>;
}

/** Binds the calls to their parts. */
export function feedbackCalls(parts: RunParts): FeedbackCalls {
  const { feedback } = parts.trials;
  const authorOf = (caller: Principal, claimed: string | undefined): string | null =>
    caller.userId ?? attributedUser(caller, claimed) ?? null;

  return {
    async give(caller, name, { userId, ...given }) {
      const author = authorOf(caller, userId);
      const run = await findRun(parts, caller, name);
      const stored = await feedback.put(run.key, author, given);
      if (!stored) throw new TroupeError("notFound", "Run not found");
      return { run, feedback: stored };
    },

    async ofRun(caller, name) {
      const run = await findRun(parts, caller, name);
      return { run, all: await feedback.ofRun(run.key, maxOfRun) };
    },

    async remove(caller, name, userId) {
      const author = authorOf(caller, userId);
      const run = await findRun(parts, caller, name);
      if (!(await feedback.remove(run.key, author))) throw new TroupeError("notFound", "Feedback not found");
    },

    list: (caller, query) => feedback.list(caller, query),
  };
}
