/** Simulates a slower disk: adds time to every commit where the real disk would take it. */
import type { Store } from "../../src/store/contract/store.ts";
import { sleep } from "./time.ts";

const never = new Int32Array(new SharedArrayBuffer(4));

/** The store with milliseconds added to each flush: SQLite commits block the server's thread, Postgres commits are awaited. */
export function withSlowCommits(store: Store, milliseconds: number): Store {
  const blocks = store.capabilities.dialect === "sqlite";
  return {
    ...store,
    get availability() {
      return store.availability;
    },
    async append(writes) {
      const outcomes = await store.append(writes);
      if (blocks) Atomics.wait(never, 0, 0, milliseconds);
      else await sleep(milliseconds);
      return outcomes;
    },
  };
}
