/** Resumes streams: the contract's meta frames around the events. */

import type { LogItem } from "../../events/run-logs.ts";
import { framesBefore, framesFrom } from "../../model/frame.ts";
import { isActive } from "../../model/run/run.ts";
import { beyondAnyEnd, type RunHead } from "../../runs/follow.ts";
import { metaFrame, metaFramesOf } from "./meta-frames.ts";
import type { Stream } from "./sse.ts";

/** The run that a stream shows. */
export interface ReadRun {
  readonly runId: string;
  /** The kind's name in messages. */
  readonly kind: "agent" | "team" | "workflow";
}

type Translation = Pick<Stream, "opening" | "translate" | "cursor">;

/** Streams a run from its beginning: events without meta frames. */
export function fromStart(run: ReadRun, show: (bytes: Buffer) => Buffer = (bytes) => bytes): Translation {
  return {
    opening: "",
    cursor: -1,
    translate: (item) => (item.kind === "frames" ? [show(item.bytes)] : metaFramesOf(run, item)),
  };
}

/**
 * Streams a run's events after a cursor. Depends on the run's state at the time of the request: the stream of an
 * active run first catches up and then is live (`subscribed` follows the last event that existed); a finished run is
 * replayed. `requested` is the index that the client sent.
 */
export function fromCursor(run: ReadRun, head: RunHead, requested: number | undefined): Translation {
  const cursor = Math.min(Math.max(requested ?? -1, -1), beyondAnyEnd);
  const events = head.nextIndex;
  const missed = Math.max(events - cursor - 1, 0);
  if (!isActive(head.status)) return replayed(run, { status: head.status, events, missed, cursor, requested });

  const subscribed = metaFrame("subscribed", {
    run_id: run.runId,
    status: "running",
    current_event_count: events,
    message: `Subscribed to ${run.kind} run. Receiving live events.`,
  });
  if (missed === 0) return { ...fromStart(run), opening: subscribed, cursor };
  const opening = metaFrame("catch_up", {
    run_id: run.runId,
    status: "running",
    missed_events: missed,
    current_event_count: events,
    message: `Catching up on ${missed} missed events.`,
  });
  let due: string | undefined = subscribed;
  return {
    opening,
    cursor,
    translate(item) {
      if (item.kind !== "frames") return metaFramesOf(run, item);
      if (due === undefined || item.last < events - 1) return [item.bytes];
      const meta = due;
      due = undefined;
      return insertBefore(item, events, meta);
    },
  };
}

interface Replay {
  readonly status: string;
  readonly events: number;
  readonly missed: number;
  readonly cursor: number;
  readonly requested: number | undefined;
}

function replayed(run: ReadRun, { status, events, missed, cursor, requested }: Replay): Translation {
  const opening = metaFrame("replay", {
    run_id: run.runId,
    status,
    total_events: missed,
    total_buffered: events,
    last_event_index_requested: requested ?? -1,
    message: `Run ${status}. Replaying ${missed} missed events (of ${events} total).`,
  });
  return { ...fromStart(run), opening, cursor };
}

/** The frames of an item with `meta` before the event at `index`, or after the frames if they end before that event. */
function insertBefore(
  { first, last, bytes }: Extract<LogItem, { kind: "frames" }>,
  index: number,
  meta: string,
): readonly (Buffer | string)[] {
  if (first >= index) return [meta, bytes];
  if (last < index) return [bytes, meta];
  return [framesBefore(bytes, first, index), meta, framesFrom(bytes, first, index)];
}
