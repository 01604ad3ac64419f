/** Comparing and hashing secrets. */
import { createHash, hash, timingSafeEqual } from "node:crypto";

/** Returns the SHA-256 of a text, in hexadecimal. */
export function hashOf(text: string): string {
  return hash("sha256", text, "hex");
}

/** Whether two texts are equal, compared in constant time. */
export function equalsInConstantTime(one: string, other: string): boolean {
  return timingSafeEqual(createHash("sha256").update(one).digest(), createHash("sha256").update(other).digest());
}
