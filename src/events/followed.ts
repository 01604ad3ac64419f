/** What a reader of a run's log gets. Every surface is a translation of this. */
import type { RunStatus } from "../model/run.ts";
import type { RunHead } from "../store/contract/store.ts";

/** One thing read from a log, in order. */
export type Followed =
  /**
   * Whole frames of the events `first` to `last`, without a gap:
   * `event: <name>\ndata: <one-line JSON, event_index last>\nid: <n>\n\n` each. The buffer is shared: never write into it.
   */
  | { readonly kind: "frames"; readonly first: number; readonly last: number; readonly bytes: Buffer }
  /** Events from `requested` on are no longer kept; reading goes on at `firstAvailable`. */
  | { readonly kind: "gap"; readonly requested: number; readonly firstAvailable: number }
  /** Nothing more will come (for a pause: until the run is continued). The last item. */
  | { readonly kind: "end"; readonly status: RunStatus }
  /** The run was deleted while it was read. The last item. */
  | { readonly kind: "deleted" }
  /** The log cannot be read, or its run's end cannot be stored: the database refuses it for good. The last item. */
  | { readonly kind: "unreadable" }
  /** The database has been away for longer than the limit, or the process is going: come back with the cursor. The last item. */
  | { readonly kind: "interrupted"; readonly reason: "outage" | "shutdown" };

/** Where and how to read. */
export interface FollowOptions {
  /** Index of the last event the reader has; -1 for none. */
  readonly cursor: number;
  /** Ends the reading when the reader leaves. */
  readonly signal: AbortSignal;
  /** Waits across a pause instead of ending at it. Default false. */
  readonly acrossPauses?: boolean;
}

/** The logs of all runs, for reading. */
export interface RunLogs {
  /** Where the log stands now, or undefined when there is no such run. @throws TroupeError `unavailable` while nobody can follow it */
  head(key: number): Promise<RunHead | undefined>;
  /** Reads from the cursor: what is there, then what comes, until the run is over. */
  follow(key: number, options: FollowOptions): AsyncIterable<Followed>;
}
