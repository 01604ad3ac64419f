/** Signs messages as the Standard Webhooks specification describes: https://www.standardwebhooks.com */
import { createHmac } from "node:crypto";
import { secretBytes } from "../../model/webhook.ts";

/** A message to be signed. */
interface SignedMessage {
  /** The same for every attempt. */
  readonly id: string;
  /** When the attempt is made, in milliseconds. Receivers reject old messages. */
  readonly at: number;
  readonly body: string;
}

/** The headers of a message, with a signature by each secret: while a secret is replaced, the receiver knows the old one or the new one. */
export function signedHeaders({ id, at, body }: SignedMessage, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000));
  const signatures = secrets.map((secret) => {
    const key = secretBytes(secret) ?? new Uint8Array();
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return {
    "content-type": "application/json",
    "user-agent": "troupe-webhooks",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}
