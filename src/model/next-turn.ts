import type { Clock } from "./runtime.ts";

/** Resolves after the work that is ready now has run, so that long work does not keep the event loop from other requests. */
export function nextTurn(clock: Pick<Clock, "defer">): Promise<void> {
  return new Promise((resolve) => clock.defer(resolve));
}
