import type { Platform } from "../../define/platform.ts";
import type { Registry } from "../../define/registry.ts";
import type { Engine } from "../../engine/contract.ts";
import type { RunLogs } from "../../events/followed.ts";
import type { PushService } from "../../model/push.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { ScheduleService } from "../../model/schedule/service.ts";
import type { ServiceAccountStore } from "../../model/service-account.ts";
import type { ApprovalStore } from "../../store/contract/approvals.ts";
import type { Store } from "../../store/contract/store.ts";
import type { TaskStore } from "../../store/contract/tasks.ts";
import type { Tickets } from "../internal/one-time-tokens.ts";
import type { Gate } from "./guard.ts";

/** What the HTTP interface stands on. */
export interface Services {
  readonly platform: Platform;
  readonly registry: Registry;
  readonly engine: Engine;
  readonly logs: RunLogs;
  readonly store: Store;
  readonly runtime: Runtime;
  /** Whether it serves everybody on this machine, and nobody else: then it is called by a name of this machine. */
  readonly isLocalOnly: boolean;
  /** Who is calling, and what callers may do. */
  readonly gate: Gate;
  readonly accounts: ServiceAccountStore;
  readonly tasks: TaskStore;
  /** Undefined on a platform that tells nobody of runs. */
  readonly pushes: PushService | undefined;
  readonly approvals: ApprovalStore;
  /** Undefined on a platform without schedules. */
  readonly schedules: ScheduleService | undefined;
  /** Of calls that this process makes itself. */
  readonly tickets: Tickets;
}
