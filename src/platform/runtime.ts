/** The real surroundings: the machine's clocks, timers and randomness. Everything below takes them as `Runtime`. */
import { randomUUID } from "node:crypto";
import { pino } from "pino";
import type { ModelSources } from "../engine/model-call/model-packages.ts";
import { withoutSecrets } from "../engine/redact.ts";
import type { Log, Runtime } from "../model/runtime.ts";

/** What a timer of Node can wait for: one that is set for longer ends at once. */
const longestTimer = 2 ** 31 - 1;

/** Where models that are named by a text come from: the environment, and the packages of the folder it was started in. */
export function modelSources(): ModelSources {
  return { environment: process.env, folder: process.cwd() };
}

/** The runtime of a process. @param keepsAlive whether a wait keeps the process from ending; default true */
export function realRuntime(log: Log, keepsAlive = true): Runtime {
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
          if (!keepsAlive) timer.unref();
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

/** A log of JSON lines, from `level` on, on standard error unless somewhere else is named; errors with their stack. */
export function jsonLog(level: string, destination: pino.DestinationStream = pino.destination(2)): Log {
  return pino({ level, errorKey: "error", serializers: { error: toLogged } }, destination) as Log;
}

/** Members of errors that say what went wrong. Others may hold whole requests: libraries keep headers, and the credentials in them, in their errors. */
const telling = ["code", "status", "statusCode", "syscall", "table", "constraint"] as const;

/** Causes of an error that are told. */
const mostCauses = 5;

/** An error as the log has it: what it is and where it came from, without what looks like a secret. */
function toLogged(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === "string" ? withoutSecrets(error) : error;
  const members = error as Error & Partial<Record<(typeof telling)[number], unknown>>;
  const told = telling.filter((name) => ["string", "number"].includes(typeof members[name]));
  const hasCause = error.cause !== undefined && depth < mostCauses;
  return {
    type: error.name,
    message: withoutSecrets(error.message),
    stack: withoutSecrets(error.stack ?? ""),
    ...Object.fromEntries(told.map((name) => [name, members[name]])),
    ...(hasCause ? { cause: toLogged(error.cause, depth + 1) } : {}),
    ...(error instanceof AggregateError && depth < mostCauses
      ? { errors: error.errors.slice(0, mostCauses).map((one) => toLogged(one, depth + 1)) }
      : {}),
  };
}
