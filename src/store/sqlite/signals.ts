/** Wake-ups inside one process. */
import type { Log } from "../../model/runtime.ts";
import type { Signal, Signals } from "../contract/signals.ts";
import { describeFault } from "../faults.ts";

/** Calls every listener at once, in the order they came. A listener that throws does not keep the others from hearing. */
export function localSignals(log: Log): Signals {
  const listeners = new Set<(signal: Signal) => void>();
  const publish = (signal: Signal): void => {
    for (const listener of [...listeners]) {
      try {
        listener(signal);
      } catch (error) {
        log.error(describeFault(error), "a listener of signals failed");
      }
    }
  };
  return {
    publish,
    publishHere: publish,
    listen(listener) {
      // A listener given twice is two listeners.
      const own = (signal: Signal): void => listener(signal);
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
    async close() {
      listeners.clear();
    },
  };
}
