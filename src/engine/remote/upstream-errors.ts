/** Errors of another server. */

/** The server refused the request, or sent an unusable response. */
export class UpstreamRefusal extends Error {
  override readonly name = "UpstreamRefusal";
  readonly status: number;
  /** Seconds. */
  readonly retryAfter: number | undefined;

  /** @param detail the server's own text, fit for clients */
  constructor(status: number, detail: string, retryAfter?: number) {
    super(detail);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** The server did not answer, or the connection broke; it may be temporary. */
export class UpstreamUnreachable extends Error {
  override readonly name = "UpstreamUnreachable";
}

/** Whether the error may be temporary: the server is unreachable, restarts, or is overloaded. A broken body is a TypeError of fetch. */
export function isTransient(error: unknown): boolean {
  if (error instanceof UpstreamRefusal) return error.status === 429 || error.status >= 500;
  return error instanceof UpstreamUnreachable || error instanceof TypeError;
}
