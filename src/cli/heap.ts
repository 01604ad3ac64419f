/** V8's heap policy for a server. */
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const flag = "--heap-growing-percent";

/**
 * Lets the heap double before V8 collects all of it (docs/decisions/0019). By default, V8 collects the heap of a mostly idle process as
 * soon as it has grown by about a tenth, with threads on all cores. If the process was started with the flag, its value is kept.
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

const MiB = 1024 * 1024;

/** A heap with a limit below this is small: new objects, which take up to 192 MiB, would fill most of it. */
const smallHeap = 768 * MiB;

/** Size at which the space of new objects stays in a small heap. */
const newSpaceInSmallHeap = 32 * MiB;

/** Milliseconds between two looks at the space of new objects while it grows. */
const lookInterval = 20;

/**
 * In a small heap, keeps the space of new objects small. Otherwise it fills most of the limit, and V8 marks the whole heap a few times a second instead of
 * collecting new objects only. V8 has no flag for the size in a running process, but one for the factor of its growth.
 */
export function boundNewSpace(): void {
  if (getHeapStatistics().heap_size_limit >= smallHeap || isNewSpaceChosen()) return;
  const timer = setInterval(() => {
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    if ((space?.space_size ?? 0) < newSpaceInSmallHeap) return;
    clearInterval(timer);
    setFlagsFromString("--semi-space-growth-factor=1");
  }, lookInterval);
  timer.unref();
}

function isNewSpaceChosen(): boolean {
  return [...process.execArgv, process.env.NODE_OPTIONS ?? ""].some((text) => text.includes("semi-space"));
}
