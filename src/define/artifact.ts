/** What a run makes beside its answer. */
import { Buffer } from "node:buffer";

/** An artifact of a run: exactly one of `text`, `data`, `bytes` and `url`. */
export interface ArtifactOptions {
  /** Its identity within the run: another artifact of this name takes its place. */
  readonly name: string;
  readonly description?: string;
  /** For instance `text/csv`. */
  readonly mediaType?: string;
  readonly filename?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly text?: string;
  /** Anything that JSON can hold. */
  readonly data?: unknown;
  readonly bytes?: Uint8Array;
  /** Where the content is. */
  readonly url?: string;
}

/** An artifact as the log and the store have it. */
export interface MadeArtifact extends Omit<ArtifactOptions, "bytes"> {
  /** Base64. */
  readonly bytes?: string;
}

/** The form that is stored. @throws TypeError naming what is wrong with it */
export function madeArtifact({ bytes, ...rest }: ArtifactOptions): MadeArtifact {
  const { name, text, data, url } = rest;
  if (typeof name !== "string" || name.trim() === "") throw new TypeError("An artifact needs a name.");
  const given = [text, data, bytes, url].filter((content) => content !== undefined);
  if (given.length !== 1) throw new TypeError(`The artifact "${name}" needs one of text, data, bytes and url.`);
  return { ...rest, ...(bytes && { bytes: Buffer.from(bytes).toString("base64") }) };
}
