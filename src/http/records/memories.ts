/** Memories in their wire form: times are ISO texts. */
import { z } from "zod";
import { memoryOrigins } from "../../model/memory.ts";
import type { Memory, MemoryUser, MergeResult } from "../../runs/memories/calls.ts";
import { named } from "../input/named-schemas.ts";
import { pageInfo } from "./pages.ts";
import { isoSeconds } from "./times.ts";

const source = z.object({
  origin: z
    .enum(memoryOrigins)
    .describe("A tool call in a run, a model after a run, or a merge of memories. A request sends no source."),
  run_id: z.string().nullable(),
  session_id: z.string().nullable(),
  created_at: z.iso.datetime().describe("When the memory got this text: the time of its last change."),
});

const memory = z.object({
  memory_id: z.string(),
  memory: z.string(),
  topics: z.array(z.string()).nullish(),
  agent_id: z.string().nullish(),
  team_id: z.string().nullish(),
  user_id: z.string().nullish(),
  updated_at: z.iso.datetime().nullish(),
  source: source.optional().describe("Where an agent learned it; missing if a request made it."),
});

/** One memory. */
export const memoryRecord: z.ZodType = named("UserMemorySchema", memory);

/** A page of memories. */
export const memoryPage: z.ZodType = named(
  "PaginatedResponse_UserMemorySchema_",
  z.object({ data: z.array(memoryRecord), meta: pageInfo }),
);

const user = z.object({
  user_id: z.string(),
  total_memories: z.int().min(0),
  last_memory_updated_at: z.iso.datetime().nullish(),
});

/** A page of users with memories. */
export const memoryUserPage: z.ZodType = named(
  "PaginatedResponse_UserStatsSchema_",
  z.object({ data: z.array(named("UserStatsSchema", user)), meta: pageInfo }),
);

/** Topics. */
export const topicList: z.ZodType = z.array(z.string());

export function toMemoryRecord(one: Memory): Record<string, unknown> {
  return {
    memory_id: one.id,
    memory: one.memory,
    topics: [...one.topics],
    agent_id: one.agentId,
    team_id: one.teamId,
    user_id: one.userId,
    updated_at: isoSeconds(one.updatedAt),
    ...(one.origin !== "request" && {
      source: {
        origin: one.origin,
        run_id: one.runId,
        session_id: one.sessionId,
        created_at: isoSeconds(one.updatedAt),
      },
    }),
  } satisfies z.input<typeof memory>;
}

export function toUserRecord(one: MemoryUser): Record<string, unknown> {
  return {
    user_id: one.userId,
    total_memories: one.memories,
    last_memory_updated_at: isoSeconds(one.updatedAt),
  } satisfies z.input<typeof user>;
}

const merged = z.object({
  memories: z.array(memoryRecord),
  memories_before: z.int().min(0),
  memories_after: z.int().min(0),
  tokens_before: z.int().min(0),
  tokens_after: z.int().min(0),
  tokens_saved: z.int().min(0),
  reduction_percentage: z.number().min(0).max(100),
});

/** The result of a merge. */
export const mergedMemories: z.ZodType = named("OptimizeMemoriesResponse", merged);

export function toMergeRecord({ memories, before, tokensBefore, tokensAfter }: MergeResult): Record<string, unknown> {
  const saved = Math.max(0, tokensBefore - tokensAfter);
  return {
    memories: memories.map(toMemoryRecord),
    memories_before: before,
    memories_after: memories.length,
    tokens_before: tokensBefore,
    tokens_after: tokensAfter,
    tokens_saved: saved,
    reduction_percentage: tokensBefore === 0 ? 0 : Math.round((saved / tokensBefore) * 10_000) / 100,
  } satisfies z.input<typeof merged>;
}
