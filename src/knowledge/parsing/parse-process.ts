/**
 * The process that parses one file (see file-parser.ts). A thread parses, and the main thread watches its memory: buffers are outside the heap, which alone
 * has a limit of Node.
 */
import { Worker } from "node:worker_threads";
import type { ParseResult, ParseTask } from "./parse-worker.ts";

const MiB = 1_024 * 1_024;

/** Milliseconds between two looks at the thread's memory. */
const interval = 100;

/** Looks in a row that find a heap above the bound: it contains no garbage then. */
const maxLooksAbove = 3;

process.once("message", (task) => parse(task as ParseTask));
// A server that is gone needs no text.
process.once("disconnect", () => process.exit());

function parse(task: ParseTask): void {
  const { maxMemoryBytes } = task.bounds;
  // Runs from source in a checkout, from the build in the package.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`./parse-worker.${extension}`, import.meta.url), {
    workerData: task,
    // V8 collects garbage for tens of seconds before it gives up at its limit: the looks end the process before.
    resourceLimits: { maxOldGenerationSizeMb: (2 * maxMemoryBytes) / MiB, maxYoungGenerationSizeMb: 32 },
  });
  worker.once("message", end);
  worker.once("error", ({ code }: Error & { code?: string }) =>
    end(code === "ERR_WORKER_OUT_OF_MEMORY" ? tooLarge : damaged),
  );
  let looksAbove = 0;
  setInterval(async () => {
    // A thread that is about to start or to end has no statistics.
    const memory = await worker.getHeapStatistics().catch(() => undefined);
    looksAbove = (memory?.used_heap_size ?? 0) > maxMemoryBytes ? looksAbove + 1 : 0;
    if ((memory?.external_memory ?? 0) > maxMemoryBytes || looksAbove >= maxLooksAbove) end(tooLarge);
  }, interval);
}

const tooLarge: ParseResult = { fault: "memory" };
const damaged: ParseResult = { fault: "damage" };

function end(result: ParseResult): void {
  process.send?.(result, () => process.exit());
}
