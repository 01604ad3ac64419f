/** Errors for bodies that are rejected. */
import { TroupeError } from "../../errors.ts";
import { invalid } from "./validation-errors.ts";

/** The body cannot be read. */
export function unreadable(type: string, reason: string): TroupeError {
  return invalid([{ type, loc: ["body"], msg: reason, input: null }]);
}

/** A body, a field or a file exceeds its limit. */
export function tooLarge(what: string, limit: number): TroupeError {
  return new TroupeError("tooLarge", `${what} is larger than ${limit} bytes.`);
}

/** The files exceed their common limit, even if each is within its own. */
export function uploadTooLarge(limit: number): TroupeError {
  return new TroupeError("tooLarge", `The files of the request are together larger than ${limit} bytes.`);
}

/** The client disconnected in the middle of its request, so no client receives this error. */
export function brokenOff(): TroupeError {
  return new TroupeError("badRequest", "The request broke off before its body was complete.");
}
