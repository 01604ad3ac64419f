/** How long flushes take, from the journal's question to the store's answer. */
import type { Store } from "../../src/store/contract/store.ts";
import { now } from "./time.ts";

/** A flush, in milliseconds of one process's clock. */
export interface Commit {
  readonly begun: number;
  readonly ended: number;
}

let commits: Commit[] = [];

/** The store with a look at the clock before and after each flush. */
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

/** Flushes since the last call, in their order. */
export function takeCommits(): Commit[] {
  const taken = commits;
  commits = [];
  return taken;
}

/** Milliseconds that each took. */
export function tookOf(flushes: readonly Commit[]): number[] {
  return flushes.map(({ begun, ended }) => ended - begun);
}

/**
 * Milliseconds from when each was due. One is due an interval after the one before began; while that one is under way, it waits, and where that
 * takes several intervals, several wait and become one. Without them a halt of the machine is one slow commit in a process that does all the
 * work, and one in each of several that share it ("coordinated omission").
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
