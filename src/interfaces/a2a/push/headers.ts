/** The headers of a push notification. */
import type { PushTarget } from "../../../model/push.ts";

/** The properties of a notification that its headers contain. */
export interface NotificationFacts {
  /** Every attempt to send the notification has the same id, so that the target can detect duplicates. */
  readonly id: string;
  readonly contentType: string;
  /** A token that proves the sender, if the platform signs. */
  readonly signature?: string | undefined;
}

/** The headers of a notification to a target. */
export function headersOf(
  { token, authentication }: PushTarget,
  { id, contentType, signature }: NotificationFacts,
): Readonly<Record<string, string>> {
  const [scheme] = authentication?.schemes ?? [];
  const credentials = authentication?.credentials;
  const given = scheme !== undefined && credentials !== undefined ? `${scheme} ${credentials}` : undefined;
  const authorization = given ?? (signature === undefined ? undefined : `Bearer ${signature}`);
  return {
    "content-type": contentType,
    "user-agent": "troupe",
    "x-a2a-notification-id": id,
    ...(token === undefined ? {} : { "x-a2a-notification-token": token }),
    ...(authorization === undefined ? {} : { authorization }),
    // If the client's own credentials use the `Authorization` header, the signature goes into a separate one.
    ...(given !== undefined && signature !== undefined ? { "x-a2a-notification-signature": signature } : {}),
  };
}
