/** Telling a client of a task's changes, at an address that it gave. */

/** Versions of the A2A protocol in which a target can be told. */
export type PushVersion = "0.3" | "1.0";

/** How the target wants to know who tells it. */
export interface PushAuthentication {
  /** Schemes that it takes, the first one is used: `Bearer`, `Basic` or another of RFC 9110. */
  readonly schemes: readonly string[];
  readonly credentials?: string | undefined;
}

/** Where a run's changes are told. */
export interface PushTarget {
  /** One of the run's targets. */
  readonly id: string;
  readonly url: string;
  /** Sent back with every change, so that the target knows that it asked for it. */
  readonly token?: string | undefined;
  readonly authentication?: PushAuthentication | undefined;
  readonly version: PushVersion;
}
