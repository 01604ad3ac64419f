/** Events of a run as its record lists them: those of its log without the pieces of its answer, which it has whole, and without copies of itself. */
import { storedFrames } from "../../events/stored-frames.ts";
import { eachFrame, frameData, frameName } from "../../model/frame.ts";
import type { RunOptions } from "../../model/record.ts";
import type { RunRow, Store } from "../../store/seam.ts";

/** An event, as it was sent. */
export type StoredEvent = Record<string, unknown>;

const pieces: ReadonlySet<string> = new Set(["RunContent", "TeamRunContent", "WorkflowRunOutput"]);

/** Whether the run was started as a stream: only such runs list their events. */
export function listsEvents({ options, parentKey }: RunRow): boolean {
  return parentKey === null && (JSON.parse(options) as RunOptions).stream === true;
}

/** The events of a root run so far; none for one that was not started as a stream. */
export async function readEvents(store: Pick<Store, "head" | "segments">, run: RunRow): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  if (!listsEvents(run)) return events;
  const head = await store.head(run.key);
  for await (const frames of storedFrames(store, run.key, head?.nextIndex ?? 0)) {
    for (const frame of eachFrame(frames)) {
      if (!pieces.has(frameName(frame))) events.push(JSON.parse(frameData(frame)) as StoredEvent);
    }
  }
  return events;
}
