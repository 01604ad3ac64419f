/** The events that a run's record lists: its log without the answer's chunks, which the record has in full, and without copies of the record. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { storedFrames } from "../../events/stored-frames.ts";
import { eachFrame, frameData, frameName } from "../../model/frame.ts";
import type { RunOptions } from "../../model/record.ts";
import type { RunRow, Store } from "../../store/contract/store.ts";
import { rawJson } from "../transport/json-pieces.ts";

/** An event as it was sent. */
export type StoredEvent = Record<string, unknown>;

/** Bytes of a log that are read before other requests get a turn. */
const yieldBytes = 1024 * 1024;

const pieces: ReadonlySet<string> = new Set(["RunContent", "TeamRunContent", "WorkflowRunOutput"]);

/** Whether the run was started as a stream: only such runs list their events. */
export function listsEvents({ options, parentKey }: RunRow): boolean {
  return parentKey === null && (JSON.parse(options) as RunOptions).stream === true;
}

/** The events of a root run so far; empty if it was not started as a stream. */
export async function readEvents(store: Pick<Store, "head" | "segments">, run: RunRow): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const part of eventsOf(store, run)) events.push(...part.events);
  return events;
}

/**
 * The events of a root run in parts, each with the bytes of the log that were read for it. Yields the event loop between parts: an in-process
 * database answers without yielding.
 */
export async function* eventsOf(
  store: Pick<Store, "head" | "segments">,
  run: RunRow,
): AsyncGenerator<{ readonly events: readonly StoredEvent[]; readonly bytes: number }, void> {
  if (!listsEvents(run)) return;
  const head = await store.head(run.key);
  let unyielded = 0;
  for await (const frames of storedFrames(store, run.key, head?.nextIndex ?? 0)) {
    const events: StoredEvent[] = [];
    for (const frame of eachFrame(frames)) {
      if (!pieces.has(frameName(frame))) events.push(rawJson(frameData(frame)));
    }
    yield { events, bytes: frames.length };
    unyielded += frames.length;
    if (unyielded < yieldBytes) continue;
    unyielded = 0;
    await nextTurn();
  }
}
