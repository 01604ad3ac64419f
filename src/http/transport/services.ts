import type { Platform } from "../../define/platform.ts";
import type { Registry } from "../../define/registry.ts";
import type { Engine } from "../../engine/contract.ts";
import type { RunLogs } from "../../events/run-logs.ts";
import type { PushService } from "../../model/push.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { ScheduleService } from "../../model/schedule/service.ts";
import type { ServiceAccountStore } from "../../model/service-account.ts";
import type { Runs } from "../../runs/runs.ts";
import type { ApprovalStore } from "../../store/contract/approvals.ts";
import type { Store } from "../../store/contract/store.ts";
import type { TaskStore } from "../../store/contract/tasks.ts";
import type { OneTimeTokens } from "../internal/one-time-tokens.ts";
import type { Gate } from "./guard.ts";

/** The services that the HTTP interface uses. */
export interface Services {
  readonly platform: Platform;
  readonly registry: Registry;
  /** The service layer. */
  readonly runs: Runs;
  readonly engine: Engine;
  readonly logs: RunLogs;
  readonly store: Store;
  readonly runtime: Runtime;
  /** Whether the server runs without authorization on loopback only: then requests must use a loopback host name. */
  readonly isLocalOnly: boolean;
  /** Authenticates and authorizes callers. */
  readonly gate: Gate;
  readonly accounts: ServiceAccountStore;
  readonly tasks: TaskStore;
  /** Undefined on a platform without push notifications. */
  readonly pushes: PushService | undefined;
  readonly approvals: ApprovalStore;
  /** Undefined on a platform without schedules. */
  readonly schedules: ScheduleService | undefined;
  /** One-time tokens for calls that this process makes to itself. */
  readonly oneTimeTokens: OneTimeTokens;
}
