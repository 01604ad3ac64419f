/**
 * Runs all checks that a change must pass, the fast ones first. Prints a line for each part, and the output of a part that fails; continues
 * after a failure.
 * Usage: node scripts/verify.ts [part ...]     without a part: all of them
 */
import { spawn } from "node:child_process";
import { once } from "node:events";

const parts: Record<string, string> = {
  lint: "format and lint",
  imports: "direction of imports, cycles",
  typecheck: "types",
  unused: "unused code and dependencies",
  package: "build, package, published types",
  test: "tests",
};

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts);
const unknown = chosen.filter((part) => !(part in parts));
if (unknown.length > 0) {
  console.error(`No such part: ${unknown.join(", ")}. There are ${Object.keys(parts).join(", ")}.`);
  process.exit(2);
}

for (const part of chosen) {
  const start = performance.now();
  const { passed, output } = await run(part);
  const time = `${((performance.now() - start) / 1000).toFixed(1)} s`.padStart(8);
  console.log(`${passed ? "passed" : "FAILED"}  ${time}  ${part.padEnd(10)} ${parts[part]}`);
  if (passed) continue;
  process.exitCode = 1;
  console.log(`\n${output}`);
}

/** Runs an npm script; the output contains standard output and standard error in the order of their arrival. */
async function run(part: string): Promise<{ passed: boolean; output: string }> {
  const child = spawn("npm", ["run", "--silent", part], { stdio: ["ignore", "pipe", "pipe"] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  const [code] = await once(child, "close");
  return { passed: code === 0, output: Buffer.concat(chunks).toString("utf8") };
}
