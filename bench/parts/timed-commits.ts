/** How long flushes take, from the journal's question to the store's answer. */
import type { Store } from "../../src/store/seam.ts";
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

/** Milliseconds of each flush since the last call. */
export function commitTimes(): number[] {
  const taken = times;
  times = [];
  return taken;
}
