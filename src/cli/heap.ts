/** V8's heap policy for a server. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const flag = "--heap-growing-percent";

/**
 * Lets the heap double before V8 collects all of it (docs/decisions/0019). By default, V8 collects the heap of a mostly idle process as
 * soon as it has grown by about a tenth, with threads on all cores. A process that was started with the flag keeps its own value.
 */
export function allowHeapGrowth(): void {
  if (!process.execArgv.some((argument) => argument.startsWith(flag))) setFlagsFromString(`${flag}=100`);
}

/** Lets the server collect garbage while it is idle: a server collects if its process has a global `gc`, as after `node --expose-gc`. */
export function exposeCollection(): void {
  const host = globalThis as { gc?: unknown };
  if (host.gc !== undefined) return;
  setFlagsFromString("--expose-gc");
  host.gc = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
}
