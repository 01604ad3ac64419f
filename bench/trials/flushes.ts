/**
 * Duration of a single flush, by its contents, with pauses in which caches go cold.
 * Usage: node bench/trials/flushes.ts [sqlite|postgres] [milliseconds between flushes] [runs]
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Write } from "../../src/store/contract/store.ts";
import { percentile } from "../parts/statistics.ts";
import { contentWrite, creation, openTrial } from "./setup.ts";

const [kind = "sqlite", pause = "4", runs = "300"] = process.argv.slice(2);
const { store, remove } = await openTrial(kind);
const times = new Map<string, number[]>();

async function flush(name: string, write: Write): Promise<void> {
  await sleep(Number(pause));
  const began = performance.now();
  const [outcome] = await store.append([write]);
  const took = performance.now() - began;
  if (outcome?.kind !== "created" && outcome?.kind !== "committed") throw new Error(JSON.stringify(outcome));
  const all = times.get(name);
  if (all) all.push(took);
  else times.set(name, [took]);
}

for (let n = 0; n < Number(runs); n++) {
  const key = await store.nextRunKey();
  const message = { runKey: key, position: 0, id: "m", createdAt: 0, body: '{"role":"user","content":"hello"}' };
  const usage = [{ id: "m", provider: "p", input_tokens: 1, output_tokens: 2, total_tokens: 3 }];
  const transition = { to: "COMPLETED", output: '{"contentType":"str","content":"hello"}', at: 0, usage } as const;
  const hasNewSession = n % 2 === 0;
  const run = { ...creation(`run-${n}`), hasNewSession };
  await flush(`a run ${hasNewSession ? "in a new session" : "in a named session"}`, { kind: "create", key, run });
  await flush("events", contentWrite(key, 0, 3));
  await flush("events and a message", { ...contentWrite(key, 3, 3), messages: [message] });
  await flush("the end of a run", { ...contentWrite(key, 6, 3), transition });
}
for (const [name, all] of times) {
  const warm = all.slice(all.length >> 2);
  const at = (share: number): string => percentile(warm, share).toFixed(2);
  console.log(`${kind}: ${name}: p50 ${at(0.5)} p90 ${at(0.9)} p99 ${at(0.99)} ms`);
}
await remove();
