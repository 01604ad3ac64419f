/** Dependencies that the parts of the engine share. */
import type { PlatformLimits } from "../define/options/limits.ts";
import type { Registry } from "../define/registry.ts";
import type { Journal } from "../events/journal.ts";
import type { KnowledgeSearch } from "../knowledge/search.ts";
import type { Role } from "../model/role.ts";
import type { Runtime } from "../model/runtime.ts";
import type { Settings } from "../model/settings.ts";
import type { Tracing } from "../model/trace/propagation.ts";
import type { Webhook } from "../model/webhook.ts";
import type { LearningStore } from "../store/contract/learnings.ts";
import type { MemoryStore } from "../store/contract/memories.ts";
import type { ResponseStore } from "../store/contract/responses.ts";
import type { Signals } from "../store/contract/signals.ts";
import type { Store } from "../store/contract/store.ts";
import type { Components } from "./components.ts";
import type { Connections } from "./connections/connections.ts";
import type { ToolServers } from "./mcp/tool-servers.ts";
import type { PriceBook } from "./model-call/prices.ts";
import type { Lease } from "./process/lease.ts";
import type { RunMemory } from "./process/run-memory.ts";
import type { AnsweredRuns } from "./run/answered-runs.ts";

/** Memories about users. */
export interface EngineMemories {
  readonly store: Pick<MemoryStore, "latest" | "change">;
  /** Called when a flush has stored a job, so that memories are extracted at once. */
  readonly wake: () => void;
}

/** The webhooks of the platform. */
export interface EngineWebhooks {
  readonly platform: readonly Webhook[];
  /** Called when a flush has stored deliveries, so that they are sent at once. */
  readonly wake: () => void;
}

export interface EngineParts {
  readonly store: Store;
  readonly signals: Signals;
  readonly journal: Journal;
  readonly lease: Lease;
  readonly memory: RunMemory;
  readonly answered: AnsweredRuns;
  readonly registry: Registry;
  readonly components: Components;
  readonly toolServers: ToolServers;
  readonly learnings: Pick<LearningStore, "forRun" | "put">;
  /** Undefined on a platform without connections. */
  readonly connections?: Connections | undefined;
  /** The limits of the platform and its users. */
  readonly limits: PlatformLimits | undefined;
  readonly prices: PriceBook;
  /** Stored answers of models. */
  readonly responses?: ResponseStore | undefined;
  readonly runtime: Runtime;
  readonly settings: Settings;
  /** Undefined: calls to other servers carry no trace context. */
  readonly tracing?: Tracing | undefined;
  /** Undefined: no webhook receives anything. */
  readonly webhooks?: EngineWebhooks | undefined;
  readonly memories: EngineMemories;
  readonly searchKnowledge: KnowledgeSearch;
  /** Records what completed runs cite. */
  readonly wakeCitations: () => void;
  /** The role of this process: which part of the platform's work it does. */
  readonly role: Role;
  /** This process's id: the owner of the runs that it executes. */
  readonly processId: string;
}
