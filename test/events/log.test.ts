import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Journal } from "../../src/events/journal.ts";
import { LiveLogs } from "../../src/events/live-log.ts";
import { Logs } from "../../src/events/logs.ts";
import type { LogItem } from "../../src/events/run-logs.ts";
import type { RunWriter } from "../../src/events/run-writer.ts";
import { defaultSettings, type Settings } from "../../src/model/settings.ts";
import { localSignals } from "../../src/store/sqlite/signals.ts";
import { LogStore } from "../support/log-store.ts";
import { silentLog, testRuntime } from "../support/runtime.ts";

function openLog(chosen: Partial<Settings> = {}): {
  fake: LogStore;
  journal: Journal;
  logs: Logs;
  writer: RunWriter;
} {
  const fake = new LogStore();
  const settings = { ...defaultSettings, ...chosen };
  const live = new LiveLogs(settings, testRuntime.clock);
  const parts = { store: fake.store, signals: localSignals(silentLog), runtime: testRuntime, settings, live };
  const journal = new Journal(parts);
  fake.statusOf.set(1, "RUNNING");
  const writer = journal.open({ key: 1, attempt: 1, nextIndex: 0, firstKept: 0 });
  return { fake, journal, logs: new Logs(parts), writer };
}

const event = (text: string): { name: string; members: string } => ({
  name: "RunContent",
  members: `"content":${JSON.stringify(text)}`,
});
const frame = (index: number, text: string): string =>
  `event: RunContent\ndata: {"content":${JSON.stringify(text)},"event_index":${index}}\nid: ${index}\n\n`;
const ending = { to: "COMPLETED", event: event("end"), output: null, at: 0 } as const;

async function read(logs: Logs, cursor = -1): Promise<{ text: string; items: LogItem[] }> {
  const items: LogItem[] = [];
  for await (const item of logs.follow(1, { cursor, signal: new AbortController().signal })) items.push(item);
  const text = items.map((item) => (item.kind === "frames" ? item.bytes.toString() : "")).join("");
  return { text, items };
}

function stored(fake: LogStore): string {
  return (fake.segmentsOf.get(1) ?? []).map(({ frames }) => frames.toString()).join("");
}

