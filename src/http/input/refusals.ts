/** What bodies are refused with. */
import { TroupeError } from "../../errors.ts";
import { invalid } from "./validation-errors.ts";

/** A body that cannot be read. */
export function unreadable(type: string, reason: string): TroupeError {
  return invalid([{ type, loc: ["body"], msg: reason, input: null }]);
}

/** A body, a field or a file beyond its limit. */
export function tooLarge(what: string, limit: number): TroupeError {
  return new TroupeError("tooLarge", `${what} is larger than ${limit} bytes.`);
}

/** Files that are too large together, though each of them may be within its own limit. */
export function uploadTooLarge(limit: number): TroupeError {
  return new TroupeError("tooLarge", `The files of the request are together larger than ${limit} bytes.`);
}

/** The client left in the middle of its request: nobody reads this. */
export function brokenOff(): TroupeError {
  return new TroupeError("badRequest", "The request broke off before its body was complete.");
}
