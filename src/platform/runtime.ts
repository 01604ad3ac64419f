/** The real runtime environment: the machine's clocks, timers and randomness. All other layers receive it as `Runtime`. */
import { randomUUID } from "node:crypto";
import { pino } from "pino";
import type { ModelSources } from "../engine/model-call/model-packages.ts";
import { withoutSecrets } from "../engine/redact.ts";
import { type Measurements, noMeasurements } from "../model/measurements.ts";
import type { Log, Runtime } from "../model/runtime.ts";

/** Maximum delay of a Node timer in milliseconds; a timer with a longer delay fires at once. */
const maxTimeout = 2 ** 31 - 1;

/** The sources for models named by a string: the environment, and the packages of the current folder. */
export function modelSources(): ModelSources {
  return { environment: process.env, folder: process.cwd() };
}

/** Returns the runtime of a process. @param keepsAlive whether a `sleep` keeps the process alive; default true */
export function realRuntime(log: Log, keepsAlive = true, measurements: Measurements = noMeasurements): Runtime {
  return {
    log,
    measurements,
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
          const next = left > maxTimeout ? () => wait(left - maxTimeout) : callback;
          timer = setTimeout(next, Math.min(left, maxTimeout));
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

/**
 * Returns a log of JSON lines from `level` on, by default on standard error. Errors are logged with their stack.
 * @param fields members of every line
 */
export function jsonLog(
  level: string,
  destination: pino.DestinationStream = pino.destination(2),
  fields: Readonly<Record<string, unknown>> = {},
): Log {
  const log = pino({ level, errorKey: "error", serializers: { error: toLogged } }, destination);
  return (Object.keys(fields).length === 0 ? log : log.child(fields)) as Log;
}

/** Members of errors that are logged. Other members may hold whole requests: some libraries keep headers, with credentials, in their errors. */
const loggedMembers = ["code", "status", "statusCode", "syscall", "table", "constraint"] as const;

/** Maximum number of nested causes that are logged. */
const maxCauses = 5;

/** Returns an error as it is logged: type, message and stack, without texts that look like secrets. */
function toLogged(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === "string" ? withoutSecrets(error) : error;
  const members = error as Error & Partial<Record<(typeof loggedMembers)[number], unknown>>;
  const present = loggedMembers.filter((name) => ["string", "number"].includes(typeof members[name]));
  const hasCause = error.cause !== undefined && depth < maxCauses;
  return {
    type: error.name,
    message: withoutSecrets(error.message),
    stack: withoutSecrets(error.stack ?? ""),
    ...Object.fromEntries(present.map((name) => [name, members[name]])),
    ...(hasCause ? { cause: toLogged(error.cause, depth + 1) } : {}),
    ...(error instanceof AggregateError && depth < maxCauses
      ? { errors: error.errors.slice(0, maxCauses).map((one) => toLogged(one, depth + 1)) }
      : {}),
  };
}
