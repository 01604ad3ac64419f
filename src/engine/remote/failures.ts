/** Errors for callers when another server refuses or does not answer. */
import type { Remote } from "../../define/remote.ts";
import { type ErrorName, TroupeError } from "../../errors.ts";
import { RunFailure } from "../loops/contract.ts";
import { UpstreamRefusal, UpstreamUnreachable } from "./upstream-errors.ts";

/** Statuses of errors that the caller can correct; they are passed on unchanged. */
const passedThrough: Readonly<Record<number, ErrorName>> = {
  400: "badRequest",
  401: "unauthenticated",
  403: "forbidden",
  404: "notFound",
  409: "conflict",
  413: "tooLarge",
  422: "validation",
  429: "tooManyRequests",
  503: "unavailable",
};

/** Converts a failed request to an error for the caller. Any other error is a fault of this server. */
export function toTroupeError({ kind, id }: Remote, error: unknown): unknown {
  const title = `The remote ${kind} "${id}"`;
  if (error instanceof UpstreamRefusal) {
    const { status, message, retryAfter } = error;
    const code = passedThrough[status];
    if (code === undefined) return new TroupeError("badGateway", `${title} failed: ${message}`, { cause: error });
    return new TroupeError(code, message, retryAfter === undefined ? { cause: error } : { cause: error, retryAfter });
  }
  if (error instanceof UpstreamUnreachable)
    return new TroupeError("badGateway", `${title} cannot be reached: ${error.message}`, { cause: error });
  return error;
}

/** Converts another server's error to the failure that ends the run here. */
export function toRunFailure({ kind, id }: Remote, error: unknown): unknown {
  const title = `The remote ${kind} "${id}"`;
  if (error instanceof UpstreamRefusal)
    return new RunFailure("remote_error", `${title} refuses to continue: ${error.message}`, error);
  if (error instanceof UpstreamUnreachable || error instanceof TypeError)
    return new RunFailure("remote_unavailable", `${title} cannot be reached: ${error.message}`, error);
  return error;
}
