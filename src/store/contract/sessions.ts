/** What a store knows of sessions. JSON columns are texts, as everywhere in the store. */
import type { Principal } from "../../model/principal.ts";
import type { ComponentKind, WireRunStatus } from "../../model/run.ts";

/** A session as it is read. */
export interface SessionRow {
  readonly key: number;
  readonly sessionId: string;
  readonly owner: string;
  readonly kind: ComponentKind;
  /** Empty for a session that was made for no component in particular. */
  readonly componentId: string;
  readonly userId: string | null;
  /** As somebody called it; null where nobody has. */
  readonly name: string | null;
  /** What its first run was asked; null before that. */
  readonly title: string | null;
  /** JSON text. */
  readonly state: string;
  readonly metadata: string | null;
  readonly summary: string | null;
  /** JSON text of `ModelUsage[]`: the tokens of its finished runs. */
  readonly usage: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A session that is made without a run. */
export interface SessionCreation {
  readonly sessionId: string;
  readonly owner: string;
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly userId: string | null;
  readonly name: string | null;
  readonly state: string;
  readonly metadata: string | null;
  readonly createdAt: number;
}

/** What is changed of a session; what is undefined stays. */
export interface SessionChanges {
  readonly name?: string | undefined;
  readonly state?: string | undefined;
  readonly metadata?: string | undefined;
  readonly summary?: string | undefined;
}

/** Which sessions. */
export interface SessionQuery {
  readonly kind?: ComponentKind | undefined;
  readonly componentId?: string | undefined;
  readonly userId?: string | undefined;
  /** A part of its name, or of its title where it has no name; upper and lower case of ASCII letters are the same. */
  readonly name?: string | undefined;
  readonly sortBy: "createdAt" | "updatedAt";
  readonly descending: boolean;
  readonly limit: number;
  readonly offset: number;
  /** Bytes of states, metadata and summaries that the page has at most. */
  readonly maxBytes: number;
}

/** A session of a page. Its JSON texts are all null where they did not fit into the page. */
export type ListedSession = Omit<SessionRow, "state"> & { readonly state: string | null };

/** A page of sessions. */
export interface SessionPage {
  readonly rows: readonly ListedSession[];
  /** Of all pages together; of more than are counted, at least so many. */
  readonly total: number;
}

/** Which runs of a session. */
export interface SessionRunQuery {
  readonly sessionKey: number;
  /** Only runs in one of these states; see `RunQuery`. */
  readonly statuses?: readonly WireRunStatus[] | undefined;
  /** Times of creation, in milliseconds: neither is included. */
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
  readonly limit: number;
  /** The last run of the page before. */
  readonly after?: { readonly sessionSeq: number } | undefined;
  readonly descending?: boolean | undefined;
}

/** A run of a session that is copied. */
export interface CopiedRun {
  /** Key of the run, which is over. */
  readonly from: number;
  /** Key and id of the copy. */
  readonly key: number;
  readonly runId: string;
  /** JSON texts of the copy. */
  readonly options: string;
  readonly output: string | null;
}

/** A session that begins as a copy of another one. */
export interface SessionCopy {
  readonly from: number;
  readonly sessionId: string;
  /** Name space and user of the copy. Its runs keep the users that they had. */
  readonly owner: string;
  readonly userId: string | null;
  /** Root runs and their members, each after the one that it is under. */
  readonly runs: readonly CopiedRun[];
  readonly at: number;
}

/** Sessions as they are read and changed beside runs. */
export interface SessionStore {
  /** A session by its wire id, if the caller may see it. */
  findSession(caller: Principal, sessionId: string): Promise<SessionRow | undefined>;
  /** Sessions that the caller may see. */
  listSessions(caller: Principal, query: SessionQuery): Promise<SessionPage>;
  /** Makes a session; false where its owner has one of that id. */
  createSession(creation: SessionCreation): Promise<boolean>;
  /** Changes a session; false when it is gone. `at` is the time of the change. */
  updateSession(key: number, changes: SessionChanges, at: number): Promise<boolean>;
  /**
   * Copies a session within its name space, in one transaction; the copy's key, or why there is none: one of that id is `taken`, or the session
   * itself is `gone`. Events are not copied.
   */
  copySession(copy: SessionCopy): Promise<number | "taken" | "gone">;
  /** Keys of a session's root runs; only of those that are not over when asked. */
  sessionRunKeys(sessionKey: number, unfinished?: boolean): Promise<readonly number[]>;
}
