/** Errors for bodies that are rejected. */
import { TroupeError } from "../../errors.ts";
import { invalid } from "./validation-errors.ts";

/** The body cannot be read. */
export function unreadable(type: string, reason: string): TroupeError {
  return invalid([{ type, loc: ["body"], msg: reason, input: null }]);
}

/** The client disconnected in the middle of its request, so no client receives this error. */
export function brokenOff(): TroupeError {
  return new TroupeError("badRequest", "The request broke off before its body was complete.");
}
