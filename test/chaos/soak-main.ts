/**
 * Usage: npm run soak -- [--minutes 5] [--replicas 2] [--seed 1]
 * Prints faults and findings, and exits with 1 when a tick was lost, doubled or left unfinished.
 */
import { parseArgs } from "node:util";
import { runSoak } from "./soak.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    replicas: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
  },
});
const [minutes, replicas, seed] = [values.minutes, values.replicas, values.seed].map(Number) as [
  number,
  number,
  number,
];
if (![minutes, replicas, seed].every((number) => number > 0)) {
  console.error("--minutes, --replicas and --seed are numbers above 0.");
  process.exit(2);
}
const result = await runSoak({ milliseconds: minutes * 60_000, replicas, seed, pause: [4_000, 10_000] });
for (const [title, counts] of Object.entries(result)) {
  console.log(title);
  for (const [name, count] of Object.entries(counts)) console.log(`  ${name.padEnd(22)} ${count}`);
}
process.exitCode = Object.values(result.wrong).every((count) => count === 0) ? 0 : 1;
