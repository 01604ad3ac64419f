/** Limits on the size of requests and on ids. */
import { TroupeError } from "../../errors.ts";
import { faultOfId } from "../../model/identifiers.ts";
import type { Media } from "../../model/run/message.ts";
import type { RunParts } from "../parts.ts";

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

/** Rejects ids that the database cannot store: not every protocol excludes them. @throws TroupeError `badRequest` */
export function checkIds(ids: { readonly [what: string]: string | undefined }): void {
  for (const [what, id] of Object.entries(ids)) {
    const fault = id === undefined ? undefined : faultOfId(id);
    if (fault) throw new TroupeError("badRequest", `The ${what} id ${fault}.`);
  }
}
