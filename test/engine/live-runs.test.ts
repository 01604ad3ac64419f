/** Which attempts of runs a process executes. */
import { expect, test } from "vitest";
import { LiveRuns } from "../../src/engine/process/live-runs.ts";

test("an attempt that is told of late begins nothing where a later one goes on already [L7]", () => {
  const live = new LiveRuns();
  expect(live.has({ key: 1, attempt: 1 })).toBe(false);
  const later = live.add({ key: 1, attempt: 3 });
  expect(live.has({ key: 1, attempt: 1 })).toBe(true);
  expect(live.has({ key: 1, attempt: 3 })).toBe(true);
  expect(live.has({ key: 1, attempt: 4 })).toBe(false);
  expect(live.has({ key: 2, attempt: 1 })).toBe(false);
  expect(later.signal.aborted).toBe(false);
});

test("a later attempt stops the earlier one, whose end takes nothing away", () => {
  const live = new LiveRuns();
  const earlier = live.add({ key: 1, attempt: 1 });
  const later = live.add({ key: 1, attempt: 2 });
  expect(earlier.signal.reason).toMatchObject({ reason: { kind: "lost" } });
  live.remove(1, earlier);
  expect(live.has({ key: 1, attempt: 2 })).toBe(true);
  live.remove(1, later);
  expect(live.size).toBe(0);
});
