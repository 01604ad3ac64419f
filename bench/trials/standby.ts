/**
 * Processor time of the primary for a page of runs and for the log of an ended run, with and without a standby that serves them, in alternating
 * passes. It starts both servers. Linux only: it reads the processor time of their processes from /proc.
 * Usage: node bench/trials/standby.ts [runs] [pages a pass] [logs a pass] [passes]
 */
import { readdirSync, readFileSync } from "node:fs";
import { system } from "../../src/model/principal.ts";
import { realRuntime } from "../../src/platform/runtime.ts";
import type { ReadStore } from "../../src/store/contract/standby.ts";
import { openStore } from "../../src/store/open.ts";
import { type PostgresServer, startPostgres } from "../../test/support/postgres-server.ts";
import { startStandby } from "../../test/support/postgres-standby.ts";
import { contentWrite, makeRuns } from "./setup.ts";

const [runs = "500", pages = "200", logs = "2000", passes = "3"] = process.argv.slice(2);
const quiet = (): void => undefined;
const runtime = realRuntime({ debug: quiet, info: quiet, warn: console.error, error: console.error });
const processId = "trial";

const primary = await startPostgres();
const standby = await startStandby(primary);
const { store, signals, reads } = await openStore({
  ...{ database: primary.url, readDatabase: standby.server.url, dataDir: "", migrate: true, runtime, processId },
});
if (reads === undefined) throw new Error("there are no reads from the standby");

/** Events of each run, and logs that a page shows. */
const [events, shown] = [100, 20];
const keys = await makeRuns(store, Number(runs));
const transition = { to: "COMPLETED", output: '{"content":"done"}', at: 1 } as const;
for (const key of keys) await store.append([{ ...contentWrite(key, 0, events), transition }]);
// The second renewal shows that the standby has the primary's history.
await store.renewProcess(processId, 600_000);
await reads.read(async () => undefined);
await store.renewProcess(processId, 600_000);
await standby.catchUp();

/** Processor time of a server's processes in milliseconds. */
function processorTime({ pid }: PostgresServer): number {
  let ticks = 0;
  for (const name of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
    try {
      const text = readFileSync(`/proc/${name}/stat`, "utf8");
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
      if (Number(fields[1]) === pid) ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // The process has ended.
    }
  }
  return ticks * 10;
}

async function page(some: ReadStore): Promise<void> {
  const found = await some.listRuns(system, { kind: "agent", componentId: "trial", limit: 50, descending: true });
  const listed = found.map(({ key }) => key);
  await some.listedBytes(listed, "roots");
  await some.listedRuns(listed, "roots");
  await some.messages(listed, true);
  for (const key of listed.slice(0, shown)) {
    await some.head(key);
    await some.segments(key, -1, 262_144);
  }
}

async function measure(name: string, times: number, work: (n: number) => Promise<unknown>): Promise<void> {
  const before = [processorTime(primary), processorTime(standby.server)] as const;
  const begun = performance.now();
  for (let n = 0; n < times; n++) await work(n);
  const wall = (performance.now() - begun) / times;
  const own = (processorTime(primary) - before[0]) / times;
  const other = (processorTime(standby.server) - before[1]) / times;
  console.log(`${name}: primary ${own.toFixed(3)} ms, standby ${other.toFixed(3)} ms, wall time ${wall.toFixed(2)} ms`);
}

const keyOf = (n: number): number => keys[n % keys.length] as number;
for (let pass = 0; pass < Number(passes); pass++) {
  await measure("page from the primary", Number(pages), () => page(store));
  await measure("page from the standby", Number(pages), () => reads.read(({ store: some }) => page(some)));
  await measure("log from the primary", Number(logs), (n) => store.segments(keyOf(n), -1, 262_144));
  await measure("log from the standby", Number(logs), (n) => store.segments(keyOf(n), -1, 262_144, true));
}
await signals.close();
await store.close();
await standby.server.dispose();
await primary.dispose();
