/** How another server fails. */

/** It answers, and refuses; or what it says cannot be used. */
export class UpstreamRefusal extends Error {
  override readonly name = "UpstreamRefusal";
  readonly status: number;
  /** Seconds. */
  readonly retryAfter: number | undefined;

  /** @param detail its own words, fit for clients */
  constructor(status: number, detail: string, retryAfter?: number) {
    super(detail);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** It does not answer, or breaks off: it may soon be back. */
export class UpstreamGone extends Error {
  override readonly name = "UpstreamGone";
}
