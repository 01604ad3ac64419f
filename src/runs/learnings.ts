/** Learnings: who may read and change them, and their identity. */
import { TroupeError } from "../errors.ts";
import { isIdentityKeyed, learningIdOf } from "../model/learning.ts";
import { type Principal, visibleOwner, visibleSession } from "../model/principal.ts";
import type {
  LearningChanges,
  LearningPage,
  LearningQuery,
  LearningUser,
  LearningUserQuery,
  ListedLearning,
  StoredLearning,
} from "../store/contract/learnings.ts";
import type { RunParts } from "./parts.ts";

export type {
  LearningChanges,
  LearningPosition,
  LearningQuery,
  LearningUser,
  LearningUserQuery,
  ListedLearning,
  StoredLearning,
} from "../store/contract/learnings.ts";

/** A learning that a caller creates. */
export interface GivenLearning {
  readonly type: string;
  readonly content: Readonly<Record<string, unknown>>;
  readonly namespace: string | undefined;
  readonly userId: string | undefined;
  readonly agentId: string | undefined;
  readonly teamId: string | undefined;
  readonly sessionId: string | undefined;
  readonly entityId: string | undefined;
  readonly entityType: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
}

/** Calls about learnings. */
export interface LearningCalls {
  /** A page of learnings. @throws TroupeError `forbidden` for another user's, if users are isolated */
  list(caller: Principal, query: Omit<LearningQuery, "maxBytes">): Promise<LearningPage<ListedLearning>>;
  /** A page of the users with learnings. @throws TroupeError `forbidden` */
  users(caller: Principal, query: LearningUserQuery): Promise<LearningPage<LearningUser>>;
  /** @throws TroupeError `notFound`, `conflict` if several users have a learning of this id and the caller names none of them */
  find(caller: Principal, learningId: string, userId?: string): Promise<StoredLearning>;
  /** @throws TroupeError `forbidden`, `validation` without a member of its identity, `conflict` if it exists */
  create(caller: Principal, given: GivenLearning): Promise<StoredLearning>;
  /** @throws TroupeError `notFound`, `forbidden` for a learning without a user, if users are isolated */
  change(caller: Principal, learningId: string, changes: LearningChanges, userId?: string): Promise<StoredLearning>;
  /** @throws TroupeError as `change` */
  delete(caller: Principal, learningId: string, userId?: string): Promise<void>;
  /** Deletes the learnings of a user, of one type or of all. @throws TroupeError `forbidden` */
  deleteUser(caller: Principal, userId: string, type: string | undefined): Promise<void>;
}

/** Binds the calls to their parts. */
export function learningCalls({
  learnings,
  platform,
  runtime,
}: Pick<RunParts, "learnings" | "platform" | "runtime">): LearningCalls {
  /** The user whose learnings a caller asks for. @throws TroupeError `forbidden` */
  const ownOnly = (caller: Principal, userId: string | undefined, action: string): void => {
    const owner = visibleOwner(caller);
    if (owner !== null && userId !== undefined && userId !== owner)
      throw new TroupeError("forbidden", `Cannot ${action} for another user`);
  };

  const find = async (caller: Principal, learningId: string, userId?: string): Promise<StoredLearning> => {
    const found = await learnings.find(caller, learningId, userId);
    const [first] = found;
    if (!first) throw new TroupeError("notFound", "Learning not found");
    if (found.length > 1 && visibleOwner(caller) === null)
      throw new TroupeError("conflict", "Several users have a learning of this id: specify user_id.");
    return first;
  };

  /** @throws TroupeError `notFound`, `forbidden` */
  const findOwn = async (caller: Principal, learningId: string, userId?: string): Promise<StoredLearning> => {
    const found = await find(caller, learningId, userId);
    if (found.owner === "" && visibleOwner(caller) !== null)
      throw new TroupeError("forbidden", "Only admins can modify learnings that have no owner (user_id is null)");
    return found;
  };

  return {
    async list(caller, query) {
      ownOnly(caller, query.userId, "list learnings");
      return await learnings.list(caller, { ...query, maxBytes: platform.settings.maxListingBytes });
    },

    async users(caller, query) {
      ownOnly(caller, query.userId, "list learning users");
      const owner = visibleOwner(caller);
      return await learnings.users(caller, owner === null ? query : { ...query, userId: owner });
    },

    find,

    async create(caller, given) {
      ownOnly(caller, given.userId, "create learnings");
      const { type, namespace, agentId, teamId, entityId, entityType, content, metadata } = given;
      // A learning without a user reaches the instructions of all users: an isolated caller cannot create one.
      const userId = given.userId ?? visibleOwner(caller) ?? undefined;
      const sessionId = visibleSession(caller) ?? given.sessionId;
      const composed = learningIdOf({ type, userId, sessionId, entityId, entityType, namespace });
      if (composed === undefined && isIdentityKeyed(type)) throw new TroupeError("validation", missingIdentity(type));
      const learningId = composed ?? runtime.randomness.uuid();
      const exists = new TroupeError(
        "conflict",
        `A '${type}' learning already exists for this identity (id '${learningId}'). Use PATCH /learnings/${learningId} to update it.`,
      );
      const owner = userId ?? "";
      const found = await learnings.find(caller, learningId);
      if (found.some((one) => visibleOwner(caller) === null || one.owner === owner)) throw exists;
      const isNew = await learnings.create({
        ...{ learningId, owner, type, namespace: namespace ?? null, agentId: agentId ?? null, teamId: teamId ?? null },
        ...{ sessionId: sessionId ?? null, entityId: entityId ?? null, entityType: entityType ?? null },
        content: JSON.stringify(content),
        metadata: metadata === undefined ? null : JSON.stringify(metadata),
      });
      if (!isNew) throw exists;
      return await find(caller, learningId, userId);
    },

    async change(caller, learningId, changes, userId) {
      const found = await findOwn(caller, learningId, userId);
      if (changes.content === undefined && changes.metadata === undefined) return found;
      if (!(await learnings.update(found, changes))) throw new TroupeError("notFound", "Learning not found");
      return await find(caller, learningId, found.owner || userId);
    },

    async delete(caller, learningId, userId) {
      const found = await findOwn(caller, learningId, userId);
      if (!(await learnings.remove(found))) throw new TroupeError("notFound", "Learning not found");
    },

    async deleteUser(caller, userId, type) {
      ownOnly(caller, userId, "delete learnings");
      if (visibleSession(caller) !== null)
        throw new TroupeError(
          "forbidden",
          "The credential is for one session: it cannot delete the learnings of a user.",
        );
      while ((await learnings.removeSome(userId, type)) > 0);
    },
  };
}

function missingIdentity(type: string): string {
  return (
    `learning_type '${type}' is keyed by its identity fields; provide the required field(s) (user_id, session_id, ` +
    "or entity_id + entity_type) so the record reconciles with the agent's store."
  );
}
