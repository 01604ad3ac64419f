/** Memories: facts about a user that outlive a session. */
import { hash } from "node:crypto";

/**
 * Who made a memory: a request to the interface, a model after a run (`extraction`), a tool call in a run (`tool`), or a merge of several memories
 * (`optimization`).
 */
export const memoryOrigins = ["request", "extraction", "tool", "optimization"] as const;

export type MemoryOrigin = (typeof memoryOrigins)[number];

/** The run and session in which a memory was learned, and the component that learned it. Null where it is not known. */
export interface MemorySource {
  readonly origin: MemoryOrigin;
  readonly agentId: string | null;
  readonly teamId: string | null;
  readonly runId: string | null;
  readonly sessionId: string | null;
}

/** A stored memory. */
export interface Memory extends MemorySource {
  readonly id: string;
  readonly userId: string;
  readonly memory: string;
  readonly topics: readonly string[];
  /** Rises with every change. */
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The source of a memory that belongs to no run. */
export const noSource: Omit<MemorySource, "origin"> = { agentId: null, teamId: null, runId: null, sessionId: null };

/** User of the memories of runs without a user, on a server without authorization. */
export const defaultMemoryUser = "default";

/** Max memories of one user. */
export const maxMemoriesPerUser = 1_000;

/** Max characters of a memory. */
export const maxMemoryLength = 5_000;

/** Max topics of a memory, and max characters of a topic. */
export const maxTopics = 20;
export const maxTopicLength = 100;

/** The kind of the jobs that extract memories from completed runs. The id of a job is the id of its run. */
export const memoryJob = "memory";

/** The lane of the jobs of a user: they execute one at a time, so that each sees the memories of the one before. A digest, because jobs name no user. */
export function memoryLane(userId: string): string {
  return hash("sha256", userId, "base64url").slice(0, 22);
}
