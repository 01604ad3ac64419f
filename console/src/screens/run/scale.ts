/** Maps times to places in the waterfall. Long waits of the run are shortened, so that they do not hide what the run did. */
import type { TimelineRow } from "./timeline.ts";

export interface Scale {
  /** Place of a time, from 0 to 1. */
  readonly place: (at: number) => number;
  /** Labels of the axis. */
  readonly ticks: readonly { readonly place: number; readonly ms: number }[];
  /** Whether waits are shown shorter than they were. */
  readonly isShortened: boolean;
}

/** A wait is shown at most this long, as a part of the time of all work. */
const maxWaitShare = 0.15;

interface Part {
  readonly from: number;
  readonly length: number;
  readonly shown: number;
}

/** @param end - milliseconds since the epoch; the present for a live run */
export function scaleOf(root: TimelineRow, end: number): Scale {
  const begin = root.startedAt;
  const last = Math.max(end, begin + 1);
  const waits = root.children.filter(({ kind }) => kind === "wait");
  const lengths = waits.map(({ startedAt, endedAt = last }) => Math.max(0, Math.min(endedAt, last) - startedAt));
  const worked = Math.max(1, last - begin - lengths.reduce((sum, one) => sum + one, 0));
  const maxWait = Math.max(1, worked * maxWaitShare);
  const parts: Part[] = [];
  let at = begin;
  for (const [index, { startedAt }] of waits.entries()) {
    const length = lengths[index] ?? 0;
    parts.push({ from: at, length: startedAt - at, shown: startedAt - at });
    parts.push({ from: startedAt, length, shown: Math.min(length, maxWait) });
    at = startedAt + length;
  }
  parts.push({ from: at, length: last - at, shown: last - at });
  const total = parts.reduce((sum, { shown }) => sum + shown, 0) || 1;
  const place = (time: number): number => {
    let before = 0;
    for (const { from, length, shown } of parts) {
      if (time <= from + length) {
        const inside = length === 0 ? 0 : Math.max(0, time - from) / length;
        return Math.min(1, (before + inside * shown) / total);
      }
      before += shown;
    }
    return 1;
  };
  const timeAt = (where: number): number => {
    let before = 0;
    for (const { from, length, shown } of parts) {
      if (where * total <= before + shown && shown > 0) return from + ((where * total - before) / shown) * length;
      before += shown;
    }
    return last;
  };
  const isShortened = parts.some(({ length, shown }) => shown < length);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((where) => ({ place: where, ms: timeAt(where) - begin }));
  return { place, ticks, isShortened };
}
