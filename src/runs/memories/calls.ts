/** Memories of users, for the callers that may see them. */
import { TroupeError } from "../../errors.ts";
import { type Memory, maxMemoriesPerUser, noSource } from "../../model/memory.ts";
import { type Principal, visibleOwner } from "../../model/principal.ts";
import type { MemoryPage, MemoryQuery, MemoryStore, MemoryUser } from "../../store/contract/memories.ts";
import type { RunParts } from "../parts.ts";
import { admit, userOf } from "./callers.ts";
import { type MergeRequest, type MergeResult, mergeMemories } from "./optimize.ts";

export type { Memory } from "../../model/memory.ts";
export type { MemoryPage, MemoryPosition, MemoryQuery, MemoryUser } from "../../store/contract/memories.ts";
export type { MergeRequest, MergeResult } from "./optimize.ts";

/** The text and topics of a memory, as a caller gives them. */
export interface GivenMemory {
  readonly memory: string;
  /** Undefined: a new memory has none, and a changed one keeps its topics. */
  readonly topics: readonly string[] | undefined;
  /** The user that the caller names. */
  readonly userId: string | undefined;
}

/** The calls on memories. Each throws `forbidden` for a credential that is for one session only: memories outlive sessions. */
export interface MemoryCalls {
  list(caller: Principal, query: MemoryQuery): Promise<MemoryPage>;
  /** @param userId the memory must be about this user @throws TroupeError `notFound` */
  find(caller: Principal, id: string, userId: string | undefined): Promise<Memory>;
  /** @throws TroupeError `badRequest` without a user, `forbidden` for a reserved one, `conflict` when the user has the maximum */
  create(caller: Principal, given: GivenMemory): Promise<Memory>;
  /** @throws TroupeError `badRequest` without a user, `notFound` for an unknown memory, or one of another user */
  change(caller: Principal, id: string, given: GivenMemory): Promise<Memory>;
  /** Deletes memories that the caller may see; ignores others. */
  remove(caller: Principal, ids: readonly string[], userId: string | undefined): Promise<void>;
  topics(caller: Principal, userId: string | undefined): Promise<readonly string[]>;
  users(
    caller: Principal,
    query: Parameters<MemoryStore["users"]>[1],
  ): Promise<{ readonly users: readonly MemoryUser[]; readonly total: number }>;
  /** See `mergeMemories`. */
  merge(caller: Principal, request: MergeRequest): Promise<MergeResult>;
}

type Parts = Pick<RunParts, "memories" | "registry" | "runtime">;

/** Makes the calls. */
export function memoryCalls(parts: Parts): MemoryCalls {
  const { runtime } = parts;
  const { store } = parts.memories;
  return {
    async list(caller, query) {
      admit(caller);
      return await store.list(caller, query);
    },

    async find(caller, id, userId) {
      admit(caller);
      const found = await store.find(caller, id);
      const isOthers = visibleOwner(caller) === null && userId !== undefined && found?.userId !== userId;
      if (!found || isOthers) throw new TroupeError("notFound", `Memory with ID ${id} not found`);
      return found;
    },

    async create(caller, { memory, topics = [], userId: claimed }) {
      const userId = userOf(caller, claimed);
      const id = runtime.randomness.uuid();
      const added = await store.change(userId, [{ kind: "add", id, memory, topics, origin: "request", ...noSource }]);
      const [made] = added?.memories ?? [];
      if (!made)
        throw new TroupeError(
          "conflict",
          `The user has ${maxMemoriesPerUser} memories, the maximum. Delete some, or merge them with POST /optimize-memories.`,
        );
      return made;
    },

    async change(caller, id, { memory, topics, userId: claimed }) {
      const userId = userOf(caller, claimed);
      const changed = await store.change(userId, [{ kind: "update", id, memory, topics }]);
      const [made] = changed?.memories ?? [];
      if (!made) throw new TroupeError("notFound", "Memory not found");
      return made;
    },

    async remove(caller, ids, userId) {
      admit(caller);
      await store.remove(caller, ids, userId);
    },

    async topics(caller, userId) {
      admit(caller);
      return await store.topics(caller, userId);
    },

    async users(caller, query) {
      admit(caller);
      return await store.users(caller, query);
    },

    merge: (caller, request) => mergeMemories(parts, caller, request),
  };
}
