/** Stored sessions. JSON columns are texts, as everywhere in the store. */
import type { Principal } from "../../model/principal.ts";
import type { ComponentKind, WireRunStatus } from "../../model/run/run.ts";

/** A session as it is read. */
export interface SessionRow {
  readonly key: number;
  readonly sessionId: string;
  readonly owner: string;
  readonly kind: ComponentKind;
  /** Empty for a session that was created without a component. */
  readonly componentId: string;
  readonly userId: string | null;
  /** Set by a user; null until then. */
  readonly name: string | null;
  /** Derived from the input of its first run; null before that run. */
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

/** The summary of a session, with what it contains. */
export interface SummaryRow {
  readonly key: number;
  /** JSON text; null for none. */
  readonly summary: string | null;
  /** Position of the last run that it contains; null if no run made it. */
  readonly seq: number | null;
  /** The component whose runs it contains, as `agent/id`. */
  readonly by: string | null;
  /** Rises with each change of the summary. */
  readonly version: number;
  /** The session's own component. */
  readonly kind: ComponentKind;
  readonly componentId: string;
}

/** A session that is created without a run. */
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

/** Changes to a session; undefined fields keep their values. */
export interface SessionChanges {
  readonly name?: string | undefined;
  readonly state?: string | undefined;
  readonly metadata?: string | undefined;
  readonly summary?: string | undefined;
}

/** Filters and page of a session listing. */
export interface SessionQuery {
  readonly kind?: ComponentKind | undefined;
  readonly componentId?: string | undefined;
  readonly userId?: string | undefined;
  /** Substring of the session's name, or of its title when it has no name; ASCII letters match case-insensitively. */
  readonly name?: string | undefined;
  readonly sortBy: "createdAt" | "updatedAt";
  readonly descending: boolean;
  readonly limit: number;
  readonly offset: number;
  /** Max bytes of states, metadata and summaries on the page. */
  readonly maxBytes: number;
}

/** A session on a page. Its JSON texts are all null when they do not fit the page. */
export type ListedSession = Omit<SessionRow, "state"> & { readonly state: string | null };

/** A page of sessions. */
export interface SessionPage {
  readonly rows: readonly ListedSession[];
  /** Total over all pages. It stops at the counting limit: the real total may then be higher. */
  readonly total: number;
}

/** Filters and page for the runs of a session. */
export interface SessionRunQuery {
  readonly sessionKey: number;
  /** Only runs in one of these states; see `RunQuery`. */
  readonly statuses?: readonly WireRunStatus[] | undefined;
  /** Bounds of the creation time in milliseconds, both exclusive. */
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
  readonly limit: number;
  /** The last run of the previous page. */
  readonly after?: { readonly sessionSeq: number } | undefined;
  readonly descending?: boolean | undefined;
}

/** A run of a session being copied. */
export interface CopiedRun {
  /** Key of the original run, which has ended. */
  readonly from: number;
  /** Key and id of the copy. */
  readonly key: number;
  readonly runId: string;
  /** JSON texts of the copy. */
  readonly options: string;
  readonly output: string | null;
}

/** A session to create as a copy of another one. */
export interface SessionCopy {
  readonly from: number;
  readonly sessionId: string;
  /** Namespace and user of the copy. Its runs keep their original users. */
  readonly owner: string;
  readonly userId: string | null;
  /** Root runs and their members, each after its parent. */
  readonly runs: readonly CopiedRun[];
  readonly at: number;
}

/** Reads and changes sessions independently of runs. */
export interface SessionStore {
  /** Finds a session by its wire id, if the caller may see it. */
  findSession(caller: Principal, sessionId: string): Promise<SessionRow | undefined>;
  /** Reads the summary of a session; undefined for an unknown session. */
  sessionSummary(key: number): Promise<SummaryRow | undefined>;
  /** Lists the sessions that the caller may see. */
  listSessions(caller: Principal, query: SessionQuery): Promise<SessionPage>;
  /** Creates a session. Returns false when the owner already has a session with that id. */
  createSession(creation: SessionCreation): Promise<boolean>;
  /** Changes a session. Returns false when it is gone. `at` is the time of the change. */
  updateSession(key: number, changes: SessionChanges, at: number): Promise<boolean>;
  /**
   * Copies a session within its namespace, in one transaction. Returns the copy's key, `taken` if a session with the new id exists, or `gone` if the
   * original does not. Events are not copied.
   * @throws TroupeError `conflict` if one of the runs was deleted: a copy is whole, or there is none
   */
  copySession(copy: SessionCopy): Promise<number | "taken" | "gone">;
  /** Keys of a session's root runs; with `unfinished`, only those that have not ended. */
  sessionRunKeys(sessionKey: number, unfinished?: boolean): Promise<readonly number[]>;
}
