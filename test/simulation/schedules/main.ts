/**
 * Histories of the scheduler, one after the other.
 * Usage: npm run simulate -- --schedules [--from 1] [--count 1000] [--seconds 600]
 */
import { parseArgs } from "node:util";
import { SharedDatabase } from "./database.ts";
import { runScheduleHistory } from "./history.ts";

const { values } = parseArgs({
  options: {
    from: { type: "string", default: "1" },
    count: { type: "string", default: "1000" },
    seconds: { type: "string", default: "Infinity" },
  },
});
const [from, count, seconds] = [values.from, values.count, values.seconds].map(Number) as [number, number, number];
const shared = await SharedDatabase.open();
const sum: Record<string, number> = { histories: 0, steps: 0, "virtual hours": 0, schedules: 0, ticks: 0, runs: 0 };
const add = (name: string, more: number): void => {
  sum[name] = (sum[name] ?? 0) + more;
};
let failures = 0;
const begun = performance.now();
for (let seed = from; seed < from + count && performance.now() - begun < seconds * 1_000; seed++) {
  const { broken, world } = await runScheduleHistory(seed, shared);
  if (broken) {
    failures++;
    console.error(`seed ${seed}: ${broken.check}: ${broken.what}`);
  }
  add("histories", 1);
  add("steps", world.scheduler.steps);
  add("virtual hours", world.scheduler.time / 3_600_000);
  add("schedules", world.subjects.length);
  for (const { ticks } of world.subjects) add("ticks", ticks.length);
  add("runs", world.runs.all.size);
  for (const [name, times] of Object.entries(world.counts)) add(name, times);
  const statuses = "select status, count(*) as times from schedule_fires group by status";
  for (const { status, times } of shared.rows<{ status: string; times: number }>(statuses))
    add(`records ${status}`, times);
  const takeovers = shared.rows<{ times: number }>(
    "select coalesce(sum(claims - 1), 0) as times from schedule_fires where claims > 1",
  );
  add("fires taken over", takeovers[0]?.times ?? 0);
}
for (const [name, value] of Object.entries(sum)) console.log(`${name.padEnd(20)} ${Math.round(value * 10) / 10}`);
console.log(`${"broken".padEnd(20)} ${failures}`);
process.exitCode = failures === 0 ? 0 : 1;
