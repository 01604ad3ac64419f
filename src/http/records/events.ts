/** Events of a run as its record lists them: those of its log without the pieces of its answer, which it has whole. */
import { eachFrame, frameData, frameName } from "../../model/frame.ts";
import type { RunOptions } from "../../model/record.ts";
import type { RunRow, Store } from "../../store/seam.ts";

/** An event, as it was sent. */
export type StoredEvent = Record<string, unknown>;

const pieces: ReadonlySet<string> = new Set(["RunContent", "TeamRunContent"]);

/** Bytes of the log read at a time. */
const readBytes = 256 * 1024;

/** Whether the run was started as a stream: only such runs list their events. */
export function listsEvents({ options, parentKey }: RunRow): boolean {
  return parentKey === null && (JSON.parse(options) as RunOptions).stream === true;
}

/** The events of a root run so far; none for one that was not started as a stream. */
export async function readEvents(store: Pick<Store, "head" | "segments">, run: RunRow): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  if (!listsEvents(run)) return events;
  const head = await store.head(run.key);
  for (let cursor = -1; head && cursor + 1 < head.nextIndex; ) {
    const segments = await store.segments(run.key, cursor, readBytes);
    const last = segments.at(-1);
    if (!last) break;
    for (const { frames } of segments) {
      for (const frame of eachFrame(frames)) {
        if (!pieces.has(frameName(frame))) events.push(JSON.parse(frameData(frame)) as StoredEvent);
      }
    }
    cursor = last.lastIndex;
  }
  return events;
}
