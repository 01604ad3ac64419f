import type { AccessControl } from "../auth/access-control.ts";
import type { Platform } from "../define/platform.ts";
import type { Registry } from "../define/registry.ts";
import type { Connections } from "../engine/connections/connections.ts";
import type { Engine } from "../engine/contract.ts";
import type { RequestParts } from "../engine/model-call/background-request.ts";
import type { Compactor } from "../events/compactor.ts";
import type { RunLogs } from "../events/run-logs.ts";
import type { UserErasures } from "../events/user-erasure.ts";
import type { KnowledgeBases } from "../knowledge/bases.ts";
import type { PushService } from "../model/push.ts";
import type { Runtime } from "../model/runtime.ts";
import type { WebhookAddresses } from "../model/webhook.ts";
import type { ApprovalStore } from "../store/contract/approvals.ts";
import type { EvalStore } from "../store/contract/evals.ts";
import type { KnowledgeStore } from "../store/contract/knowledge.ts";
import type { LearningStore } from "../store/contract/learnings.ts";
import type { MemoryStore } from "../store/contract/memories.ts";
import type { OverviewStore } from "../store/contract/overview.ts";
import type { RateLimitStore } from "../store/contract/rate-limits.ts";
import type { StandbyReads } from "../store/contract/standby.ts";
import type { Store } from "../store/contract/store.ts";
import type { TaskStore } from "../store/contract/tasks.ts";
import type { TraceStore } from "../store/contract/traces.ts";
import type { TrialStores } from "../store/contract/trials.ts";
import type { UsageDayStore } from "../store/contract/usage-days.ts";
import type { WebhookStore } from "../store/contract/webhooks.ts";
import type { VersionParts } from "./components/versions.ts";

/** Dependencies of the service layer. */
export interface RunParts {
  readonly platform: Pick<Platform, "settings" | "databaseId" | "limits" | "scorers">;
  readonly registry: Registry;
  readonly engine: Engine;
  readonly logs: RunLogs;
  readonly compactor: Pick<Compactor, "compactOldest">;
  readonly store: Store;
  readonly tasks: TaskStore;
  readonly approvals: ApprovalStore;
  readonly rates: RateLimitStore;
  readonly traces: TraceStore;
  readonly usageDays: UsageDayStore;
  readonly overview: OverviewStore;
  readonly learnings: LearningStore;
  /** Undefined without a standby. */
  readonly reads?: StandbyReads | undefined;
  readonly erasures: Pick<UserErasures, "erase">;
  /** Undefined on a platform without push notifications. */
  readonly pushes: PushService | undefined;
  readonly webhooks: {
    readonly store: WebhookStore;
    /** Which addresses the webhooks of runs may have; false if runs have none. */
    readonly addresses: WebhookAddresses | false;
    /** Sends what may be due. */
    readonly wake: () => void;
  };
  /** Undefined on a platform without connections. */
  readonly connections?: Connections | undefined;
  readonly memories: { readonly store: MemoryStore; readonly requests: RequestParts };
  readonly knowledge: {
    readonly store: KnowledgeStore;
    readonly bases: KnowledgeBases;
    /** Ingests what may be due. */
    readonly wake: () => void;
  };
  readonly trials: TrialStores & {
    /** Executes experiments that may be due. */
    readonly wake: () => void;
  };
  readonly evals: {
    readonly store: EvalStore;
    /** Executes what may be due. */
    readonly wake: () => void;
  };
  readonly versions: VersionParts;
  readonly gate: Pick<AccessControl, "mode" | "check" | "requiredScopesOf" | "standingGrant">;
  readonly runtime: Runtime;
}
