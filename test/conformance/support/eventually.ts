import { vi } from "vitest";

/** Tries until it holds: long enough for a machine that has other work to do. */
export function eventually<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(check, { timeout: 15_000, interval: 25 });
}
