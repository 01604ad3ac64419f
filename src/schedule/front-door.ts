/** The platform's own interface, as schedules use it: the door that every client goes through, without a socket. */
import type { Demand } from "../auth/access.ts";
import type { Principal } from "../model/principal.ts";
import type { ScheduleMethod, SchedulePlan } from "../model/schedule/schedule.ts";

/** A route that serves an endpoint. */
export interface FoundRoute {
  readonly demand: Demand;
  /** The component that it is about. */
  readonly id: string | undefined;
  /** Whether calling it starts a run. */
  readonly isStart: boolean;
  /** Refuses what no call would change: a component that is not hosted, a payload that starts no run. @throws TroupeError `validation` */
  check(payload: SchedulePlan["payload"]): void;
}

/** A call in somebody's name. */
export interface InsideCall {
  readonly caller: Principal;
  readonly method: ScheduleMethod;
  readonly endpoint: string;
  readonly payload: Readonly<Record<string, unknown>> | null;
  /** For a start: the id that its run has. */
  readonly runId: string | undefined;
  /** For everything else. */
  readonly idempotencyKey: string;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** What it was answered. */
export interface InsideAnswer {
  readonly status: number;
  readonly text: string;
}

/** The door. */
export interface FrontDoor {
  /** The route of an endpoint; undefined for a path that is not of this platform. */
  find(method: ScheduleMethod, endpoint: string): FoundRoute | undefined;
  call(call: InsideCall): Promise<InsideAnswer>;
}
