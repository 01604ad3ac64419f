/** Divides the heap between the settings and the runs. */
import type { Settings } from "../model/settings.ts";

const MiB = 1024 * 1024;

/** V8's heap limit includes the young generation, which cannot hold long-lived data: three times 64 MiB, whatever `--max-old-space-size` is. */
const youngGeneration = 192 * MiB;

/** The minimum heap to divide; with less, no memory would be left for runs. */
const minHeap = 64 * MiB;

/** Returns the settings for a process with this heap limit, and the maximum number of bytes for its runs. */
export function divideHeap(
  settings: Settings,
  heapLimit: number,
): { readonly settings: Settings; readonly maxRunBytes: number } {
  const heap = Math.max(heapLimit - youngGeneration, minHeap);
  return {
    settings: {
      ...settings,
      // Data that waits for its commit is held several times: as rows, as events, and encoded.
      maxTotalPendingBytes: Math.min(settings.maxTotalPendingBytes, heap / 16),
      // The ring is not in the heap, but a process with a small heap should use little memory in total.
      maxTotalRingBytes: Math.min(settings.maxTotalRingBytes, heap / 4),
    },
    maxRunBytes: heap / 3,
  };
}
