/**
 * Builds what the packages publish, as JavaScript with types in dist/ of each: `troupe` from src/, every other file of src/ as it is, and the
 * client; `@troupe/client` from client/.
 * Usage: node scripts/build.ts [client]     with the word: `@troupe/client` only
 */
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("..", import.meta.url));

if (process.argv[2] === "client") {
  const target = join(project, "client/dist");
  rmSync(target, { recursive: true, force: true });
  compile("client/tsconfig.build.json", target);
} else {
  const source = join(project, "src");
  const target = join(project, "dist");
  rmSync(target, { recursive: true, force: true });
  compile("tsconfig.build.json", target);
  for (const file of filesUnder(source)) {
    if (!file.endsWith(".ts")) cpSync(file, join(target, relative(source, file)));
  }
  // The same build of the client as in its own package: docs/decisions/0021.
  compile("client/tsconfig.build.json", target);
  refuseSourceNames(target);
}

function compile(config: string, target: string): void {
  const compiler = spawnSync(join(project, "node_modules/.bin/tsc"), ["-p", config, "--outDir", target], {
    cwd: project,
    stdio: "inherit",
  });
  if (compiler.status !== 0) process.exit(compiler.status ?? 1);
}

/** tsc rewrites the extension in imports, not in strings: such a file would be looked for in vain. */
function refuseSourceNames(target: string): void {
  for (const file of filesUnder(target).filter((it) => it.endsWith(".js"))) {
    const left = /new URL\(\s*"\.[^"]*\.ts"/.exec(readFileSync(file, "utf8"));
    if (left) throw new Error(`${relative(project, file)} still names a source file: ${left[0]}`);
  }
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
