import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LogItem } from "../../src/events/run-logs.ts";
import { onlyEvents } from "../../src/http/streams/meta-frames.ts";
import { fromCursor, fromStart } from "../../src/http/streams/resume.ts";
import { encodeFrames } from "../../src/model/frame.ts";
import type { RunHead } from "../../src/store/contract/store.ts";

const run = { runId: "r-1", kind: "team" } as const;

function headAt(nextIndex: number, status: RunHead["status"]): RunHead {
  return { status, nextIndex, firstKept: 0, attempt: 1, cancelRequested: false };
}

function frame(index: number): string {
  const name = index % 3 === 0 ? "TeamRunContent" : "RunStarted";
  return encodeFrames(index, [{ name, members: `"n":"é${index}"` }]).toString();
}

function frames(first: number, last: number): Extract<LogItem, { kind: "frames" }> {
  const all = Array.from({ length: last - first + 1 }, (_, place) => frame(first + place));
  return { kind: "frames", first, last, bytes: Buffer.from(all.join("")) };
}

/** The reader's text for a log from `cursor + 1` to `last` that arrives in pieces of the given sizes. */
function read(head: RunHead, requested: number | undefined, last: number, sizes: readonly number[]): string {
  const shown = fromCursor(run, head, requested);
  let text = shown.opening;
  let first = shown.cursor + 1;
  for (let turn = 0; first <= last; turn++) {
    const until = Math.min(first + (sizes[turn % sizes.length] ?? 1) - 1, last);
    text += shown.translate(frames(first, until)).join("");
    first = until + 1;
  }
  return text;
}

const isMeta = (part: string): boolean => !/\nid: \d+\n\n$/.test(part);

describe("the translation of a log to a resumed stream", () => {
  test("yields the events after the cursor for any pieces, with subscribed right after the missed ones", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 0, max: 40 }),
        fc.option(fc.integer({ min: -5, max: 60 }), { nil: undefined }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (there, more, requested, sizes) => {
          const last = there + more - 1;
          const parts = read(headAt(there, "RUNNING"), requested, last, sizes)
            .split(/(?<=\n\n)/)
            .filter(Boolean);
          const cursor = Math.max(requested ?? -1, -1);
          const expected = Array.from({ length: Math.max(last - cursor, 0) }, (_, place) => frame(cursor + 1 + place));
          expect(parts.filter((part) => !isMeta(part))).toEqual(expected);

          const missed = Math.max(there - cursor - 1, 0);
          const subscribed = parts.findIndex((part) => part.startsWith("event: subscribed\n"));
          expect(subscribed).toBe(missed === 0 ? 0 : missed + 1);
          expect(parts.filter(isMeta).length).toBe(missed === 0 ? 1 : 2);
          expect(parts[0]?.startsWith("event: catch_up\n")).toBe(missed > 0);
        },
      ),
    );
  });

  test("replays a completed run with the recorded counts", () => {
    expect(fromCursor(run, headAt(59, "COMPLETED"), 13).opening).toBe(
      'event: replay\ndata: {"event": "replay", "run_id": "r-1", "status": "COMPLETED", "total_events": 45, "total_buffered": 59, "last_event_index_requested": 13, "message": "Run COMPLETED. Replaying 45 missed events (of 59 total)."}\n\n',
    );
  });

  test("replays a paused run", () => {
    expect(fromCursor(run, headAt(5, "PAUSED"), undefined).opening).toContain('"status": "PAUSED", "total_events": 5');
  });

  test("subscribes to a pending run at once", () => {
    expect(fromCursor(run, headAt(0, "PENDING"), undefined).opening).toMatch(/^event: subscribed\n/);
  });

  test.each([
    [-5, -1, 59],
    [58, 58, 0],
    [100_000, 100_000, 0],
    [Number.MAX_SAFE_INTEGER, 2 ** 31 - 2, 0],
  ])("[R11] for the requested index %i continues after %i and counts %i missed events", (requested, cursor, missed) => {
    const shown = fromCursor(run, headAt(59, "COMPLETED"), requested);
    expect(shown.cursor).toBe(cursor);
    expect(shown.opening).toContain(`"total_events": ${missed},`);
    expect(shown.opening).toContain(`"last_event_index_requested": ${requested},`);
  });

  test("sends a gap frame with the first available index", () => {
    const [told] = fromStart(run).translate({ kind: "gap", requested: 3, firstAvailable: 7 });
    expect(told).toBe(
      'event: gap\ndata: {"event": "gap", "run_id": "r-1", "requested_index": 3, "first_available_index": 7}\n\n',
    );
  });

  test("ends with the recorded error frame if the run is deleted", () => {
    expect(fromStart(run).translate({ kind: "deleted" })).toEqual([
      'event: error\ndata: {"event": "error", "error": "Run r-1 not found in buffer or database"}\n\n',
    ]);
  });
});

describe("onlyEvents", () => {
  test("keeps whole frames of the given events, byte for byte", () => {
    const wanted = onlyEvents(frames(0, 9).bytes, new Set(["TeamRunContent"]));
    expect(wanted.toString()).toBe([0, 3, 6, 9].map(frame).join(""));
    expect(onlyEvents(frames(1, 2).bytes, new Set(["TeamRunContent"])).length).toBe(0);
  });
});
