/** Stored accounts of users at other services, and the flows that connect them. Times are milliseconds since the epoch. */

/** A user's account at a provider. */
export interface StoredConnection {
  readonly provider: string;
  /** Empty for the one user of a server without authorization. */
  readonly userId: string;
  /** JSON text with the tokens. Always encrypted. */
  readonly tokens: string;
  readonly scopes: readonly string[];
  /** When the access token expires; null if that is not known. */
  readonly expiresAt: number | null;
  /** Rises with every change of the tokens. */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A connection without its row's own fields. */
export type NewConnection = Omit<StoredConnection, "version" | "createdAt" | "updatedAt">;

/** A flow that has begun: a link for a user, or an authorization request that waits for its answer. */
export interface StoredFlow {
  /** SHA-256 (hex) of the link's secret, or of the `state`. */
  readonly digest: string;
  readonly provider: string;
  readonly userId: string;
  /** JSON text. Always encrypted. */
  readonly body: string;
}

export interface ConnectionStore {
  find(provider: string, userId: string): Promise<StoredConnection | undefined>;
  list(userId: string): Promise<readonly StoredConnection[]>;
  /** Stores a connection, in place of an earlier one. */
  put(connection: NewConnection): Promise<void>;
  /** Reserves the refresh of a version for this process, for some milliseconds. False: another process refreshes it, or it has changed. */
  claimRefresh(
    connection: Pick<StoredConnection, "provider" | "userId" | "version">,
    duration: number,
  ): Promise<boolean>;
  /** Stores refreshed tokens. False: the connection has changed or was removed. */
  refresh(
    connection: Pick<StoredConnection, "provider" | "userId" | "version">,
    tokens: Pick<StoredConnection, "tokens" | "expiresAt">,
  ): Promise<boolean>;
  /** Ends the reservation of a refresh that failed. */
  releaseRefresh(connection: Pick<StoredConnection, "provider" | "userId" | "version">): Promise<void>;
  /** Removes a connection; with a version, only while it has not changed. */
  remove(provider: string, userId: string, version?: number): Promise<boolean>;
  /** Stores a flow for some milliseconds, and removes expired ones. */
  putFlow(flow: StoredFlow, duration: number): Promise<void>;
  /** Returns a flow that has not expired. */
  findFlow(digest: string): Promise<StoredFlow | undefined>;
  /** Removes a flow. True for one caller only. */
  takeFlow(digest: string): Promise<boolean>;
}
