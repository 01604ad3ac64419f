import { expect, onTestFinished, test, vi } from "vitest";
import { testRuntime } from "../support/runtime.ts";

test("a timer of 90 days fires after 90 days, and can be cancelled before that", () => {
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
