/** The real surroundings: the machine's clocks, timers and randomness. Everything below takes them as `Runtime`. */
import { randomUUID } from "node:crypto";
import { pino } from "pino";
import type { ModelSources } from "./engine/model-call/model-packages.ts";
import type { Log, Runtime } from "./model/runtime.ts";

/** What a timer of Node can wait for: one that is set for longer ends at once. */
const longestTimer = 2 ** 31 - 1;

/** Where models that are named by a text come from: the environment, and the packages of the folder it was started in. */
export function modelSources(): ModelSources {
  return { environment: process.env, folder: process.cwd() };
}

/** The runtime of a process. */
export function realRuntime(log: Log): Runtime {
  return {
    log,
    randomness: { uuid: () => randomUUID(), fraction: () => Math.random() },
    clock: {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      sleep: (milliseconds, signal) =>
        new Promise((resolve) => {
          if (signal?.aborted) return resolve();
          const timer = setTimeout(done, milliseconds);
          function done(): void {
            clearTimeout(timer);
            signal?.removeEventListener("abort", done);
            resolve();
          }
          signal?.addEventListener("abort", done, { once: true });
        }),
      after: (milliseconds, callback) => {
        let timer: NodeJS.Timeout;
        const wait = (left: number): void => {
          const goOn = left > longestTimer ? () => wait(left - longestTimer) : callback;
          timer = setTimeout(goOn, Math.min(left, longestTimer));
          timer.unref();
        };
        wait(milliseconds);
        return () => clearTimeout(timer);
      },
      defer: (callback) => {
        setImmediate(callback);
      },
    },
  };
}

/** A log of JSON lines on standard error, from `level` on; errors with their stack. */
export function jsonLog(level: string): Log {
  return pino({ level, errorKey: "error" }, pino.destination(2)) as Log;
}
