/** The present work of a platform and its latest runs: its processes, and the runs of all components. */
import type { Principal } from "../../model/principal.ts";
import type { ComponentKind, RunStatus } from "../../model/run/run.ts";
import type { TaskPosition } from "./tasks.ts";

/** A process with its lease, by the database's clock. */
export interface ProcessRow {
  readonly id: string;
  readonly startedAt: number;
  /** Milliseconds until its lease expires; negative if it has expired. */
  readonly leaseLeft: number;
  /** Root runs that it executes. */
  readonly runs: number;
}

/** Filters of a listing of runs. */
export interface OverviewQuery {
  readonly kind?: ComponentKind | undefined;
  readonly componentId?: string | undefined;
  readonly userId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Default: all runs. Replaced runs match no state. */
  readonly statuses?: readonly RunStatus[] | undefined;
}

/** A root run with its state, without its texts. */
export interface OverviewRow extends TaskPosition {
  readonly runId: string;
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly componentName: string;
  readonly sessionId: string;
  readonly userId: string | null;
  readonly createdAt: number;
  readonly status: RunStatus;
  readonly replacedBy: string | null;
  readonly attempt: number;
  /** The process that executes it; null if none does. */
  readonly processId: string | null;
  readonly cancelRequested: boolean;
  /** Tokens of its trace; null until the trace is stored. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/** A page of runs, latest change first. */
export interface OverviewPage {
  readonly runs: readonly OverviewRow[];
  /** Where the next page begins; null on the last page. A page before the last may be shorter than requested, or empty. */
  readonly next: TaskPosition | null;
}

/** Reads the overview. */
export interface OverviewStore {
  /** Processes whose lease has not expired for longer than a day, oldest first. */
  processes(): Promise<readonly ProcessRow[]>;
  /** Root runs of all components that the caller may see. */
  runs(
    caller: Principal,
    query: OverviewQuery & { readonly limit: number; readonly after?: TaskPosition | undefined },
  ): Promise<OverviewPage>;
}
