/** Schedule operations for HTTP and other interfaces. */
import type { Principal } from "../principal.ts";
import type { Fire, Schedule, SchedulePlan } from "./schedule.ts";

/** A page of a listing. */
export interface ListPage {
  readonly limit: number;
  readonly offset: number;
  /** Maximum bytes of payloads or details in the page. A value that does not fit is null. */
  readonly maxBytes: number;
}

/**
 * Schedules of callers. All methods except `create` and `list` throw TroupeError `notFound` for a schedule that does not exist or that the
 * caller may not access.
 */
export interface ScheduleService {
  /**
   * @throws TroupeError `validation` (an invalid endpoint, or a call that it could never accept), `forbidden` (the caller may not use the
   * endpoint), `conflict` (duplicate name)
   */
  create(caller: Principal, plan: SchedulePlan): Promise<Schedule>;
  list(
    caller: Principal,
    query: ListPage & { readonly enabled: boolean | undefined },
  ): Promise<{ readonly schedules: readonly Schedule[]; readonly total: number }>;
  get(caller: Principal, id: string): Promise<Schedule>;
  /** @throws TroupeError as for `create` */
  change(caller: Principal, id: string, changes: Partial<SchedulePlan>): Promise<Schedule>;
  setEnabled(caller: Principal, id: string, enabled: boolean): Promise<Schedule>;
  /** @throws TroupeError `conflict` (the schedule is defined in the platform's code) */
  remove(caller: Principal, id: string): Promise<void>;
  /**
   * Fires now, waits for the end and returns the last attempt. @throws TroupeError `conflict` (disabled), `unsupported` (schedules are not
   * running)
   */
  trigger(caller: Principal, id: string): Promise<Fire>;
  listFires(
    caller: Principal,
    id: string,
    page: ListPage,
  ): Promise<{ readonly fires: readonly Fire[]; readonly total: number }>;
  getFire(caller: Principal, id: string, fireId: string): Promise<Fire>;
}
