/** Push notifications of a platform: which addresses they may be sent to, and the translation of a run's log to them. */
import type { A2aOptions } from "../../../model/a2a.ts";
import type { Settings } from "../../../model/settings.ts";
import type { PusherParts } from "../../../runs/push/pusher.ts";
import type { Runs } from "../../../runs/runs.ts";
import { notificationsOf } from "./notifications.ts";
import { signer } from "./sign.ts";

/** The options of a platform that concern push notifications. */
interface PushPlatform {
  readonly id: string;
  readonly a2a: A2aOptions | false;
}

/** Undefined for a platform without push notifications. */
export function pushPartsOf(
  { id, a2a }: PushPlatform,
  { maxPushBytes }: Pick<Settings, "maxPushBytes">,
  runs: () => Runs,
): Pick<PusherParts, "rules" | "notificationsOf"> | undefined {
  if (a2a === false || a2a.pushNotifications === false) return undefined;
  const { pushNotifications = true, signingKey, url } = a2a;
  const { allowHttp = false, allowPrivate = false } = pushNotifications === true ? {} : pushNotifications;
  const sign = signingKey && signer(signingKey, url ?? id);
  return {
    rules: { allowHttp, allowPrivate },
    notificationsOf: (claimed) => notificationsOf({ runs: runs(), maxBytes: maxPushBytes, sign }, claimed),
  };
}
