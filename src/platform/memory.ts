/** How much of the heap is for what. */
import type { Settings } from "../model/settings.ts";

const MiB = 1024 * 1024;

/** V8's limit counts its young generation, which is no place for what stays: three times 64 MiB, whatever `--max-old-space-size` says. */
const youngGeneration = 192 * MiB;

/** Smallest heap that is shared out; below it nothing would be left for a run. */
const smallestHeap = 64 * MiB;

/** The settings of a process with a heap of that limit, and how much its runs may hold. */
export function withinHeap(
  settings: Settings,
  heapLimit: number,
): { readonly settings: Settings; readonly maxRunBytes: number } {
  const heap = Math.max(heapLimit - youngGeneration, smallestHeap);
  return {
    settings: {
      ...settings,
      // What waits for its commit is held several times: as rows, as events, and encoded.
      pendingTotalBytes: Math.min(settings.pendingTotalBytes, heap / 16),
      // Not in the heap, but where that is small the whole process is to be small.
      ringTotalBytes: Math.min(settings.ringTotalBytes, heap / 4),
    },
    maxRunBytes: heap / 3,
  };
}
