/** The connection over which a run is followed. */

/** State of the connection over which a loop follows a run. */
export interface ConnectionState {
  /** `connecting`: a request was sent or is retried. `open`: events arrive. `lost`: the connection broke; the client reconnects. */
  readonly state: "connecting" | "open" | "lost";
  /** Index of the last event received; -1 for none. */
  readonly cursor: number;
  /** With `open` after a reconnect: number of events between the cursor and the newest event. They arrive first. */
  readonly missed?: number;
}
