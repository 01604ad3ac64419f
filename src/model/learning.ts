/** Learnings: their types, and the ids that follow from their identity. */

/** Types of learnings that agents write. Callers may store others. */
export type LearningType =
  | "user_profile"
  | "user_memory"
  | "session_context"
  | "entity_memory"
  | "learned_knowledge"
  | "decision_log";

/** The namespace of learnings that all users share. */
export const globalNamespace = "global";

/** The namespace of learnings of one user. */
export const userNamespace = "user";

/** The members of a learning that identify it. */
export interface LearningIdentity {
  readonly type: string;
  readonly userId?: string | null | undefined;
  readonly sessionId?: string | null | undefined;
  readonly entityId?: string | null | undefined;
  readonly entityType?: string | null | undefined;
  readonly namespace?: string | null | undefined;
}

const keyed: ReadonlySet<string> = new Set<LearningType>([
  "user_profile",
  "user_memory",
  "session_context",
  "entity_memory",
]);

/** Whether the id of a type's learnings follows from their identity, so that an identity has one learning. */
export function isIdentityKeyed(type: string): boolean {
  return keyed.has(type);
}

/** The id of a learning; undefined if its type has generated ids, or if a member of its identity is missing. */
export function learningIdOf(identity: LearningIdentity): string | undefined {
  const { type, userId, sessionId, entityId, entityType, namespace } = identity;
  if (type === "user_profile") return userId ? `user_profile_${userId}` : undefined;
  if (type === "user_memory") return userId ? `memories_${userId}` : undefined;
  if (type === "session_context") return sessionId ? `session_context_${sessionId}` : undefined;
  if (type !== "entity_memory" || !entityId || !entityType) return undefined;
  const space = namespace || globalNamespace;
  const user = space === userNamespace && userId ? `_${userId}` : "";
  return `entity_${space}${user}_${entityType}_${entityId}`;
}
