/** The wait of a request for the end of its eval. */
import { expect, test } from "vitest";
import { open } from "../../src/model/principal.ts";
import { evalCalls } from "../../src/runs/evals/calls.ts";
import type { RunParts } from "../../src/runs/parts.ts";
import { fakeRuntime } from "../support/fake-clock.ts";

/** Counts the reads of an eval that ends after some checks. */
function waiting(checksUntilEnd: number) {
  const reads = { checks: 0, whole: 0 };
  const store = {
    isOpen: async () => ++reads.checks < checksUntilEnd,
    find: async () => void reads.whole++,
  };
  const runtime = fakeRuntime();
  const engine = { acceptance: { open: true } };
  const parts = { platform: {}, runtime, engine, evals: { store, wake: () => undefined } };
  return { reads, clock: runtime.clock, calls: evalCalls(parts as unknown as RunParts) };
}

test("a wait checks the state of an eval, and reads the whole eval once at its end", async () => {
  const { reads, calls } = waiting(5);
  await calls.wait(open, "id", new AbortController().signal);
  expect(reads).toEqual({ checks: 5, whole: 1 });
});

test("a wait ends without another read when its request is aborted", async () => {
  const { reads, calls } = waiting(Number.POSITIVE_INFINITY);
  expect(await calls.wait(open, "id", AbortSignal.abort())).toBeUndefined();
  expect(reads).toEqual({ checks: 0, whole: 0 });
});

test("a wait ends after two minutes", async () => {
  const { reads, clock, calls } = waiting(Number.POSITIVE_INFINITY);
  await calls.wait(open, "id", new AbortController().signal);
  expect(reads.whole).toBe(1);
  expect(clock.monotonic()).toBeGreaterThanOrEqual(120_000);
  expect(clock.monotonic()).toBeLessThan(121_000);
});
