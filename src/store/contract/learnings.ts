/** Stored learnings. Times are milliseconds since the epoch; content and metadata are JSON text. */
import type { Principal } from "../../model/principal.ts";

/** The place of a learning: its id is unique within its owner, which is a user id, or empty for a learning without a user. */
export interface LearningPlace {
  readonly learningId: string;
  readonly owner: string;
}

/** A learning without its times. */
export interface NewLearning extends LearningPlace {
  readonly type: string;
  readonly namespace: string | null;
  readonly agentId: string | null;
  readonly teamId: string | null;
  readonly sessionId: string | null;
  readonly entityId: string | null;
  readonly entityType: string | null;
  readonly content: string;
  readonly metadata: string | null;
}

export interface StoredLearning extends NewLearning {
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A learning of a page. Its texts are null if they did not fit the page. */
export interface ListedLearning extends Omit<StoredLearning, "content"> {
  readonly content: string | null;
}

/** Filters of a listing. */
export interface LearningFilter {
  readonly type?: string | undefined;
  readonly userId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly teamId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly namespace?: string | undefined;
  readonly entityId?: string | undefined;
  readonly entityType?: string | undefined;
}

/** The last learning of a page. */
export interface LearningPosition extends LearningPlace {
  /** Its time in the order of the listing. */
  readonly at: number;
}

/** A page of a listing. */
export interface LearningQuery extends LearningFilter {
  readonly sortBy: "createdAt" | "updatedAt";
  readonly descending: boolean;
  readonly limit: number;
  readonly offset: number;
  /** Begins after this learning, instead of at `offset`. */
  readonly after?: LearningPosition | undefined;
  /** Bounds the texts of the page. */
  readonly maxBytes: number;
}

/** A user with learnings. */
export interface LearningUser {
  readonly userId: string;
  readonly updatedAt: number;
}

/** A page of the users with learnings. */
export interface LearningUserQuery extends Pick<LearningFilter, "type" | "userId"> {
  readonly sortBy: "userId" | "updatedAt";
  readonly descending: boolean;
  readonly limit: number;
  readonly offset: number;
}

/** The total stops at the counting limit: the real total may then be higher. */
export interface LearningPage<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

/** New texts of a learning; undefined keeps a text. */
export interface LearningChanges {
  readonly content?: string | undefined;
  readonly metadata?: string | null | undefined;
}

/** The learnings that a run reads: those of its user, and those without a user. */
export interface RunLearnings {
  /** The run's user; empty without one. */
  readonly owner: string;
  /** The learnings of these ids. */
  readonly ids: readonly string[];
  /** Or the newest learnings of these types and namespaces. */
  readonly shared: readonly { readonly type: string; readonly namespace: string; readonly limit: number }[];
}

/**
 * Reads and writes learnings. A caller whose data is isolated sees its own learnings, and those without a user. A credential of one session sees only
 * the learnings of that session. Filters that no index answers cover the newest 10,000 learnings that fit the other filters.
 */
export interface LearningStore {
  list(caller: Principal, query: LearningQuery): Promise<LearningPage<ListedLearning>>;
  users(caller: Principal, query: LearningUserQuery): Promise<LearningPage<LearningUser>>;
  /** The learnings of an id that the caller may see, the caller's own first. Several users may have a learning of one id. */
  find(caller: Principal, learningId: string, userId?: string): Promise<readonly StoredLearning[]>;
  /** Stores a learning. False: its place is taken. */
  create(learning: NewLearning): Promise<boolean>;
  /** False: the learning does not exist any more. */
  update(place: LearningPlace, changes: LearningChanges): Promise<boolean>;
  /** False: the learning does not exist any more. */
  remove(place: LearningPlace): Promise<boolean>;
  /** Removes some of a user's learnings, of one type or of all, and returns how many: repeat it until it returns 0. */
  removeSome(userId: string, type: string | undefined): Promise<number>;
  /** The learnings that a run needs for its instructions, the newest first within each part. */
  forRun(wanted: RunLearnings): Promise<readonly StoredLearning[]>;
  /**
   * Creates or changes a learning in one transaction. `make` receives the current content, and returns the new one; undefined changes nothing.
   * Returns whether something was stored.
   */
  put(
    learning: Omit<NewLearning, "content">,
    make: (content: string | undefined) => string | undefined,
  ): Promise<boolean>;
}
