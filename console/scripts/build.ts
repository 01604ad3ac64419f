/**
 * Builds the console into dist/console, prints its sizes, and fails if the first load is too large.
 * Usage: node console/scripts/build.ts [--if-needed]     with `--if-needed`: only if a source is newer than the build
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("../..", import.meta.url));

/** The build depends on these files and folders. */
const sources = ["console", "client", "package-lock.json"];

if (import.meta.main) {
  const built = join(project, "dist/console/manifest.json");
  const isNeeded = !process.argv.includes("--if-needed") || !existsSync(built) || newestOf(sources) > timeOf(built);
  if (isNeeded) {
    if (process.argv.includes("--if-needed")) console.log("Building the console: about 10 seconds …");
    const { buildConsole } = await import("./bundle.ts");
    await buildConsole();
  }
}

function newestOf(paths: readonly string[]): number {
  return Math.max(
    ...paths
      .map((path) => join(project, path))
      .flatMap(filesAt)
      .map(timeOf),
  );
}

function filesAt(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules" && name !== "dist")
    .flatMap(({ name }) => filesAt(join(path, name)));
}

function timeOf(path: string): number {
  return statSync(path).mtimeMs;
}
