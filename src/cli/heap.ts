/** How V8 keeps the heap of a server. */
import { setFlagsFromString } from "node:v8";

const flag = "--heap-growing-percent";

/**
 * Lets the heap double before all of it is collected (docs/decisions/0019). Left to itself, V8 collects the heap of a process with little to do
 * as soon as it has grown by some tenth, with threads on all cores. A process that was started with the flag keeps its own.
 */
export function letHeapGrow(): void {
  if (!process.execArgv.some((argument) => argument.startsWith(flag))) setFlagsFromString(`${flag}=100`);
}
