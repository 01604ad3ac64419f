/** Comparing and hashing what must not be known. */
import { createHash, hash, timingSafeEqual } from "node:crypto";

/** SHA-256 of a text, in hexadecimal. */
export function hashOf(text: string): string {
  return hash("sha256", text, "hex");
}

/** Whether two texts are the same, in a time that does not tell where they differ. */
export function isSame(one: string, other: string): boolean {
  return timingSafeEqual(createHash("sha256").update(one).digest(), createHash("sha256").update(other).digest());
}
