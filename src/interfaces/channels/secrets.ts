/** Checks that a request comes from the platform. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Seconds for which a signed request of Slack is accepted: an older one may be a replay. */
const maxAge = 300;

/** Whether Slack signed these bytes recently (https://docs.slack.dev/authentication/verifying-requests-from-slack). @param now milliseconds since the epoch */
export function isSignedBySlack(
  secret: string,
  { timestamp, signature, body }: { readonly timestamp: string; readonly signature: string; readonly body: Buffer },
  now: number,
): boolean {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > maxAge) return false;
  const expected = `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:`).update(body).digest("hex")}`;
  return isEqual(expected, signature);
}

/** Compares secrets in constant time, whatever their lengths. */
export function isEqual(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
