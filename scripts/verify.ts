/**
 * Runs all checks that a change must pass, part by part; continues after a failure and lists the failed parts at the end.
 * Usage: node scripts/verify.ts [part ...]     without a part: all of them
 */
import { spawnSync } from "node:child_process";

const parts: Record<string, string> = {
  lint: "format and lint",
  typecheck: "types",
  imports: "direction of imports, cycles",
  unused: "unused code and dependencies",
  test: "tests",
  package: "build, package, published types",
};

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts);
const unknown = chosen.filter((part) => !(part in parts));
if (unknown.length > 0) {
  console.error(`No such part: ${unknown.join(", ")}. There are ${Object.keys(parts).join(", ")}.`);
  process.exit(2);
}

const results = chosen.map((part) => {
  console.log(`\n== ${part}: ${parts[part]} ==`);
  const start = performance.now();
  const { status } = spawnSync("npm", ["run", "--silent", part], { stdio: "inherit" });
  return { part, passed: status === 0, seconds: (performance.now() - start) / 1000 };
});

console.log("\n== verify ==");
for (const { part, passed, seconds } of results) {
  const time = `${seconds.toFixed(1)} s`.padStart(8);
  console.log(`${passed ? "passed" : "FAILED"}  ${time}  ${part.padEnd(10)} ${parts[part]}`);
}
process.exitCode = results.every((result) => result.passed) ? 0 : 1;
