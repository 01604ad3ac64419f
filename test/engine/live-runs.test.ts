/** The attempts of runs that a process executes, their memory, and how many it takes over at once. */
import { expect, test } from "vitest";
import { LiveRuns } from "../../src/engine/process/live-runs.ts";
import { RunMemory } from "../../src/engine/process/run-memory.ts";
import { Takeovers } from "../../src/engine/process/takeovers.ts";
import { FakeClock } from "../support/fake-clock.ts";

test("an earlier attempt counts as live while a later attempt of the same run executes [L7]", () => {
  const live = new LiveRuns();
  expect(live.has({ key: 1, attempt: 1 })).toBe(false);
  const later = live.add({ key: 1, attempt: 3 });
  expect(live.has({ key: 1, attempt: 1 })).toBe(true);
  expect(live.has({ key: 1, attempt: 3 })).toBe(true);
  expect(live.has({ key: 1, attempt: 4 })).toBe(false);
  expect(live.has({ key: 2, attempt: 1 })).toBe(false);
  expect(later.signal.aborted).toBe(false);
});

test("a later attempt stops the earlier one, and the end of the earlier one does not remove the later", () => {
  const live = new LiveRuns();
  const earlier = live.add({ key: 1, attempt: 1 });
  const later = live.add({ key: 1, attempt: 2 });
  expect(earlier.signal.reason).toMatchObject({ reason: { kind: "lost" } });
  live.remove(1, earlier);
  expect(live.has({ key: 1, attempt: 2 })).toBe(true);
  live.remove(1, later);
  expect(live.size).toBe(0);
});

const MiB = 1024 * 1024;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("at the memory bound a few runs grow and the others wait, and a run that stops growing yields its place [L8]", async () => {
  const clock = new FakeClock();
  const memory = new RunMemory({ maxBytes: 20 * MiB, clock });
  const runs = Array.from({ length: 20 }, () => memory.open(null));
  for (const run of runs) run.add(MiB);
  expect(memory.isFull).toBe(true);
  const growing = new Set(runs.filter((run) => run.room() === undefined));
  expect(growing.size).toBe(8);
  const woken: number[] = [];
  for (const [place, run] of runs.entries()) void run.room()?.then(() => woken.push(place));
  await turn();
  expect(woken).toEqual([]);

  // Far above the bound only one run grows.
  runs[0]!.add(6 * MiB);
  expect([...growing].filter((run) => run.room() === undefined)).toEqual([runs[0]]);
  // No run grows for a while: waiting runs take the places.
  clock.advance(2_000);
  await turn();
  expect(woken.length).toBeGreaterThan(0);
  expect(woken.length).toBeLessThan(12);

  runs[0]!.release();
  runs[1]!.release();
  await turn();
  expect(memory.isFull).toBe(false);
  expect(new Set(woken).size).toBe(12);
  for (const run of runs.slice(2)) run.release();
  expect(memory.open(null).room()).toBeUndefined();
});

test("memory is full for a user with half of it, and not for other users", () => {
  const memory = new RunMemory({ maxBytes: 10 * MiB, clock: new FakeClock() });
  memory.open("a").add(5 * MiB);
  expect([memory.isFull, memory.isFullFor("a"), memory.isFullFor("b"), memory.isFullFor(null)]).toEqual([
    ...[false, true, false],
    false,
  ]);
});

test("takeover slots begin at eight, grow with takeovers that end or stay alive, and stalled runs have one slot at first", async () => {
  const clock = new FakeClock();
  let asked = 0;
  const takeovers = new Takeovers({ clock, onRoom: () => void asked++ });
  const begin = (stalledTakeovers: number): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    takeovers.begin({ stalledTakeovers }, promise);
    return resolve;
  };
  expect(takeovers.slots).toEqual({ fresh: 8, stalled: 1 });
  begin(0);
  const ends = Array.from({ length: 8 }, () => begin(1));
  expect(takeovers.slots).toEqual({ fresh: 0, stalled: 0 });
  // One takeover ends; the others still run after a while.
  ends[0]!();
  await turn();
  expect([takeovers.slots.fresh, asked]).toEqual([2, 1]);
  clock.advance(1_000);
  expect([takeovers.slots.fresh, asked]).toEqual([16, 8]);
  begin(2);
  expect(takeovers.slots.stalled).toBe(0);
  clock.advance(1_000);
  expect(takeovers.slots.stalled).toBe(2);
  clock.advance(60_000);
  expect(takeovers.slots).toEqual({ fresh: 8, stalled: 1 });
});
