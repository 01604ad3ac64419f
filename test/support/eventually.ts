import { vi } from "vitest";

/** Calls `check` until it no longer throws, and returns its result. Waits long enough for a machine that has other work to do. */
export function eventually<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(check, { timeout: 30_000, interval: 25 });
}
