import type { Log, Runtime } from "../../src/model/runtime.ts";
import { realRuntime } from "../../src/platform/runtime.ts";

const nothing = (): void => undefined;

/** A log that discards all lines. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** The real clocks and randomness, with a silent log. */
export const testRuntime: Runtime = realRuntime(silentLog);
