import { pino } from "pino";
import type { Log, Runtime } from "../model/runtime.ts";
import { realRuntime } from "../platform-runtime.ts";

/** The surroundings of a command that serves nobody: it logs warnings to standard error. */
export function commandRuntime(): Runtime {
  return realRuntime(pino({ level: process.env.LOG_LEVEL ?? "warn" }, pino.destination(2)) as Log);
}
