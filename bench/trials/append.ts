/**
 * Events per second that the group commit accepts: flushes of writes from many live runs, one flush in flight at a time.
 * Usage: node bench/trials/append.ts [sqlite|postgres] [runs] [writes a flush] [events a write] [seconds]
 */
import { contentWrite, makeRuns, openTrial } from "./setup.ts";

const [kind = "sqlite", runs = "1000", perFlush = "150", perWrite = "1", seconds = "8"] = process.argv.slice(2);
const { store, remove } = await openTrial(kind);
const keys = await makeRuns(store, Number(runs));
const next = new Map(keys.map((key) => [key, 0]));

let place = 0;
function flush(): ReturnType<typeof contentWrite>[] {
  const writes = [];
  for (let n = 0; n < Number(perFlush); n++) {
    const key = keys[place++ % keys.length] as number;
    const index = next.get(key) as number;
    writes.push(contentWrite(key, index, Number(perWrite)));
    next.set(key, index + Number(perWrite));
  }
  return writes;
}

const times: number[] = [];
let inAppend = 0;
let events = 0;
const cpu = process.cpuUsage();
const start = performance.now();
let rate = "";
while (performance.now() - start < Number(seconds) * 1000) {
  const batch = Array.from({ length: 20 }, flush);
  for (const writes of batch) {
    const began = performance.now();
    const outcomes = await store.append(writes);
    const took = performance.now() - began;
    if (outcomes.some((outcome) => outcome.kind !== "committed")) throw new Error(JSON.stringify(outcomes));
    times.push(took);
    inAppend += took;
    events += writes.length * Number(perWrite);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
const used = process.cpuUsage(cpu);
times.sort((a, b) => a - b);
rate = Math.round(events / (inAppend / 1000)).toLocaleString("en");
const at = (share: number): string => (times[Math.floor(times.length * share)] as number).toFixed(2);
console.log(
  `${kind}: ${runs} runs, ${perFlush} x ${perWrite} a flush: ${rate} events/s in append; flush p50 ${at(0.5)} p99 ${at(0.99)} max ${at(0.9999)} ms; ` +
    `node CPU ${((used.user + used.system) / events).toFixed(1)} us/event (with making the frames)`,
);
await remove();
