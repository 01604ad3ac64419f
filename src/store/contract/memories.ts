/** Stored memories of users. Times are milliseconds since the epoch, by the database's clock. */
import type { Memory, MemorySource } from "../../model/memory.ts";
import type { Principal } from "../../model/principal.ts";
import type { ClaimedJob, JobEnd } from "./jobs.ts";
import type { BackgroundUsage } from "./usage-days.ts";

export type { Memory, MemorySource } from "../../model/memory.ts";

/** A memory to be added. */
export interface NewMemory extends MemorySource {
  /** Unique; an `add` with the id of a stored memory changes nothing, so that it can be repeated. */
  readonly id: string;
  readonly memory: string;
  readonly topics: readonly string[];
}

/** A change of the memories of one user. Memories of other users are never changed. */
export type MemoryChange =
  | ({ readonly kind: "add" } & NewMemory)
  | {
      readonly kind: "update";
      readonly id: string;
      readonly memory?: string | undefined;
      readonly topics?: readonly string[] | undefined;
      /** Replaces the source of the memory. Default: the source stays. */
      readonly source?: MemorySource | undefined;
    }
  | { readonly kind: "delete"; readonly id: string };

/** The result of changes. */
export interface ChangedMemories {
  /** The memories that were updated or added, each once. */
  readonly memories: readonly Memory[];
  readonly deleted: number;
  /** Number of memories that were not added because the user has the maximum. */
  readonly rejected: number;
}

/** The result of an extraction. */
export interface ExtractedMemories {
  readonly userId: string;
  readonly changes: readonly MemoryChange[];
  readonly usage: readonly BackgroundUsage[];
}

/** A position in the order of a listing. */
export interface MemoryPosition {
  /** The time that the listing sorts by. */
  readonly at: number;
  readonly key: number;
}

/** Filters, order and page of a listing. A memory must satisfy every filter. */
export interface MemoryQuery {
  readonly userId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly teamId?: string | undefined;
  /** It has all these topics. */
  readonly topics?: readonly string[] | undefined;
  /** It contains this text; case is ignored. */
  readonly text?: string | undefined;
  readonly sortBy: "createdAt" | "updatedAt";
  readonly descending: boolean;
  readonly limit: number;
  readonly offset: number;
  /** Begins after this position; `offset` is then ignored. */
  readonly after?: MemoryPosition | undefined;
}

/** A page of memories. */
export interface MemoryPage {
  readonly memories: readonly Memory[];
  /** Number of all that fit, up to 10,000. */
  readonly total: number;
  /** Where the next page begins; undefined at the end. */
  readonly next: MemoryPosition | undefined;
}

/** The memories of a user, counted. */
export interface MemoryUser {
  readonly userId: string;
  readonly memories: number;
  readonly updatedAt: number;
}

/** The memories of a database. Reads for a caller return only memories of the caller's user if callers are isolated. */
export interface MemoryStore {
  /**
   * A page of memories. The texts are encrypted, so filters other than `userId` are applied to at most 10,000 memories: the first ones in the order of the
   * listing.
   */
  list(caller: Principal, query: MemoryQuery): Promise<MemoryPage>;
  find(caller: Principal, id: string): Promise<Memory | undefined>;
  /** All topics of the latest 10,000 memories, the latest first. */
  topics(caller: Principal, userId?: string): Promise<readonly string[]>;
  /** Users with memories, the latest change first. */
  users(
    caller: Principal,
    query: { readonly userId?: string | undefined; readonly limit: number; readonly offset: number },
  ): Promise<{ readonly users: readonly MemoryUser[]; readonly total: number }>;
  /** Deletes memories that the caller may see; with a user, only memories of that user. Returns their number. */
  remove(caller: Principal, ids: readonly string[], userId?: string): Promise<number>;

  /** The latest memories of a user, as many as fit into `maxBytes`. For the server itself: the user must be the user of the run or request. */
  latest(userId: string, limit: number, maxBytes: number): Promise<readonly Memory[]>;
  /**
   * Changes the memories of one user in one transaction.
   * @param given.expected ids and revisions that memories of the user must have; if one differs, nothing changes and the result is undefined
   * @param given.usage usage of the model requests that proposed the changes; it is stored in any case
   */
  change(
    userId: string,
    changes: readonly MemoryChange[],
    given?: {
      readonly expected?: readonly Pick<Memory, "id" | "revision">[];
      readonly usage?: BackgroundUsage | undefined;
    },
  ): Promise<ChangedMemories | undefined>;
  /** Ends a job and stores its result, in one transaction. Returns false, and stores nothing, when another claim holds the job, or it is gone. */
  finish(job: ClaimedJob, end: JobEnd, result?: ExtractedMemories): Promise<boolean>;
}
