/** Waiting times between retries. */
import type { Runtime } from "../../model/runtime.ts";

const firstWait = 20;
const longestWait = 2_000;

/** Milliseconds to wait after `tries` failed attempts: doubles up to two seconds, with jitter so that processes do not return together. */
export function backoff(tries: number, runtime: Runtime): number {
  const wait = Math.min(longestWait, firstWait * 2 ** Math.min(tries, 20));
  return wait * (0.5 + runtime.randomness.fraction() / 2);
}