describe("the log of one run", () => {
  test("a reader that has events beyond the end of the stored log gets an error, not the events that take their place [L3]", async () => {
    const { fake, journal, logs, writer } = openLog({ followPollInterval: 5 });
    for (const text of ["a", "b", "c"]) writer.append(event(text));
    await writer.commit({});
    const items: LogItem[] = [];
    for await (const item of logs.follow(1, { cursor: -1, signal: new AbortController().signal })) {
      items.push(item);
      if (item.kind !== "frames") continue;
      // The database loses two events, and this process loses the run.
      const [first] = fake.segmentsOf.get(1) ?? [];
      fake.segmentsOf.set(1, first ? [{ ...first, lastIndex: 0, frames: Buffer.from(frame(0, "a")) }] : []);
      fake.decide = () => ({ kind: "lost" });
      writer.append(event("d"));
      await journal.idle();
    }
    expect(items.map(({ kind }) => kind)).toEqual(["frames", "unreadable"]);
  });

  test("numbers events from 0 and stores whole frames with the index as last field [L1] [V2] [V10]", async () => {
    const { logs, writer } = openLog();
    writer.append(event("a"));
    writer.append(event("b\n\nc"));
    await writer.commit({}, ending);
    const { text, items } = await read(logs);
    expect(text).toBe(frame(0, "a") + frame(1, "b\n\nc") + frame(2, "end"));
    expect(items.at(-1)).toEqual({ kind: "end", status: "COMPLETED" });
  });

  test("stores both events of an ending in one flush, however small the flush is, and neither if the ending is rejected", async () => {
    for (let before = 0; before < 4; before++) {
      for (const size of [1, 100, 160, 220, 10_000]) {
        const { fake, writer } = openLog({ maxFlushBytes: size, maxFlushShareBytes: size });
        for (let count = 0; count < before; count++) writer.append(event(`${count}`));
        await writer.commit({}, { ...ending, to: "PAUSED", event: event("paused"), after: event("record") });
        const ends = (fake.segmentsOf.get(1) ?? []).map(({ lastIndex }) => lastIndex);
        expect(stored(fake)).toBe(
          [...Array.from({ length: before }, (_, count) => `${count}`), "paused", "record"]
            .map((text, index) => frame(index, text))
            .join(""),
        );
        expect(ends).not.toContain(before);
      }
    }
  });

  test("shows nothing before its flush has committed [L2]", async () => {
    const { fake, logs, writer } = openLog();
    let commit = (): void => undefined;
    fake.before = () => new Promise((resolve) => (commit = resolve));
    const reader = logs.follow(1, { cursor: -1, signal: new AbortController().signal });
    writer.append(event("a"));
    let seen: unknown;
    const reading = reader.next().then(({ value }) => (seen = value));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(seen).toBeUndefined();
    commit();
    await reading;
    expect(seen).toMatchObject({ kind: "frames", first: 0, last: 0 });
    await reader.return();
  });

  test("returns exactly the log to a reader that drops and resumes at any events [L3]", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "binary", maxLength: 200 }), { minLength: 1, maxLength: 60 }),
        fc.array(fc.nat(9), { maxLength: 40 }),
        fc.nat(2_000),
        async (texts, drops, ringBytes) => {
          const { fake, logs, writer } = openLog({
            maxRingBytes: ringBytes + 1,
            maxFlushShareBytes: 300,
            maxFlushBytes: 600,
          });
          const writing = (async () => {
            for (const text of texts) {
              writer.append(event(text));
              if (text.length % 3 === 0) await writer.commit();
            }
            await writer.commit({}, ending);
          })();
          let cursor = -1;
          let text = "";
          for (const drop of [...drops, 1_000]) {
            let left = drop;
            for await (const item of logs.follow(1, { cursor, signal: new AbortController().signal })) {
              if (item.kind !== "frames") break;
              expect(item.first).toBe(cursor + 1);
              text += item.bytes.toString();
              cursor = item.last;
              if (left-- === 0) break;
            }
          }
          await writing;
          expect(text).toBe(stored(fake));
          expect(text).toBe([...texts, "end"].map((one, index) => frame(index, one)).join(""));
        },
      ),
      { numRuns: 100 },
    );
  });

  test("drops only a rejected ending: earlier events are stored, and another ending can follow [L5]", async () => {
    const { fake, logs, writer } = openLog();
    fake.decide = (write) =>
      write.kind === "run" && write.transition?.to === "COMPLETED"
        ? { kind: "state", status: "RUNNING", cancelRequested: true }
        : undefined;
    writer.append(event("a"));
    const outcome = await writer.commit(
      { messages: [{ runKey: 1, position: 0, id: "m", createdAt: 0, body: "{}" }] },
      ending,
    );
    expect(outcome).toMatchObject({ kind: "state", cancelRequested: true });
    expect(stored(fake)).toBe(frame(0, "a"));
    const cancelled = await writer.commit({}, { ...ending, to: "CANCELLED", event: event("cancelled") });
    expect(cancelled.kind).toBe("committed");
    expect((await read(logs)).text).toBe(frame(0, "a") + frame(1, "cancelled"));
    const messages = fake.flushes
      .flat()
      .flatMap((write) => (write.kind === "run" && write.transition?.to !== "COMPLETED" ? (write.messages ?? []) : []));
    expect(messages).toHaveLength(1);
  });

  test("stores nothing from a writer that has lost the run, and its commits return lost [L7]", async () => {
    const { fake, writer } = openLog();
    writer.append(event("a"));
    await writer.commit();
    fake.decide = () => ({ kind: "lost" });
    writer.append(event("b"));
    expect(await writer.commit()).toEqual({ kind: "lost" });
    fake.decide = () => undefined;
    writer.append(event("c"));
    expect(await writer.commit()).toEqual({ kind: "lost" });
    expect(stored(fake)).toBe(frame(0, "a"));
  });

  test("keeps the indexes and live frames of the next attempt correct after the earlier attempt loses the run [L1] [L7]", async () => {
    const { fake, journal, logs, writer } = openLog();
    writer.append(event("a"));
    await writer.commit();
    fake.decide = (write) => (write.kind === "run" && write.attempt === 1 ? { kind: "lost" } : undefined);
    writer.append(event("never"));
    const next = journal.open({ key: 1, attempt: 2, nextIndex: 1, firstKept: 0 });
    for (const text of ["b", "c"]) {
      next.append(event(text));
      expect((await next.commit()).kind).toBe("committed");
    }
    await next.commit({}, ending);
    expect(stored(fake)).toBe(frame(0, "a") + frame(1, "b") + frame(2, "c") + frame(3, "end"));
    expect((await read(logs)).text).toBe(stored(fake));
  });

  test("keeps the live log of the newest attempt when an earlier attempt opens its log late [L3]", async () => {
    const { journal, logs } = openLog();
    const next = journal.open({ key: 1, attempt: 3, nextIndex: 0, firstKept: 0 });
    journal.open({ key: 1, attempt: 2, nextIndex: 0, firstKept: 0 });
    const reading = read(logs);
    next.append(event("a"));
    await next.commit({}, ending);
    expect((await reading).text).toBe(frame(0, "a") + frame(1, "end"));
  });

  test("a reader reaches the end in the table when the writer learns that the run is over [L3]", async () => {
    const { fake, logs, writer } = openLog();
    writer.append(event("a"));
    await writer.commit();
    const reading = read(logs);
    fake.statusOf.set(1, "COMPLETED");
    fake.decide = () => ({ kind: "state", status: "COMPLETED", cancelRequested: false });
    expect((await writer.commit({}, ending)).kind).toBe("state");
    expect((await reading).items.at(-1)).toEqual({ kind: "end", status: "COMPLETED" });
  });

  test("limits the created runs of a flush by their bytes, with at least one", async () => {
    const { fake, journal } = openLog({ maxFlushBytes: 1_000 });
    const run = { runId: "r", input: "x".repeat(700), options: "{}", sessionState: "{}" } as never;
    await Promise.all([journal.create(run), journal.create(run), journal.create(run)]);
    expect(fake.flushes.map((writes) => writes.length)).toEqual([1, 1, 1]);
  });

  test("rejects commits after data that the database rejects, and still accepts an ERROR ending", async () => {
    const { fake, writer } = openLog();
    fake.decide = (write) =>
      write.kind === "run" && !write.transition ? { kind: "failed", error: new Error("no") } : undefined;
    writer.append(event("a"));
    expect((await writer.commit()).kind).toBe("failed");
    writer.append(event("b"));
    expect((await writer.commit()).kind).toBe("failed");
    expect((await writer.commit({}, ending)).kind).toBe("failed");
    expect((await writer.commit({}, { ...ending, to: "ERROR" })).kind).toBe("committed");
    expect(stored(fake)).toBe(frame(0, "end"));
  });

  test("the producer waits while the database is slow, and pending bytes stay bounded [L8]", async () => {
    const { fake, journal, writer } = openLog({ maxPendingBytes: 4_000 });
    let commit: (() => void) | undefined;
    fake.before = () => new Promise((resolve) => (commit = resolve));
    let sent = 0;
    const producing = (async () => {
      for (; sent < 200; sent++) {
        writer.append(event("x".repeat(100)));
        const wait = journal.room(writer);
        if (wait) await wait;
      }
    })();
    for (let look = 0; look < 20; look++) await new Promise((resolve) => setImmediate(resolve));
    expect(writer.pendingBytes).toBeLessThan(4_400);
    expect(sent).toBeLessThan(40);
    fake.before = () => Promise.resolve();
    commit?.();
    await producing;
    await journal.idle();
    expect(fake.segmentsOf.get(1)?.at(-1)?.lastIndex).toBe(199);
  });

  test("a run takes at most its share of a flush, and an event above the share has a flush of its own", async () => {
    const { fake, writer } = openLog({ maxFlushShareBytes: 500, maxFlushBytes: 1_000 });
    for (const size of [100, 100, 5_000, 100]) writer.append(event("y".repeat(size)));
    await writer.commit();
    const counts = fake.flushes.map(([write]) =>
      write?.kind === "run" && write.segment ? write.segment.lastIndex - write.segment.firstIndex + 1 : 0,
    );
    expect(counts).toEqual([2, 1, 1]);
  });

  test("a reader of events that are no longer kept gets a gap with the first available index [L4]", async () => {
    const { fake, journal, logs } = openLog();
    const store = fake.store;
    expect(journal).toBeDefined();
    const parts = {
      signals: localSignals(silentLog),
      runtime: testRuntime,
      settings: defaultSettings,
      live: new LiveLogs({ ...defaultSettings, maxRingBytes: 1, maxTotalRingBytes: 1 }, testRuntime.clock),
    };
    const expired = new Logs({
      ...parts,
      store: {
        ...store,
        head: () =>
          Promise.resolve({ status: "COMPLETED", nextIndex: 5, firstKept: 3, attempt: 1, cancelRequested: false }),
        segments: () =>
          Promise.resolve([{ firstIndex: 3, lastIndex: 4, frames: Buffer.from(frame(3, "d") + frame(4, "e")) }]),
      } as typeof store,
    });
    const { items } = await read(expired, 0);
    expect(items).toMatchObject([
      { kind: "gap", requested: 1, firstAvailable: 3 },
      { kind: "frames", first: 3, last: 4 },
      { kind: "end", status: "COMPLETED" },
    ]);
    logs.close();
  });
});

test("pending session state patches are merged into one write, and the later patch wins", async () => {
  const { fake, writer } = openLog();
  const set = JSON.parse('{"a":1,"b":null,"__proto__":{"x":1}}') as Record<string, unknown>;
  writer.append(event("a"), { statePatch: { set, remove: ["c", "d"] } });
  writer.append(event("b"), { statePatch: { set: { c: null, e: 2 }, remove: ["a"] } });
  await writer.commit();
  const [write] = fake.flushes.flat();
  const expected = JSON.parse('{"set":{"b":null,"__proto__":{"x":1},"c":null,"e":2},"remove":["d","a"]}');
  expect(write?.kind === "run" && write.statePatch).toEqual(expected);
});
