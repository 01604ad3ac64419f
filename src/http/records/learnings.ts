/** Learnings in their wire form. */
import { z } from "zod";
import type { LearningUser, ListedLearning } from "../../runs/learnings.ts";
import { named } from "../input/named-schemas.ts";
import { parseStored } from "../transport/json-pieces.ts";
import { pageInfo } from "./pages.ts";

const id = z.string().nullish();
const object = z.record(z.string(), z.unknown()).nullish();

const learning = z.object({
  learning_id: z.string(),
  learning_type: z.string(),
  namespace: id,
  user_id: id,
  agent_id: id,
  team_id: id,
  session_id: id,
  entity_id: id,
  entity_type: id,
  content: object,
  metadata: object,
  created_at: z.int().nullish(),
  updated_at: z.int().nullish(),
});

const user = z.object({ user_id: z.string(), last_learning_updated_at: z.int().nullish() });

/** One learning. */
export const learningRecord: z.ZodType = named("LearningResponse", learning);

const userRecord = named("LearningUserStats", user);

/** Pages of learnings, and of users. */
export const learningPages: Readonly<Record<"learnings" | "users", z.ZodType>> = {
  learnings: named("PaginatedResponse_LearningResponse_", z.object({ data: z.array(learningRecord), meta: pageInfo })),
  users: named("PaginatedResponse_LearningUserStats_", z.object({ data: z.array(userRecord), meta: pageInfo })),
};

type JsonObject = Record<string, unknown>;

export function toLearningRecord(one: ListedLearning): Record<string, unknown> {
  return {
    learning_id: one.learningId,
    learning_type: one.type,
    namespace: one.namespace,
    user_id: one.owner === "" ? null : one.owner,
    agent_id: one.agentId,
    team_id: one.teamId,
    session_id: one.sessionId,
    entity_id: one.entityId,
    entity_type: one.entityType,
    content: one.content === null ? null : (parseStored(one.content) as JsonObject),
    metadata: one.metadata === null ? null : (parseStored(one.metadata) as JsonObject),
    created_at: seconds(one.createdAt),
    updated_at: seconds(one.updatedAt),
  } satisfies z.input<typeof learning>;
}

export function toLearningUser({ userId, updatedAt }: LearningUser): Record<string, unknown> {
  return { user_id: userId, last_learning_updated_at: seconds(updatedAt) } satisfies z.input<typeof user>;
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
