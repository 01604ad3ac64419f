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

/** Whether the other server may soon be back: it is gone, restarts, or has too much to do. A body that breaks off is a TypeError of fetch. */
export function isPassing(error: unknown): boolean {
  if (error instanceof UpstreamRefusal) return error.status === 429 || error.status >= 500;
  return error instanceof UpstreamGone || error instanceof TypeError;
}
