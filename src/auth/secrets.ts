/** Comparing and hashing what must not be known. */
import { createHash, timingSafeEqual } from "node:crypto";

/** SHA-256 of a text, in hexadecimal. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

/** Whether two texts are the same, in a time that does not tell where they differ. */
export function isSame(one: string, other: string): boolean {
  return timingSafeEqual(createHash("sha256").update(one).digest(), createHash("sha256").update(other).digest());
}
