/** Wake-up signals within one process. */
import type { Log } from "../../model/runtime.ts";
import type { Signal, Signals } from "../contract/signals.ts";
import { describeError } from "../database-errors.ts";

/** Calls every listener synchronously, in order of registration. A listener that throws does not stop the others. */
export function localSignals(log: Log): Signals {
  const listeners = new Set<(signal: Signal) => void>();
  const publish = (signal: Signal): void => {
    for (const listener of [...listeners]) {
      try {
        listener(signal);
      } catch (error) {
        log.error(describeError(error), "a listener of signals failed");
      }
    }
  };
  return {
    publish,
    publishHere: publish,
    listen(listener) {
      // A listener registered twice counts as two listeners.
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
