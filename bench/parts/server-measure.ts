/** Measurements that a server process takes of itself. */
import { readFileSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { exposeCollection } from "../../src/cli/heap.ts";
import type { Mark, MeasureCommands, Memory } from "./commands.ts";
import { now } from "./time.ts";

const resolution = 2;
const loop = monitorEventLoopDelay({ resolution });

/** Milliseconds of CPU so far. Does not monitor the event loop: monitoring its delays wakes the process hundreds of times a second. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Monitors delays of the event loop from the first call on. */
function mark(): Mark {
  loop.enable();
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolution);
  const { rss, heapUsed } = process.memoryUsage();
  const result = {
    at: now(),
    cpu: cpu(),
    loopP99: late(loop.percentile(99)),
    loopMax: late(loop.max),
    rss,
    heap: heapUsed,
  };
  loop.reset();
  return result;
}

/** The anonymous part is known on Linux only. */
function memory(): Memory {
  const { rss, heapTotal, heapUsed, arrayBuffers } = process.memoryUsage();
  return { resident: rss, anonymous: anonymous(), heap: heapTotal, heapUsed, buffers: arrayBuffers };
}

function anonymous(): number {
  try {
    const rollup = readFileSync("/proc/self/smaps_rollup", "utf8");
    return Number(/^Anonymous:\s+(\d+) kB/m.exec(rollup)?.[1]) * 1024;
  } catch {
    return Number.NaN;
  }
}

function collect(): void {
  exposeCollection();
  const gc = (globalThis as { gc?: () => void }).gc;
  gc?.();
  gc?.();
}

let session: Session | undefined;

async function profile(): Promise<void> {
  session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 200 });
  await session.post("Profiler.start");
}

async function saveProfile({ file }: { file: string }): Promise<void> {
  if (!session) return;
  const { profile } = await session.post("Profiler.stop");
  writeFileSync(file, JSON.stringify(profile));
  session.disconnect();
  session = undefined;
}

export const measureCommands: MeasureCommands = { cpu, mark, memory, collect, profile, saveProfile };
