/** Opens the push notifications of a platform. */
import { Pusher, type PusherParts } from "./pusher.ts";
import { PushTargets } from "./targets.ts";

/** The sender of notifications, and the targets of runs. */
export interface Pushes {
  readonly pusher: Pusher;
  readonly targets: PushTargets;
}

export function openPushes(parts: PusherParts): Pushes {
  const pusher = new Pusher(parts);
  const { pushes, store, rules, settings, runtime } = parts;
  const { randomness } = runtime;
  const watch = (runKey: number): void => pusher.watch(runKey);
  const targets = new PushTargets({ pushes, store, rules, randomness, maxTargets: settings.maxPushTargets, watch });
  return { pusher, targets };
}
