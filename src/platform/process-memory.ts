/** The memory of this process. */
import { performance } from "node:perf_hooks";

type Collect = (options: { readonly type: "major"; readonly flavor: "last-resort" }) => void;

/**
 * Collects all garbage and returns free pages of the heap to the system, if the process has a global `gc` (`node --expose-gc`). Otherwise V8
 * collects only when the heap grows.
 */
export function collectGarbage(): void {
  const { gc } = globalThis as { gc?: Collect };
  gc?.({ type: "major", flavor: "last-resort" });
}

/** Returns the bytes of the heap that are in use. */
export function heapUsed(): number {
  return process.memoryUsage().heapUsed;
}

/** Returns readers of the process's resident memory and of the use of its event loop. */
export function processMemory(): { readonly utilization: () => number; readonly resident: () => number } {
  let last = performance.eventLoopUtilization();
  return {
    resident: () => process.memoryUsage.rss(),
    utilization: () => {
      const { utilization } = performance.eventLoopUtilization(last);
      last = performance.eventLoopUtilization();
      return utilization;
    },
  };
}
