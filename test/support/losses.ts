import type { Frame } from "./stream-client.ts";

/** Numbers of events that a reader received wrongly. */
export interface Losses {
  /** Events of the log that the reader did not receive, or that the log no longer has. */
  lost: number;
  /** Events that the reader received twice. */
  repeated: number;
  /** Events whose received bytes differ from the log. */
  contradicted: number;
}

export const noLosses: Losses = { lost: 0, repeated: 0, contradicted: 0 };

/** Compares the events of a reader, over all its connections, with the stored log. @param first index at which it began to read */
export function lossesOfReader(log: readonly Frame[], seen: readonly Frame[], first = 0): Losses {
  const known = new Map(log.map(({ id, raw }) => [id, raw]));
  const got = new Set(seen.map(({ id }) => id));
  const missed = log.filter(({ id }) => id! >= first && !got.has(id)).length;
  return {
    lost: missed + holesIn(log),
    repeated: seen.length - got.size,
    contradicted: seen.filter(({ id, raw }) => known.get(id) !== raw).length,
  };
}

/** Compares events that were sent before a fault with the log after the fault. The log may have more events. */
export function lossesOfLog(log: readonly Frame[], shown: readonly Frame[]): Losses {
  const known = new Map(log.map(({ id, raw }) => [id, raw]));
  return {
    lost: shown.filter(({ id }) => !known.has(id)).length + holesIn(log),
    repeated: log.length - known.size,
    contradicted: shown.filter(({ id, raw }) => known.has(id) && known.get(id) !== raw).length,
  };
}

/** Number of indexes that a log lacks before its last one. */
function holesIn(log: readonly Frame[]): number {
  const last = Math.max(-1, ...log.map(({ id }) => id!));
  return last + 1 - new Set(log.map(({ id }) => id)).size;
}
