/** Waiting times between retries. */
import type { Runtime } from "../../model/runtime.ts";

const minWait = 20;
const maxWait = 2_000;

/** Milliseconds to wait after `tries` failed attempts: doubles up to two seconds, with jitter so that processes do not return together. */
export function backoff(failures: number, runtime: Runtime): number {
  const wait = Math.min(maxWait, minWait * 2 ** Math.min(failures, 20));
  return wait * (0.5 + runtime.randomness.fraction() / 2);
}
