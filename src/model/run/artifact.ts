/** Artifacts: what a run produces in addition to its answer. */
import { Buffer } from "node:buffer";

/** An artifact of a run: exactly one of `text`, `data`, `bytes` and `url`. */
export interface ArtifactOptions {
  /** Unique in the run: an artifact replaces an earlier one of the same name. */
  readonly name: string;
  readonly description?: string;
  /** For instance `text/csv`. */
  readonly mediaType?: string;
  readonly filename?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly text?: string;
  /** Any JSON value. */
  readonly data?: unknown;
  readonly bytes?: Uint8Array;
  /** URL of the content. */
  readonly url?: string;
}

/** An artifact as the log and the store hold it. */
export interface StoredArtifact extends Omit<ArtifactOptions, "bytes"> {
  /** Base64. */
  readonly bytes?: string;
}

/** Returns whether a value has the stored form of an artifact. Custom events of other servers may have a member of the same name. */
export function isStoredArtifact(value: unknown): value is StoredArtifact {
  if (typeof value !== "object" || value === null) return false;
  const { name, text, data, bytes, url, description, mediaType, filename, metadata } = value as StoredArtifact;
  const texts = [text, bytes, url, description, mediaType, filename];
  return (
    typeof name === "string" &&
    [text, data, bytes, url].filter((content) => content !== undefined).length === 1 &&
    texts.every((one) => one === undefined || typeof one === "string") &&
    (metadata === undefined || (typeof metadata === "object" && metadata !== null && !Array.isArray(metadata)))
  );
}

/** Converts an artifact to its stored form. @throws TypeError for a missing name, or when there is not exactly one content */
export function toStoredArtifact({ bytes, ...rest }: ArtifactOptions): StoredArtifact {
  const { name, text, data, url } = rest;
  if (typeof name !== "string" || name.trim() === "") throw new TypeError("An artifact needs a name.");
  const contents = [text, data, bytes, url].filter((content) => content !== undefined);
  if (contents.length !== 1) throw new TypeError(`The artifact "${name}" needs one of text, data, bytes and url.`);
  return { ...rest, ...(bytes && { bytes: Buffer.from(bytes).toString("base64") }) };
}
