import type { Log, Runtime } from "../../src/model/runtime.ts";
import { realRuntime } from "../../src/platform/runtime.ts";

const nothing = (): void => undefined;

/** A log that says nothing. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** The real clocks and randomness, without a word. */
export const testRuntime: Runtime = realRuntime(silentLog);
