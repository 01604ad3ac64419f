/** Limits on the size of requests. */
import { TroupeError } from "../errors.ts";
import type { Media } from "../model/message.ts";
import type { RunParts } from "./parts.ts";

/** A body, a field or a file exceeds its limit. */
export function tooLarge(what: string, limit: number): TroupeError {
  return new TroupeError("tooLarge", `${what} is larger than ${limit} bytes.`);
}

/** The files exceed their common limit, even if each is within its own. */
export function uploadTooLarge(limit: number): TroupeError {
  return new TroupeError("tooLarge", `The files of the request are together larger than ${limit} bytes.`);
}

/** Rejects a message and media beyond the settings. @throws TroupeError `tooLarge` */
export function checkSize(
  { platform: { settings } }: Pick<RunParts, "platform">,
  { message, media = [] }: { readonly message: string; readonly media?: readonly Media[] },
  what = "The message",
): void {
  const { maxMessageBytes, maxUploadBytes } = settings;
  if (Buffer.byteLength(message) > maxMessageBytes) throw tooLarge(what, maxMessageBytes);
  const bytes = media.reduce((sum, { data = "" }) => sum + Buffer.byteLength(data, "base64"), 0);
  if (bytes > maxUploadBytes) throw uploadTooLarge(maxUploadBytes);
}
