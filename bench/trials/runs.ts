/**
 * Short runs per second that the group commit accepts. Each run is created, awaited, and ended with three events and two messages; many run
 * concurrently.
 * Usage: node bench/trials/runs.ts [sqlite|postgres] [at a time] [seconds]
 */
import type { Outcome, Write } from "../../src/store/contract/store.ts";
import { contentWrite, creation, openTrial } from "./setup.ts";

const [kind = "sqlite", atATime = "50", seconds = "6"] = process.argv.slice(2);
const { store, remove } = await openTrial(kind);

let queue: { write: Write; resolve: (outcome: Outcome) => void }[] = [];
let isFlushing = false;

function append(write: Write): Promise<Outcome> {
  return new Promise((resolve) => {
    queue.push({ write, resolve });
    if (!isFlushing) void flush();
  });
}

async function flush(): Promise<void> {
  isFlushing = true;
  await new Promise((resolve) => setImmediate(resolve));
  while (queue.length > 0) {
    const items = queue;
    queue = [];
    const outcomes = await store.append(items.map((item) => item.write));
    for (const [place, item] of items.entries()) item.resolve(outcomes[place] as Outcome);
  }
  isFlushing = false;
}

const latencies: number[] = [];
const end = performance.now() + Number(seconds) * 1000;
let number = 0;

async function client(): Promise<void> {
  while (performance.now() < end) {
    const began = performance.now();
    const key = await store.nextRunKey();
    const made = await append({ kind: "create", key, run: creation(`run-${number++}`) });
    if (made.kind !== "created") throw new Error(made.kind);
    const messages = [0, 1].map((position) => ({
      runKey: key,
      position,
      id: `m${position}`,
      createdAt: 0,
      body: '{"role":"user","content":"hello"}',
    }));
    const transition = { to: "COMPLETED", output: '{"contentType":"str","content":"hello"}', at: 0 } as const;
    const ended = await append({ ...contentWrite(key, 0, 3), messages, transition });
    if (ended.kind !== "committed") throw new Error(ended.kind);
    latencies.push(performance.now() - began);
  }
}

const cpu = process.cpuUsage();
const start = performance.now();
await Promise.all(Array.from({ length: Number(atATime) }, client));
const took = (performance.now() - start) / 1000;
const used = process.cpuUsage(cpu);
latencies.sort((a, b) => a - b);
const at = (share: number): string => (latencies[Math.floor(latencies.length * share)] as number).toFixed(1);
console.log(
  `${kind}: ${atATime} at a time: ${Math.round(latencies.length / took).toLocaleString("en")} runs/s, p50 ${at(0.5)} p99 ${at(0.99)} ms, ` +
    `node CPU ${Math.round((used.user + used.system) / latencies.length)} us/run`,
);
await remove();
