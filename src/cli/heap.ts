/** V8's heap policy for a server. */
import { setFlagsFromString } from "node:v8";

const flag = "--heap-growing-percent";

/**
 * Lets the heap double before V8 collects all of it (docs/decisions/0019). By default, V8 collects the heap of a mostly idle process as
 * soon as it has grown by about a tenth, with threads on all cores. A process that was started with the flag keeps its own value.
 */
export function allowHeapGrowth(): void {
  if (!process.execArgv.some((argument) => argument.startsWith(flag))) setFlagsFromString(`${flag}=100`);
}
