/** Signals of a run's events: a process publishes them only if another process follows the run. */
import { expect, test } from "vitest";
import { Journal } from "../../src/events/journal.ts";
import { LiveLogs } from "../../src/events/live-log.ts";
import { Logs } from "../../src/events/logs.ts";
import { defaultSettings } from "../../src/model/settings.ts";
import type { Signal, Signals } from "../../src/store/contract/signals.ts";
import { localSignals } from "../../src/store/sqlite/signals.ts";
import { eventually } from "../support/eventually.ts";
import { LogStore } from "../support/log-store.ts";
import { silentLog, testRuntime } from "../support/runtime.ts";

/** An interval so long that no follower gets an event from the slow poll. */
const settings = { ...defaultSettings, followPollInterval: 600_000 };

interface Process {
  readonly journal: Journal;
  readonly logs: Logs;
  /** The signals that this process published. */
  readonly told: Signal[];
}

/** Processes that share a store and receive each other's signals. */
function openProcesses(fake: LogStore, count: number): readonly Process[] {
  const all = Array.from({ length: count }, () => localSignals(silentLog));
  return all.map((own) => {
    const told: Signal[] = [];
    const publish = (signal: Signal): void => {
      told.push(signal);
      for (const signals of all) signals.publish(signal);
    };
    const signals: Signals = { ...own, publish };
    const live = new LiveLogs(settings, testRuntime.clock);
    const parts = { store: fake.store, signals, runtime: testRuntime, settings, live };
    return { journal: new Journal(parts), logs: new Logs(parts), told };
  });
}

const event = { name: "RunContent", members: '"content":"a"' };
const end = { to: "COMPLETED", event: { ...event, name: "RunCompleted" }, output: null, at: 0 } as const;

async function lastOf(logs: Logs): Promise<{ last: number; isOver: boolean }> {
  const found = { last: -1, isOver: false };
  for await (const item of logs.follow(1, { cursor: -1, signal: new AbortController().signal })) {
    if (item.kind === "frames") found.last = item.last;
    if (item.kind === "end") found.isOver = true;
  }
  return found;
}

test("a run that only its own process follows publishes no signals", async () => {
  const fake = new LogStore();
  const [one] = openProcesses(fake, 2) as [Process, Process];
  fake.statusOf.set(1, "RUNNING");
  const writer = one.journal.open({ key: 1, attempt: 1, nextIndex: 0, firstKept: 0 });
  const reading = lastOf(one.logs);
  for (let n = 0; n < 5; n++) {
    writer.append(event);
    await writer.commit();
  }
  await writer.commit({}, end);
  expect(await reading).toEqual({ last: 5, isOver: true });
  expect(one.told).toEqual([]);
  expect(fake.watched.size).toBe(0);
});

test("a follower in another process gets every event by signals, although it joins late", async () => {
  const fake = new LogStore();
  const [one, other] = openProcesses(fake, 2) as [Process, Process];
  fake.statusOf.set(1, "RUNNING");
  const writer = one.journal.open({ key: 1, attempt: 1, nextIndex: 0, firstKept: 0 });
  writer.append(event);
  await writer.commit();
  expect(one.told).toEqual([]);
  const reading = lastOf(other.logs);
  await eventually(() => expect(fake.watched).toEqual(new Set([1])));
  for (let n = 0; n < 5; n++) {
    writer.append(event);
    await writer.commit();
  }
  await writer.commit({}, end);
  expect(await reading).toEqual({ last: 6, isOver: true });
  expect(one.told.length).toBe(6);
});

test("a reader of a finished run does not watch it", async () => {
  const fake = new LogStore();
  const [one, other] = openProcesses(fake, 2) as [Process, Process];
  fake.statusOf.set(1, "RUNNING");
  const writer = one.journal.open({ key: 1, attempt: 1, nextIndex: 0, firstKept: 0 });
  await writer.commit({}, end);
  expect(await lastOf(other.logs)).toEqual({ last: 0, isOver: true });
  expect(fake.watched.size).toBe(0);
});
