/** How long the logs of ended runs stay in memory, and how many of them. */
import { expect, test } from "vitest";
import { Journal } from "../../src/events/journal.ts";
import { LiveLogs } from "../../src/events/live-log.ts";
import { Logs } from "../../src/events/logs.ts";
import { defaultSettings, type Settings } from "../../src/model/settings.ts";
import { localSignals } from "../../src/store/sqlite/signals.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { LogStore } from "../support/log-store.ts";
import { silentLog, testRuntime } from "../support/runtime.ts";

const event = { name: "RunContent", members: `"content":${JSON.stringify("a".repeat(900))}` };
const ending = { to: "COMPLETED", event, output: null, at: 0 } as const;

interface Opened {
  readonly clock: FakeClock;
  readonly live: LiveLogs;
  readonly logs: Logs;
  /** Number of reads of stored events. */
  readonly reads: () => number;
  readonly run: (key: number) => Promise<void>;
}

function openLogs(chosen: Partial<Settings> = {}): Opened {
  const fake = new LogStore();
  const clock = new FakeClock();
  const settings = { ...defaultSettings, ...chosen };
  const live = new LiveLogs(settings, clock);
  let reads = 0;
  const { store } = fake;
  const segments: typeof store.segments = (...input) => {
    reads += 1;
    return store.segments(...input);
  };
  const parts = { signals: localSignals(silentLog), runtime: testRuntime, settings, live };
  const journal = new Journal({ ...parts, store });
  const run = async (key: number): Promise<void> => {
    fake.statusOf.set(key, "RUNNING");
    const writer = journal.open({ key, attempt: 1, nextIndex: 0, firstKept: 0 });
    await writer.commit({}, ending);
  };
  return { clock, live, logs: new Logs({ ...parts, store: { ...store, segments } }), reads: () => reads, run };
}

async function follow(logs: Logs, key: number): Promise<string> {
  let text = "";
  for await (const item of logs.follow(key, { cursor: -1, signal: new AbortController().signal })) {
    text += item.kind === "frames" ? item.bytes.toString() : item.kind;
  }
  return text;
}

test("the events of an ended run leave memory after a while, and a follower then gets the same bytes from the database [L3]", async () => {
  const { clock, live, logs, reads, run } = openLogs();
  await run(1);
  const fromMemory = await follow(logs, 1);
  expect(live.bytes).toBeGreaterThan(900);
  expect(reads()).toBe(0);
  clock.advance(defaultSettings.endedRingDuration);
  expect(live.bytes).toBe(0);
  expect(live.get(1)).toBeUndefined();
  expect(await follow(logs, 1)).toBe(fromMemory);
  expect(reads()).toBe(1);
});

test("each ended run stays in memory for the full duration after its own end", async () => {
  const { clock, live, run } = openLogs();
  await run(1);
  clock.advance(6_000);
  await run(2);
  clock.advance(4_000);
  expect([live.get(1), live.get(2)].map(Boolean)).toEqual([false, true]);
  clock.advance(6_000);
  expect(live.get(2)).toBeUndefined();
  expect(clock.timers).toBe(0);
});

test("a live run stays in memory while ended runs leave it", async () => {
  const { clock, live, run } = openLogs();
  const log = live.open({ key: 5, attempt: 1, nextIndex: 0, firstKept: 0 });
  live.committed(log, 0, 0, Buffer.alloc(100));
  await run(1);
  expect(live.live).toBe(1);
  clock.advance(60_000);
  expect(live.bytes).toBe(100);
  live.dropFinished();
  expect(live.get(5)).toBe(log);
});

test("ended runs use at most an eighth of the bound for all rings, the latest of them [L8]", async () => {
  const { live, run } = openLogs({ maxTotalRingBytes: 24_000 });
  for (let key = 1; key <= 6; key++) await run(key);
  expect(live.bytes).toBeLessThanOrEqual(3_000);
  expect([1, 2, 3, 4, 5, 6].filter((key) => live.get(key))).toEqual([4, 5, 6]);
});

test("a log whose end could not be stored stays in memory, because the database does not have its end", () => {
  const { clock, live } = openLogs();
  const log = live.open({ key: 1, attempt: 1, nextIndex: 0, firstKept: 0 });
  live.fail(log);
  clock.advance(60_000);
  live.dropFinished();
  expect(live.get(1)).toBe(log);
});

test("a log that expires in less than a millisecond gets a timer of a millisecond, so that the clock advances", () => {
  const timers: { delay: number; callback: () => void }[] = [];
  let now = 0;
  const clock = {
    monotonic: () => now,
    after: (delay: number, callback: () => void) => {
      timers.push({ delay, callback });
      return () => {};
    },
  };
  const live = new LiveLogs({ ...defaultSettings, endedRingDuration: 10 }, clock);
  live.moved(live.open({ key: 1, attempt: 1, nextIndex: 0, firstKept: 0 }), "COMPLETED");
  now = 10 - 1e-9;
  timers[0]?.callback();
  expect(timers.map(({ delay }) => delay)).toEqual([10, 1]);
});
