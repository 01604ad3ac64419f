/** Runs by when they last changed, which is how A2A lists them. */

import type { Principal } from "../../model/principal.ts";
import type { ComponentKind, RunStatus } from "../../model/run.ts";
import type { AwaitedBy } from "../../model/run-marks.ts";

/** A run's place in the order of changes: the latest comes first. */
export interface TaskPlace {
  readonly key: number;
  readonly updatedAt: number;
}

/** Which runs. */
export interface TaskQuery {
  readonly kind: ComponentKind;
  readonly componentId: string;
  /** Only runs of this session. */
  readonly sessionId?: string | undefined;
  /** Only runs in one of these states. */
  readonly statuses?: readonly RunStatus[] | undefined;
  /** Of paused runs, only those that wait for this. */
  readonly awaited?: AwaitedBy | undefined;
  /** Of failed runs, only those that rejected what they were asked, or the others. */
  readonly rejected?: boolean | undefined;
  /** Only runs that changed then or later, in milliseconds. */
  readonly since?: number | undefined;
}

/** A page of them. */
export interface TaskPage {
  readonly tasks: readonly (TaskPlace & { readonly runId: string })[];
  /** Where the next page begins; null when there is none. A page with a next one may be shorter than was asked for. */
  readonly next: TaskPlace | null;
}

/** Times of changes of a run's state, in milliseconds. */
export interface TaskChanges {
  readonly pauses: readonly { readonly index: number; readonly at: number }[];
  /** Undefined for a run that is not over. */
  readonly endedAt: number | undefined;
}

/** Lists of tasks. */
export interface TaskStore {
  /** Root runs of a component that the caller may see. */
  list(
    caller: Principal,
    query: TaskQuery & { readonly limit: number; readonly after?: TaskPlace | undefined },
  ): Promise<TaskPage>;
  /** How many there are, counted up to `most`. */
  count(caller: Principal, query: TaskQuery, most: number): Promise<number>;
  /** When a run last changed; undefined for one that is gone. */
  changedAt(key: number): Promise<number | undefined>;
  /** When a run paused, in order, and when it ended. */
  changes(key: number): Promise<TaskChanges>;
  /** What runs asked and what was said to it, in order: JSON texts, by the run's key. */
  exchanges(keys: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>>;
  /** What runs made beside their answers, in order: JSON texts, by the run's key. */
  artifacts(keys: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>>;
}
