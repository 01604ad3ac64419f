/** Runs ordered by their last change, which is how A2A lists tasks. */

import type { Principal } from "../../model/principal.ts";
import type { ComponentKind, RunStatus } from "../../model/run/run.ts";
import type { AwaitedBy } from "../../model/run/run-marks.ts";

/** A run's position in the order of changes, latest change first. */
export interface TaskPosition {
  readonly key: number;
  readonly updatedAt: number;
}

/** Filters of a task listing. */
export interface TaskQuery {
  readonly kind: ComponentKind;
  readonly componentId: string;
  /** Only runs of this session. */
  readonly sessionId?: string | undefined;
  /** Only runs in one of these states. */
  readonly statuses?: readonly RunStatus[] | undefined;
  /** Paused runs match only if they wait for this. */
  readonly awaited?: AwaitedBy | undefined;
  /** Failed runs match only if they rejected their input (true), or failed otherwise (false). */
  readonly rejected?: boolean | undefined;
  /** Only runs that changed at or after this time, in milliseconds. */
  readonly since?: number | undefined;
}

/** A page of tasks. */
export interface TaskPage {
  readonly tasks: readonly (TaskPosition & { readonly runId: string })[];
  /** Where the next page begins; null on the last page. A page before the last may be shorter than requested. */
  readonly next: TaskPosition | null;
}

/** Times of a run's state changes, in milliseconds. */
export interface TaskChanges {
  readonly pauses: readonly { readonly index: number; readonly at: number }[];
  /** Undefined for a run that has not ended. */
  readonly endedAt: number | undefined;
}

/** Lists and counts tasks. */
export interface TaskStore {
  /** Lists root runs of a component that the caller may see. */
  list(
    caller: Principal,
    query: TaskQuery & { readonly limit: number; readonly after?: TaskPosition | undefined },
  ): Promise<TaskPage>;
  /** Counts them, up to `limit`. */
  count(caller: Principal, query: TaskQuery, limit: number): Promise<number>;
  /** When a run last changed; undefined if it is gone. */
  changedAt(key: number): Promise<number | undefined>;
  /** When a run paused, in order, and when it ended. */
  changes(key: number): Promise<TaskChanges>;
  /** Questions that runs asked and the replies they got, in order: JSON texts by run key. */
  exchanges(keys: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>>;
  /** Artifacts that runs produced besides their answers, in order: JSON texts by run key. */
  artifacts(keys: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>>;
}
