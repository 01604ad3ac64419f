/** What was asked for, in few bytes: a request that comes again under the same key must be the same. */
import { createHash, type Hash } from "node:crypto";

/** Of everything in `asked`; `more` adds what is no JSON. */
export function fingerprintOf(asked: unknown, more: (hash: Hash) => void = () => undefined): string {
  const hash = createHash("sha256").update(JSON.stringify(asked));
  more(hash);
  return hash.digest("base64url");
}
