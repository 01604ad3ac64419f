/** Stored schedules and their fires. */
import type { Principal } from "../../model/principal.ts";
import type { Fire, FireDetail, FireStatus, Schedule } from "../../model/schedule/schedule.ts";

/** A tick to be recorded, with the ids of everything it starts. */
export interface FireCreation {
  readonly id: string;
  readonly tick: number | null;
  readonly attempt: number;
  readonly runId: string;
  readonly status: "waiting" | "skipped" | "cancelled";
  /** Whether it waits until the schedule's earlier fires have ended. */
  readonly queues: boolean;
  readonly dueAt: number;
}

/** The result of planning a due schedule. */
export interface DuePlan {
  readonly fires: readonly FireCreation[];
  /** Whether to cancel fires that have not ended. */
  readonly cancelsOpen: boolean;
  readonly nextRunAt: number | null;
  /** Set when the schedule cannot be planned: it is then disabled. */
  readonly disabledReason?: string;
}

/** A fire that a process has claimed. Its attempt has begun, unless it is due later. */
export interface ClaimedFire {
  readonly fire: Fire;
  /** The schedule at the time of the claim. */
  readonly schedule: Schedule;
  /** Fencing token: number of claims of the fire so far. */
  readonly claim: number;
  /** The database's time of the claim. */
  readonly now: number;
}

/** The result of an attempt. */
export interface FireResult {
  readonly status: Exclude<FireStatus, "waiting" | "running">;
  readonly detail: FireDetail;
  readonly sessionId: string | null;
  /** The next attempt; `delay` in milliseconds. */
  readonly retry: { readonly id: string; readonly runId: string; readonly delay: number } | null;
  /** Ids of the webhooks that receive a failure which no retry follows. */
  readonly webhooks?: readonly string[] | undefined;
}

/** The effect of ending an attempt. */
export interface EndedAttempt {
  /** The next attempt, if this process keeps it because a caller of this process waits for it. Any process can claim every other retry. */
  readonly retry: ClaimedFire | null;
  /** Whether the schedule was disabled because it failed too often. */
  readonly isDisabled: boolean;
}

/** Page of schedules, or of the fires of one schedule. */
export interface SchedulePage {
  readonly limit: number;
  readonly offset: number;
  /** Max bytes of payloads, or of details, on the page. A value that does not fit is null. */
  readonly maxBytes: number;
}

/** Changes to a schedule; omitted fields keep their values. */
export type ScheduleChanges = Partial<Omit<Schedule, "id" | "owner" | "platform" | "createdAt">>;

/** Schedules and fires. Times are the database's, except times that a schedule contains. */
export interface ScheduleStore {
  /** The database's clock. */
  now(): Promise<number>;
  /** Returns false when the owner already has a schedule with that name. */
  create(schedule: Schedule): Promise<boolean>;
  find(caller: Principal, id: string): Promise<Schedule | undefined>;
  list(
    caller: Principal,
    query: SchedulePage & { readonly enabled?: boolean | undefined },
  ): Promise<{ readonly schedules: readonly Schedule[]; readonly total: number }>;
  /** Changes a schedule, given its stored state and the database's time. Disabling a schedule cancels its waiting fires. */
  update(
    id: string,
    changes: ScheduleChanges | ((before: Schedule, now: number) => ScheduleChanges),
  ): Promise<"updated" | "exists" | "gone">;
  /** Deletes a schedule with its records; none of its waiting fires will start. Returns false when the schedule is gone. */
  remove(id: string): Promise<boolean>;
  /** Replaces a platform's defined schedules: writes new and changed ones, and deletes those that are no longer defined. */
  define(platform: string, schedules: readonly Schedule[]): Promise<void>;

  /** Takes due schedules and records the result of `plan` for each, in one transaction. Returns how many were due. */
  plan(limit: number, plan: (schedule: Schedule, now: number, open: number) => DuePlan): Promise<number>;
  /** Records a manually triggered fire, claimed by `owner`. Returns undefined when the schedule is gone. */
  createClaimed(scheduleId: string, creation: FireCreation, owner: string): Promise<ClaimedFire | undefined>;
  /** Claims due fires; when requested, also fires held by dead processes; and those of `lostFires` that `owner` already holds. */
  claim(request: {
    readonly owner: string;
    readonly limit: number;
    readonly orphans: boolean;
    readonly lostFires?: readonly string[];
  }): Promise<readonly ClaimedFire[]>;
  /** Begins the attempt of a claimed fire and returns the fire's current state. Undefined when another claim holds it, or it is deleted. */
  beginAttempt(claimed: ClaimedFire): Promise<ClaimedFire | undefined>;
  /** Records the session of the started run. */
  recordSession(claimed: ClaimedFire, sessionId: string): Promise<void>;
  /** Ends an attempt. Returns undefined when another claim holds the fire, or it is deleted. */
  endAttempt(claimed: ClaimedFire, end: FireResult): Promise<EndedAttempt | undefined>;
  /** Releases all fires that a process holds. */
  release(owner: string): Promise<void>;
  /** Ids of the fires held by a process that are to be cancelled. */
  cancelRequests(owner: string): Promise<readonly string[]>;
  /** Ids of all fires held by a process. If the process does not know one of them, the response that claimed it was lost. */
  heldFires(owner: string): Promise<readonly string[]>;
  /** Milliseconds until something is due; null for nothing. Never negative. */
  untilDue(): Promise<number | null>;

  findFire(scheduleId: string, id: string): Promise<Fire | undefined>;
  listFires(
    scheduleId: string,
    page: SchedulePage,
  ): Promise<{ readonly fires: readonly Fire[]; readonly total: number }>;
}
