/** What a store keeps of schedules and their fires. */
import type { Principal } from "../../model/principal.ts";
import type { Fire, FireDetail, FireStatus, Schedule } from "../../model/schedule/schedule.ts";

/** A tick that is to be recorded, with the ids that all it starts will have. */
export interface FireCreation {
  readonly id: string;
  readonly tick: number | null;
  readonly attempt: number;
  readonly runId: string;
  readonly status: "waiting" | "skipped" | "cancelled";
  /** Whether it waits for the end of the schedule's fires before it. */
  readonly queues: boolean;
  readonly dueAt: number;
}

/** What is done about a schedule that is due. */
export interface DuePlan {
  readonly fires: readonly FireCreation[];
  /** Whether fires that are not over are cancelled. */
  readonly cancelsOpen: boolean;
  readonly nextRunAt: number | null;
  /** Set for a schedule that cannot be planned: it is disabled. */
  readonly disabledReason?: string;
}

/** A fire that a process has in hand. Its attempt has begun, unless it is due later. */
export interface ClaimedFire {
  readonly fire: Fire;
  /** The schedule as it was at the claim. */
  readonly schedule: Schedule;
  /** The fence: how often the fire was claimed. */
  readonly claim: number;
  /** The database's time of the claim. */
  readonly now: number;
}

/** How an attempt ended. */
export interface FireEnd {
  readonly status: Exclude<FireStatus, "waiting" | "running">;
  readonly detail: FireDetail;
  readonly sessionId: string | null;
  /** The next attempt; `delay` in milliseconds. */
  readonly retry: { readonly id: string; readonly runId: string; readonly delay: number } | null;
}

/** What was made of an end. */
export interface Settled {
  /** The next attempt, where the same process has it in hand because somebody waits there. Any other one waits for a claim. */
  readonly retry: ClaimedFire | null;
  /** Whether the schedule was disabled, because it has failed too often. */
  readonly isPaused: boolean;
}

/** Which schedules, or which fires of one. */
export interface SchedulePage {
  readonly limit: number;
  readonly offset: number;
  /** Bytes of payloads, or of details, that the page has at most. What does not fit is null. */
  readonly maxBytes: number;
}

/** What is changed of a schedule; what is left out stays. */
export type ScheduleChanges = Partial<Omit<Schedule, "id" | "owner" | "platform" | "createdAt">>;

/** Schedules and fires. Times are the database's, except where a schedule brings them. */
export interface ScheduleStore {
  /** The database's clock. */
  now(): Promise<number>;
  /** False where its owner has one of that name. */
  create(schedule: Schedule): Promise<boolean>;
  find(caller: Principal, id: string): Promise<Schedule | undefined>;
  list(
    caller: Principal,
    query: SchedulePage & { readonly enabled?: boolean | undefined },
  ): Promise<{ readonly schedules: readonly Schedule[]; readonly total: number }>;
  /** Changes it, to what its state and the database's time ask for. Disabling it cancels its fires that wait. */
  update(
    id: string,
    changes: ScheduleChanges | ((before: Schedule, now: number) => ScheduleChanges),
  ): Promise<"updated" | "exists" | "gone">;
  /** Deletes it with its records: nothing that waits will fire. False when it is gone. */
  remove(id: string): Promise<boolean>;
  /** Makes a platform's definitions as they are now: new and changed ones are written, those that are defined no more deleted. */
  define(platform: string, schedules: readonly Schedule[]): Promise<void>;

  /** Takes schedules that are due, and records what `plan` makes of them, in one transaction; answers how many there were. */
  plan(most: number, plan: (schedule: Schedule, now: number, open: number) => DuePlan): Promise<number>;
  /** Records a fire that somebody asked for, in the hands of `owner`; undefined when the schedule is gone. */
  begin(scheduleId: string, creation: FireCreation, owner: string): Promise<ClaimedFire | undefined>;
  /** Takes fires that are due; on request those that a dead process has in hand; and of `strays` those that `owner` has already. */
  claim(request: {
    readonly owner: string;
    readonly most: number;
    readonly orphans: boolean;
    readonly strays?: readonly string[];
  }): Promise<readonly ClaimedFire[]>;
  /** A fire in hand as it is now; its attempt has begun. Undefined when it is in other hands, or deleted. */
  again(claimed: ClaimedFire): Promise<ClaimedFire | undefined>;
  /** Notes the session of the run that was started. */
  started(claimed: ClaimedFire, sessionId: string): Promise<void>;
  /** Ends an attempt; undefined when it is in other hands, or deleted. */
  settle(claimed: ClaimedFire, end: FireEnd): Promise<Settled | undefined>;
  /** Gives back what a process has in hand. */
  release(owner: string): Promise<void>;
  /** Fires in a process's hands that are to be cancelled. */
  cancelled(owner: string): Promise<readonly string[]>;
  /** All fires in a process's hands. One of which it does not know was given to it by an answer that was lost. */
  held(owner: string): Promise<readonly string[]>;
  /** Milliseconds until something is due; null for nothing. Not negative. */
  untilDue(): Promise<number | null>;

  findFire(scheduleId: string, id: string): Promise<Fire | undefined>;
  listFires(
    scheduleId: string,
    page: SchedulePage,
  ): Promise<{ readonly fires: readonly Fire[]; readonly total: number }>;
}
