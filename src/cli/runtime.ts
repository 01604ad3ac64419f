import type { Runtime } from "../model/runtime.ts";
import { jsonLog, realRuntime } from "../platform/runtime.ts";
import { logLevelOf } from "./options.ts";

/** Returns the runtime of a command that is not a server: it logs warnings to standard error. */
export function commandRuntime(): Runtime {
  const level = logLevelOf({ logLevel: process.env.LOG_LEVEL ?? "warn" });
  return realRuntime(jsonLog(level));
}
