import { pino } from "pino";
import type { Log, Runtime } from "../model/runtime.ts";
import { realRuntime } from "../platform-runtime.ts";
import { logLevelOf } from "./options.ts";

/** The surroundings of a command that serves nobody: it logs warnings to standard error. */
export function commandRuntime(): Runtime {
  const level = logLevelOf({ logLevel: process.env.LOG_LEVEL ?? "warn" });
  return realRuntime(pino({ level }, pino.destination(2)) as Log);
}
