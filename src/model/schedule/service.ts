/** What borders may ask of the schedules. */
import type { Principal } from "../principal.ts";
import type { Fire, Schedule, SchedulePlan } from "./schedule.ts";

/** A page of a listing. */
export interface ListPage {
  readonly limit: number;
  readonly offset: number;
  /** Bytes of payloads, or of details, that the page has at most. What does not fit is null. */
  readonly maxBytes: number;
}

/**
 * Schedules of the callers. Every call but `create` and `list` throws TroupeError `notFound` for a schedule that is not there, or not for the
 * caller.
 */
export interface ScheduleService {
  /** @throws TroupeError `validation` (an endpoint that is none, what it could never be called with), `forbidden` (one that is not for the caller), `conflict` (its name is taken) */
  create(caller: Principal, plan: SchedulePlan): Promise<Schedule>;
  list(
    caller: Principal,
    query: ListPage & { readonly enabled: boolean | undefined },
  ): Promise<{ readonly schedules: readonly Schedule[]; readonly total: number }>;
  get(caller: Principal, id: string): Promise<Schedule>;
  /** Throws like `create`. */
  change(caller: Principal, id: string, changes: Partial<SchedulePlan>): Promise<Schedule>;
  setEnabled(caller: Principal, id: string, enabled: boolean): Promise<Schedule>;
  /** @throws TroupeError `conflict` (it is defined in the platform's code) */
  remove(caller: Principal, id: string): Promise<void>;
  /** Fires at once, and waits for the end; answers the last attempt. @throws TroupeError `conflict` (disabled), `unsupported` (not running) */
  trigger(caller: Principal, id: string): Promise<Fire>;
  listFires(
    caller: Principal,
    id: string,
    page: ListPage,
  ): Promise<{ readonly fires: readonly Fire[]; readonly total: number }>;
  getFire(caller: Principal, id: string, fireId: string): Promise<Fire>;
}
