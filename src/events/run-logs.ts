/** Items that a reader of a run's log receives. Every protocol interface translates this. */
import type { RunStatus } from "../model/run/run.ts";
import type { RunHead } from "../store/contract/store.ts";

/** One item read from a log, in order. */
export type LogItem =
  /**
   * Whole frames of the events `first` to `last`, without a gap:
   * `event: <name>\ndata: <one-line JSON, event_index last>\nid: <n>\n\n` each. The buffer is shared: never write into it.
   */
  | { readonly kind: "frames"; readonly first: number; readonly last: number; readonly bytes: Buffer }
  /** Events from `requested` on are no longer stored; reading continues at `firstAvailable`. */
  | { readonly kind: "gap"; readonly requested: number; readonly firstAvailable: number }
  /** No more events follow (after a pause: until the run is continued). The last item. */
  | { readonly kind: "end"; readonly status: RunStatus }
  /** The run was deleted during the read. The last item. */
  | { readonly kind: "deleted" }
  /** The log cannot be read, or the end of its run cannot be stored: the database rejects it permanently. The last item. */
  | { readonly kind: "unreadable" }
  /** The database has been unavailable for longer than the limit, or the process is shutting down: reconnect with the cursor. The last item. */
  | { readonly kind: "interrupted"; readonly reason: "outage" | "shutdown" };

/** Where and how to read. */
export interface FollowOptions {
  /** Index of the last event that the reader has; -1 for none. */
  readonly cursor: number;
  /** Ends the read when the reader disconnects. */
  readonly signal: AbortSignal;
  /** Waits across a pause instead of ending at it. Default false. */
  readonly acrossPauses?: boolean;
}

/** Read access to the logs of all runs. */
export interface RunLogs {
  /** Current position and state of the log; undefined when the run does not exist. @throws TroupeError `unavailable` while logs cannot be followed */
  head(key: number): Promise<RunHead | undefined>;
  /** Reads from the cursor: stored events first, then new ones until the run ends. */
  follow(key: number, options: FollowOptions): AsyncIterable<LogItem>;
}
