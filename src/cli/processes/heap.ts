/** The heap of each server process. */
import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";

const MiB = 1024 * 1024;

/** V8's heap limit includes the space of new objects, and `--max-old-space-size` does not. */
const newSpace = 192 * MiB;

/** The heap of a process takes at least this much. */
const minHeap = 64;

/** Memory of a server process outside its heap, in MiB: docs/operating.md. */
const outsideHeap = 256;

const flag = /--max[-_](old[-_]space[-_]size|heap[-_]size)/;

/** Memory of this machine or container, and V8's own choice for one process. */
export interface MachineMemory {
  readonly memory: number;
  readonly heapLimit: number;
}

/** Returns the memory of this machine, or of its container if that has less. */
export function machineMemory(): MachineMemory {
  const { heap_size_limit: heapLimit } = getHeapStatistics();
  // Without a limit it is 0, or more than any machine has.
  const constrained = process.constrainedMemory();
  return { memory: constrained > 0 ? Math.min(constrained, totalmem()) : totalmem(), heapLimit };
}

/** Whether the heap was chosen for this process, and therefore for each of the server processes. */
export function isHeapChosen(): boolean {
  return [...process.execArgv, process.env.NODE_OPTIONS ?? ""].some((text) => flag.test(text));
}

/**
 * Returns the heap of each of `processes` processes, in MiB for `--max-old-space-size`: half of the memory is divided, and no process has more than V8 gives
 * to one. The other half is for what is outside of the heaps.
 */
export function heapOf(processes: number, { memory, heapLimit }: MachineMemory): number {
  const own = Math.max(0, heapLimit - newSpace) / MiB;
  return Math.max(minHeap, Math.floor(Math.min(own, memory / MiB / 2 / processes)));
}

/** Returns a warning if the memory is too small for the processes; undefined if it is enough. */
export function memoryWarning(processes: number, heap: number, { memory }: MachineMemory): string | undefined {
  const needed = processes * (heap + outsideHeap);
  const there = Math.floor(memory / MiB);
  if (needed <= there) return undefined;
  return `${processes} processes may need ${needed} MiB (${heap} MiB of heap and ${outsideHeap} MiB each), and there are ${there} MiB: start fewer, or give them more memory.`;
}
