/** The platform's own routes, as schedules use them. A route that starts runs is not called: its payload becomes a command of the service layer. */
import type { RequiredScopes } from "../model/authorization.ts";
import type { Principal } from "../model/principal.ts";
import type { ScheduleMethod, SchedulePlan } from "../model/schedule/schedule.ts";
import type { StartCommand } from "../runs/start.ts";

/** A route that serves an endpoint. */
export interface FoundRoute {
  readonly demand: RequiredScopes;
  /** Id of the component that the call concerns. */
  readonly id: string | undefined;
  /** For a route that starts runs: the start that a payload requests. @throws TroupeError `validation` */
  readonly toStart: ((payload: SchedulePlan["payload"]) => StartCommand) | undefined;
  /** For a route that has runs started later, such as an eval: what the start of the runs of a payload requires. */
  startDemand?(payload: SchedulePlan["payload"]): Pick<FoundRoute, "demand" | "id"> | undefined;
  /**
   * Rejects a call that could never succeed: a component that is not hosted, or a payload that cannot start a run. @throws TroupeError
   * `validation`
   */
  check(payload: SchedulePlan["payload"]): void;
}

/** A call to a route that starts no run, on behalf of a principal. */
export interface InternalCall {
  readonly caller: Principal;
  readonly method: ScheduleMethod;
  readonly endpoint: string;
  readonly payload: Readonly<Record<string, unknown>> | null;
  readonly idempotencyKey: string;
  /** Aborts when the response is no longer needed. */
  readonly signal: AbortSignal;
}

/** The response to an internal call. */
export interface InternalResponse {
  readonly status: number;
  readonly text: string;
}

/** The platform's routes, called without a socket. */
export interface InternalRoutes {
  /** Returns the route of an endpoint; undefined for a path that this platform does not serve. */
  find(method: ScheduleMethod, endpoint: string): FoundRoute | undefined;
  call(call: InternalCall): Promise<InternalResponse>;
}
