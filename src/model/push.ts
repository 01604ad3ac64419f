/** Push notifications: they inform a client of changes to a task, at a URL that the client registered. */

/** Versions of the A2A protocol for push notifications. */
export type PushVersion = "0.3" | "1.0";

/** Authentication of push notifications at the target. */
export interface PushAuthentication {
  /** Schemes that the target accepts; the first one is used: `Bearer`, `Basic` or another one of RFC 9110. */
  readonly schemes: readonly string[];
  readonly credentials?: string | undefined;
}

/** The target of a run's push notifications. */
export interface PushTarget {
  /** Unique among the targets of the run. */
  readonly id: string;
  readonly url: string;
  /** Sent with every notification, so that the target can verify that it requested it. */
  readonly token?: string | undefined;
  readonly authentication?: PushAuthentication | undefined;
  readonly version: PushVersion;
}

/** A push target as the client sent it, not yet validated. */
export interface RequestedTarget {
  readonly id?: string | undefined;
  readonly url: string;
  readonly token?: string | undefined;
  readonly schemes: readonly string[];
  readonly credentials?: string | undefined;
}

/** A page of targets. */
export interface PushTargetPage {
  readonly targets: readonly PushTarget[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
}

/** The push targets of runs. Before any call but `read`, the caller must have checked that the principal may access the run. */
export interface PushService {
  /**
   * Validates a target that a client sent. A target without an id gets `defaultId`, or a generated id.
   *
   * @throws TroupeError `validation` for a URL that is not allowed, or a text that no header can hold
   */
  read(given: RequestedTarget, version: PushVersion, defaultId?: string): PushTarget;
  /** Stores a target of a run. @throws TroupeError `validation` for one target too many, `notFound` for a run that no longer exists */
  put(runKey: number, target: PushTarget): Promise<void>;
  /** Sends notifications of this run without delay from now on. */
  watch(runKey: number): void;
  /** Returns the target with this id, or the only target of the run. @throws TroupeError `notFound` */
  find(runKey: number, id: string | undefined): Promise<PushTarget>;
  list(
    runKey: number,
    page: { pageSize?: number | undefined; pageToken?: string | undefined },
  ): Promise<PushTargetPage>;
  /** Deletes a target; does nothing if it does not exist. */
  remove(runKey: number, id: string): Promise<void>;
}
