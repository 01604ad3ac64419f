/** Reads that a standby may serve in place of the primary. */
import type { Store } from "./store.ts";
import type { TraceStore } from "./traces.ts";

/** The reading methods that listings use. */
export type ReadStore = Pick<
  Store,
  | "head"
  | "segments"
  | "findRun"
  | "locateRun"
  | "listRuns"
  | "sessionRuns"
  | "listedBytes"
  | "listedRuns"
  | "memberRuns"
  | "messages"
  | "marks"
  | "history"
  | "findSession"
  | "listSessions"
  | "sessionRunKeys"
>;

/** Stores for the reads of one listing. */
export interface ReadStores {
  readonly store: ReadStore;
  readonly traces: TraceStore;
}

/** Serves listings from a standby, as far as the standby has what the primary has. */
export interface StandbyReads {
  /**
   * Calls `work` once, with stores that read from the standby or from the primary. Every read sees all changes that were visible on the primary when
   * this call began, and all changes that an earlier read of the same work has seen.
   */
  read<T>(work: (stores: ReadStores) => Promise<T>): Promise<T>;
}
