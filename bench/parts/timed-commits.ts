/** Durations of flushes, from the journal's call to the store's response. */
import type { Store } from "../../src/store/contract/store.ts";
import { now } from "./time.ts";

/** A flush, in milliseconds of one process's clock. */
export interface Commit {
  readonly begun: number;
  readonly ended: number;
}

let commits: Commit[] = [];

/** The store, recording the time before and after each flush. */
export function withTimedCommits(store: Store): Store {
  return {
    ...store,
    get availability() {
      return store.availability;
    },
    async append(writes) {
      const begun = now();
      const outcomes = await store.append(writes);
      commits.push({ begun, ended: now() });
      return outcomes;
    },
  };
}

/** Flushes since the last call, in order. */
export function takeCommits(): Commit[] {
  const taken = commits;
  commits = [];
  return taken;
}

/** Duration of each flush in milliseconds. */
export function tookOf(flushes: readonly Commit[]): number[] {
  return flushes.map(({ begun, ended }) => ended - begun);
}

/**
 * Milliseconds from the time when each flush was due. A flush is due one interval after the previous one began; it waits while that one is in flight.
 * If that flush takes several intervals, the flushes that are due meanwhile become one. Without counting them, a stall of the machine is one slow commit in a
 * process that does all the work, but one in each of several processes that share it ("coordinated omission").
 */
export function sinceDue(flushes: readonly Commit[], interval: number): number[] {
  return flushes.flatMap(({ begun, ended }, place) => {
    const before = flushes[place - 1];
    const waited: number[] = [];
    if (before !== undefined)
      for (let due = before.begun + interval; due < before.ended; due += interval) waited.push(ended - due);
    return waited.length > 0 ? waited : [ended - begun];
  });
}
