/** A hash of a request's content: a repeated request with the same idempotency key must have the same content. */
import { createHash, type Hash } from "node:crypto";

/** Fingerprint of `asked`; `more` adds values that JSON cannot hold. */
export function fingerprintOf(asked: unknown, more: (hash: Hash) => void = () => undefined): string {
  const hash = createHash("sha256").update(JSON.stringify(asked));
  more(hash);
  return hash.digest("base64url");
}
