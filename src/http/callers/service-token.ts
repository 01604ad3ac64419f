/** Creates tokens of service accounts. */
import { createHash, randomBytes } from "node:crypto";
import { serviceTokenPrefix } from "../../model/service-account.ts";

/** Length of the stored prefix by which people recognize a token, in characters. */
const shownLength = 16;

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A random 256-bit token, with the hash and the prefix that the store keeps. */
export function makeServiceToken(): {
  readonly token: string;
  readonly tokenHash: string;
  readonly tokenPrefix: string;
} {
  const token = serviceTokenPrefix + toBase62(randomBytes(32));
  const tokenHash = createHash("sha256").update(token, "utf8").digest("hex");
  return { token, tokenHash, tokenPrefix: token.slice(0, shownLength) };
}

function toBase62(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString("hex")}`);
  let text = "";
  for (; rest > 0n; rest /= 62n) text = digits[Number(rest % 62n)] + text;
  return text;
}
