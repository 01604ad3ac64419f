/**
 * Usage: npm run chaos -- [--minutes 10] [--replicas 3] [--processes 2] [--clients 12] [--seed 1] [--failover] [--update]
 * With --failover, the database is a primary with a synchronous standby, which takes over. With --update, the replicas begin as the previous release and are
 * replaced one by one. Prints faults, actions and findings, and exits with 1 when anything was lost, repeated or contradicted.
 */
import { parseArgs } from "node:util";
import { runChaos } from "./chaos.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    replicas: { type: "string", default: "3" },
    processes: { type: "string" },
    clients: { type: "string", default: "12" },
    seed: { type: "string", default: "1" },
    failover: { type: "boolean", default: false },
    update: { type: "boolean", default: false },
  },
});
const [minutes, replicas, clients, seed] = [values.minutes, values.replicas, values.clients, values.seed].map(Number);
const processes = values.processes === undefined ? undefined : Number(values.processes);
if (![minutes, replicas, clients, seed, processes ?? 1].every((number) => number !== undefined && number > 0)) {
  console.error("--minutes, --replicas, --processes, --clients and --seed are numbers above 0.");
  process.exit(2);
}

const began = Date.now();
const result = await runChaos({
  milliseconds: minutes! * 60_000,
  replicas: replicas!,
  processes,
  clients: clients!,
  seed: seed!,
  pause: [1_000, 4_000],
  failover: values.failover,
  isUpdate: values.update,
});

function print(title: string, counts: object): void {
  console.log(`\n${title}`);
  for (const [name, count] of Object.entries(counts)) console.log(`  ${name.padEnd(20)} ${count}`);
}

console.log(
  `${replicas} replicas${processes === undefined ? "" : ` of ${processes} processes`}, ${clients} clients, seed ${seed}, ${Math.round((Date.now() - began) / 1000)} s in all`,
);
if (values.update) console.log(`both releases ran for ${Math.round(result.overlap / 1000)} s`);
print("done to the replicas", result.faults);
print("done by the clients", result.clients);
print("seen", result.seen);
print("wrong", result.verdict);
for (const [said, count] of result.failures) console.log(`  ${count} × ${said}`);
process.exitCode = Object.values(result.verdict).every((count) => count === 0) ? 0 : 1;
