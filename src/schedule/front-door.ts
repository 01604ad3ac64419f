/** Internal dispatch: schedules call the platform's own HTTP interface like any client, but without a socket. */
import type { RequiredScopes } from "../auth/access-control.ts";
import type { Principal } from "../model/principal.ts";
import type { ScheduleMethod, SchedulePlan } from "../model/schedule/schedule.ts";

/** A route that serves an endpoint. */
export interface FoundRoute {
  readonly demand: RequiredScopes;
  /** Id of the component that the call is about. */
  readonly id: string | undefined;
  /** Whether a call starts a run. */
  readonly isStart: boolean;
  /**
   * Rejects a call that could never succeed: a component that is not hosted, or a payload that cannot start a run. @throws TroupeError
   * `validation`
   */
  check(payload: SchedulePlan["payload"]): void;
}

/** An internal call on behalf of a principal. */
export interface InsideCall {
  readonly caller: Principal;
  readonly method: ScheduleMethod;
  readonly endpoint: string;
  readonly payload: Readonly<Record<string, unknown>> | null;
  /** For a start: the id for its run. */
  readonly runId: string | undefined;
  /** For all other calls. */
  readonly idempotencyKey: string;
  /** Aborts when the response is no longer needed. */
  readonly signal: AbortSignal;
}

/** The response to an internal call. */
export interface InsideAnswer {
  readonly status: number;
  readonly text: string;
}

/** Internal dispatch for schedules. */
export interface FrontDoor {
  /** Returns the route of an endpoint; undefined for a path that this platform does not serve. */
  find(method: ScheduleMethod, endpoint: string): FoundRoute | undefined;
  call(call: InsideCall): Promise<InsideAnswer>;
}
