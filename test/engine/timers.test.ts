import { expect, onTestFinished, test, vi } from "vitest";
import { testRuntime } from "../support/runtime.ts";

test("a time-out of months waits for months, and can be taken back all the while", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const day = 24 * 3_600_000;
  const called: string[] = [];
  testRuntime.clock.after(90 * day, () => called.push("months"));
  const takeBack = testRuntime.clock.after(90 * day, () => called.push("taken back"));
  vi.advanceTimersByTime(89 * day);
  takeBack();
  expect(called).toEqual([]);
  vi.advanceTimersByTime(2 * day);
  expect(called).toEqual(["months"]);
});
