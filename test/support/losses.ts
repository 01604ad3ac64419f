import type { Frame } from "./stream-client.ts";

/** What a reader was wronged by, counted in events. */
export interface Losses {
  /** Events of the log that it did not get, or that the log no longer has. */
  lost: number;
  /** Events that it got again. */
  repeated: number;
  /** Events that it got with other bytes than those of the log. */
  contradicted: number;
}

export const noLosses: Losses = { lost: 0, repeated: 0, contradicted: 0 };

/** Compares what a reader got, over all its connections, with the log as it is stored. @param first index it began to read at */
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

/** Compares what was shown before a fault with the log after it. The log may have more. */
export function lossesOfLog(log: readonly Frame[], shown: readonly Frame[]): Losses {
  const known = new Map(log.map(({ id, raw }) => [id, raw]));
  return {
    lost: shown.filter(({ id }) => !known.has(id)).length + holesIn(log),
    repeated: log.length - known.size,
    contradicted: shown.filter(({ id, raw }) => known.has(id) && known.get(id) !== raw).length,
  };
}

/** Indices that a log lacks before its last one. */
function holesIn(log: readonly Frame[]): number {
  const last = Math.max(-1, ...log.map(({ id }) => id!));
  return last + 1 - new Set(log.map(({ id }) => id)).size;
}
