/** Permissions for actions on runs. Every interface checks them here, whatever its protocol calls the action. */
import type { GuardedRoute } from "../auth/access-control.ts";
import { TroupeError } from "../errors.ts";
import type { Principal } from "../model/principal.ts";
import type { ComponentKind } from "../model/run/run.ts";
import type { StandingGrant } from "../model/schedule/schedule.ts";
import type { RunParts } from "./parts.ts";

/** An action of a caller on the runs of a component. `follow` reads the events of a run, `read` the run itself. */
export type RunAction = "start" | "list" | "read" | "follow" | "continue" | "steer" | "cancel" | "delete";

/** The HTTP route that corresponds to each action, below `/{kind}s/{kind_id}/runs`, and the scope that it requires by default. */
const actions = {
  start: { method: "POST", below: "", action: "run" },
  list: { method: "GET", below: "", action: "read" },
  read: { method: "GET", below: "/{run_id}", action: "read" },
  follow: { method: "POST", below: "/{run_id}/resume", action: "run" },
  continue: { method: "POST", below: "/{run_id}/continue", action: "run" },
  steer: { method: "POST", below: "/{run_id}/messages", action: "run" },
  cancel: { method: "POST", below: "/{run_id}/cancel", action: "run" },
  delete: { method: "DELETE", below: "/{run_id}", action: "delete" },
} as const;

/** Returns the HTTP route that corresponds to an action: the operator's scope mappings name routes, and apply to every interface. */
export function routeOf(action: RunAction, kind: ComponentKind): GuardedRoute {
  const { below, ...route } = actions[action];
  const resource = `${kind}s`;
  return { ...route, path: `/${resource}/{${kind}_id}/runs${below}`, resource };
}

/** Reads of other data: the components of the platform, sessions, and the runs of a session. */
export type ReadAction = "config" | "sessions" | "sessionRuns";

/** The HTTP route that corresponds to each of these actions. */
const reads: Readonly<Record<ReadAction, GuardedRoute>> = {
  config: { method: "GET", path: "/config", resource: "config", action: "read" },
  sessions: { method: "GET", path: "/sessions", resource: "sessions", action: "read" },
  sessionRuns: { method: "GET", path: "/sessions/{session_id}/runs", resource: "sessions", action: "read" },
};

/** Returns the HTTP route that corresponds to a read. */
export function routeOfRead(read: ReadAction): GuardedRoute {
  return reads[read];
}

/** Checks that a caller may read something. @throws TroupeError `forbidden` */
export function authorizeRead({ gate }: Pick<RunParts, "gate">, caller: Principal, read: ReadAction): void {
  gate.check(caller, gate.requiredScopesOf(reads[read]));
}

/**
 * Checks that a caller may perform an action on the runs of a component; without a `componentId`, on those of every component of the kind. Call it
 * before the run is looked up: a caller without the permission must not learn which runs exist.
 *
 * @throws TroupeError `forbidden`
 */
export function authorize(
  { gate }: Pick<RunParts, "gate">,
  caller: Principal,
  action: RunAction,
  { kind, componentId }: { readonly kind: ComponentKind; readonly componentId?: string | undefined },
): void {
  gate.check(caller, gate.requiredScopesOf(routeOf(action, kind)), componentId);
}

/** Returns the permission of a caller to start runs of a component later. @throws TroupeError `forbidden` */
export function startGrant(
  { gate }: Pick<RunParts, "gate">,
  caller: Principal,
  { kind, componentId }: { readonly kind: ComponentKind; readonly componentId: string },
): StandingGrant {
  return gate.standingGrant(caller, gate.requiredScopesOf(routeOf("start", kind)), componentId);
}

/** Whether a check passes: it throws `forbidden` for a caller without the permission. */
export function isPermitted(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof TroupeError && error.code === "forbidden") return false;
    throw error;
  }
}
