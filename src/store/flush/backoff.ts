/** How long to wait before something is tried again. */
import type { Runtime } from "../../model/runtime.ts";

const firstWait = 20;
const longestWait = 2_000;

/** Milliseconds to wait after `tries` failed ones: doubling up to two seconds, spread so that processes do not come back together. */
export function backoff(tries: number, runtime: Runtime): number {
  const wait = Math.min(longestWait, firstWait * 2 ** Math.min(tries, 20));
  return wait * (0.5 + runtime.randomness.fraction() / 2);
}
