/** The contract for rate limits: one bucket per caller, shared by all processes of the database. */

/** The result of a request for one unit. */
export interface RateTake {
  readonly isTaken: boolean;
  /** Milliseconds until the bucket is full again. */
  readonly untilFull: number;
}

/** Buckets that refill evenly (the generic cell rate algorithm, ITU-T I.371). A full bucket needs no storage. */
export interface RateLimitStore {
  /**
   * Takes one unit from a bucket, if there is one.
   *
   * @param interval milliseconds in which one unit is refilled
   * @param window milliseconds in which an empty bucket becomes full
   */
  take(bucket: string, interval: number, window: number): Promise<RateTake>;
}
