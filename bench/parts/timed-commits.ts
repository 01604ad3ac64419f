/** How long flushes take, from the journal's question to the store's answer. */
import type { Store } from "../../src/store/seam.ts";
import type { CommitTimes } from "./commands.ts";
import { percentile } from "./statistics.ts";
import { now } from "./time.ts";

let times: number[] = [];

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
      times.push(now() - begun);
      return outcomes;
    },
  };
}

/** Of the flushes since the last call. */
export function commitTimes(): CommitTimes {
  const taken = times;
  times = [];
  return { commits: taken.length, p50: percentile(taken, 0.5), p99: percentile(taken, 0.99) };
}
