/** Creates the push service of a platform. */
import type { Platform } from "../../../define/platform.ts";
import type { TaskStore } from "../../../store/contract/tasks.ts";
import { Pusher, type PusherParts } from "./pusher.ts";
import { signer } from "./sign.ts";
import { PushTargets } from "./targets.ts";
import { tellingsOf } from "./tellings.ts";

/** The sender of notifications, and the store of push targets. */
export interface Pushes {
  readonly pusher: Pusher;
  readonly targets: PushTargets;
}

/** Undefined for a platform without push notifications. */
export function openPushes(
  { id, a2a }: Pick<Platform, "id" | "a2a">,
  parts: Omit<PusherParts, "rules" | "tellingsOf"> & { readonly tasks: TaskStore },
): Pushes | undefined {
  if (a2a === false || a2a.pushNotifications === false) return undefined;
  const { pushNotifications = true, signingKey, url } = a2a;
  const { allowHttp = false, allowPrivate = false } = pushNotifications === true ? {} : pushNotifications;
  const rules = { allowHttp, allowPrivate };
  const { store, tasks, pushes, settings, runtime } = parts;
  const sign = signingKey && signer(signingKey, url ?? id);
  const pusher = new Pusher({
    ...parts,
    rules,
    tellingsOf: tellingsOf({ store, tasks, bytes: settings.maxPushBytes, sign }),
  });
  const { randomness } = runtime;
  const watch = (runKey: number): void => pusher.watch(runKey);
  const targets = new PushTargets({ pushes, store, rules, randomness, maxTargets: settings.maxPushTargets, watch });
  return { pusher, targets };
}
