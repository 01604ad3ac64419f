import { onTestFinished, vi } from "vitest";

/** Moves the wall clock of this process ahead until the end of the test. Timers keep their pace. */
export function moveClock(milliseconds: number): void {
  const now = Date.now;
  const moved = vi.spyOn(Date, "now").mockImplementation(() => now() + milliseconds);
  onTestFinished(() => moved.mockRestore());
}
