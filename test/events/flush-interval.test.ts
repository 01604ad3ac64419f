/** The times at which flushes of the group commit begin. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { Journal } from "../../src/events/journal.ts";
import { LiveLogs } from "../../src/events/live-log.ts";
import type { RunWriter } from "../../src/events/run-writer.ts";
import { defaultSettings } from "../../src/model/settings.ts";
import { localSignals } from "../../src/store/sqlite/signals.ts";
import { FakeClock, fakeRuntime } from "../support/fake-clock.ts";
import { LogStore } from "../support/log-store.ts";
import { silentLog } from "../support/runtime.ts";

const event = { name: "RunContent", members: '"content":"a"' };
const interval = 200;

interface OpenRuns {
  readonly fake: LogStore;
  readonly journal: Journal;
  readonly writers: readonly RunWriter[];
  /** Advances the clock and lets due work run. */
  pass(milliseconds: number): Promise<void>;
}

function openRuns(count: number, living = 1): OpenRuns {
  const fake = new LogStore();
  const clock = new FakeClock();
  const settings = { ...defaultSettings, flushInterval: interval };
  const live = new LiveLogs(settings, clock);
  const parts = {
    store: fake.store,
    signals: localSignals(silentLog),
    runtime: fakeRuntime(clock),
    settings,
    live,
    living: () => living,
  };
  const journal = new Journal(parts);
  const writers = Array.from({ length: count }, (_, key) =>
    journal.open({ key, attempt: 1, nextIndex: 0, firstKept: 0 }),
  );
  const pass = async (milliseconds: number): Promise<void> => {
    clock.advance(milliseconds);
    for (let turns = 0; turns < 5; turns++) await nextTurn();
  };
  return { fake, journal, writers, pass };
}

/** The number of writes in each flush. */
const sizesOf = ({ fake }: OpenRuns): number[] => fake.flushes.map(({ length }) => length);

test("without a waiting writer, the first flush begins at once and the next one an interval later", async () => {
  const runs = openRuns(20);
  for (const writer of runs.writers) {
    writer.append(event);
    await runs.pass(0);
  }
  await runs.pass(interval - 1);
  expect(sizesOf(runs)).toEqual([1]);
  await runs.pass(1);
  expect(sizesOf(runs)).toEqual([1, 19]);
  await runs.journal.idle();
});

test.each([
  [2, 2],
  [4, 4],
  [50, 6],
])("with %i processes on one database, the flush interval is %i times as long", async (living, times) => {
  const runs = openRuns(3, living);
  const [first, ...others] = runs.writers as [RunWriter, ...RunWriter[]];
  first.append(event);
  await runs.pass(0);
  for (const writer of others) writer.append(event);
  await runs.pass(times * interval - 1);
  expect(sizesOf(runs)).toEqual([1]);
  await runs.pass(1);
  expect(sizesOf(runs)).toEqual([1, 2]);
});

test("a commit, a run creation and a loop that waits for room start the next flush at once", async () => {
  const runs = openRuns(2);
  const { journal } = runs;
  const [one, other] = runs.writers as [RunWriter, RunWriter];
  one.append(event);
  await runs.pass(0);
  other.append(event);
  await runs.pass(0);
  expect(sizesOf(runs)).toEqual([1]);
  await one.commit();
  expect(sizesOf(runs)).toEqual([1, 2]);
  await journal.create({ runId: "r", input: "{}", options: "{}", sessionState: "{}" } as never);
  expect(sizesOf(runs)).toEqual([1, 2, 1]);
  other.append({ name: "RunContent", members: `"content":"${"x".repeat(70_000)}"` });
  await journal.room(other);
  expect(sizesOf(runs)).toEqual([1, 2, 1, 1]);
});

test("a full flush does not wait for the interval", async () => {
  const runs = openRuns(10);
  runs.writers[0]?.append(event);
  await runs.pass(0);
  for (const writer of runs.writers)
    writer.append({ name: "RunContent", members: `"content":"${"x".repeat(60_000)}"` });
  await runs.pass(0);
  expect(sizesOf(runs)[0]).toBe(1);
  expect(sizesOf(runs).length).toBeGreaterThan(1);
});
