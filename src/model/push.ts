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

/** Where a client wants to be told, as it says it: nothing of it is checked. */
export interface GivenTarget {
  readonly id?: string | undefined;
  readonly url: string;
  readonly token?: string | undefined;
  readonly schemes: readonly string[];
  readonly credentials?: string | undefined;
}

/** A page of targets. */
export interface PushTargetPage {
  readonly targets: readonly PushTarget[];
  /** Empty where there is no further page. */
  readonly nextPageToken: string;
}

/** Targets of runs. All but `read` is for who has found the run as the caller that it is for. */
export interface PushService {
  /**
   * A target as a client gives it; without an id it gets `usualId`, or one of its own.
   *
   * @throws TroupeError `validation` for an address that is not called, or a text that no header can hold
   */
  read(given: GivenTarget, version: PushVersion, usualId?: string): PushTarget;
  /** Keeps a target of a run, from now on. @throws TroupeError `validation` for one too many, `notFound` for a run that is gone */
  put(runKey: number, target: PushTarget): Promise<void>;
  /** Changes of the run are told at once from now on. */
  watch(runKey: number): void;
  /** The target of an id, or the only one there is. @throws TroupeError `notFound` */
  find(runKey: number, id: string | undefined): Promise<PushTarget>;
  list(
    runKey: number,
    page: { pageSize?: number | undefined; pageToken?: string | undefined },
  ): Promise<PushTargetPage>;
  /** Deletes it; one that is gone stays gone. */
  remove(runKey: number, id: string): Promise<void>;
}
