/** When flushes of the group commit begin. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { Journal } from "../../src/events/journal.ts";
import { LiveLogs } from "../../src/events/live-log.ts";
import type { RunWriter } from "../../src/events/run-writer.ts";
import { defaultSettings } from "../../src/model/settings.ts";
import { localSignals } from "../../src/store/signals-local.ts";
import { LogStore } from "../support/log-store.ts";
import { silentLog, testRuntime } from "../support/runtime.ts";

const event = { name: "RunContent", members: '"content":"a"' };

function openRuns(count: number, living = 1): { fake: LogStore; journal: Journal; writers: RunWriter[] } {
  const fake = new LogStore();
  const settings = { ...defaultSettings, flushInterval: 200 };
  const live = new LiveLogs(settings.ringBytes, settings.ringTotalBytes);
  const parts = {
    store: fake.store,
    signals: localSignals(silentLog),
    runtime: testRuntime,
    settings,
    live,
    living: () => living,
  };
  const journal = new Journal(parts);
  const writers = Array.from({ length: count }, (_, key) =>
    journal.open({ key, attempt: 1, nextIndex: 0, firstKept: 0 }),
  );
  return { fake, journal, writers };
}

test("flushes for which nobody waits begin an interval apart, the first one at once", async () => {
  const { fake, journal, writers } = openRuns(20);
  for (const writer of writers) {
    writer.append(event);
    await sleep(3);
  }
  expect(fake.flushes.length).toBe(1);
  await journal.idle();
  expect(fake.flushes.length).toBe(2);
  expect(fake.flushes[1]?.length).toBe(19);
});

test("processes that share a database take turns: the interval is some times as long, up to six times", async () => {
  const { fake, journal, writers } = openRuns(3, 50);
  const [first, ...others] = writers as [RunWriter, ...RunWriter[]];
  first.append(event);
  await sleep(20);
  for (const writer of others) writer.append(event);
  await sleep(400);
  expect(fake.flushes.length).toBe(1);
  await journal.idle();
  expect(fake.flushes.length).toBe(2);
});

test("a commit, a creation and a model that waits for room put the next flush forward", async () => {
  const { fake, journal, writers } = openRuns(2);
  const [one, other] = writers as [RunWriter, RunWriter];
  one.append(event);
  await sleep(20);
  const begun = performance.now();
  other.append(event);
  await one.commit();
  expect(fake.flushes.length).toBe(2);
  expect(fake.flushes[1]?.length).toBe(2);
  await journal.create({ runId: "r", input: "{}", options: "{}", sessionState: "{}" } as never);
  expect(fake.flushes.length).toBe(3);
  other.append({ name: "RunContent", members: `"content":"${"x".repeat(70_000)}"` });
  await journal.room(other);
  expect(fake.flushes.length).toBe(4);
  expect(performance.now() - begun).toBeLessThan(190);
});

test("a full flush is not put off", async () => {
  const { fake, writers } = openRuns(10);
  writers[0]?.append(event);
  await sleep(20);
  for (const writer of writers) writer.append({ name: "RunContent", members: `"content":"${"x".repeat(30_000)}"` });
  await sleep(60);
  expect(fake.flushes.length).toBeGreaterThan(1);
});
