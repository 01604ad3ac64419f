/** Builds what the package publishes: src/**.ts as JavaScript with types in dist/, every other file of src/ as it is. */
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("..", import.meta.url));
const source = join(project, "src");
const target = join(project, "dist");

rmSync(target, { recursive: true, force: true });
const compiler = spawnSync(join(project, "node_modules/.bin/tsc"), ["-p", "tsconfig.build.json"], {
  cwd: project,
  stdio: "inherit",
});
if (compiler.status !== 0) process.exit(compiler.status ?? 1);

for (const file of filesUnder(source)) {
  if (!file.endsWith(".ts")) cpSync(file, join(target, relative(source, file)));
}

// tsc rewrites the extension in imports, not in strings: such a file would be looked for in vain.
for (const file of filesUnder(target).filter((it) => it.endsWith(".js"))) {
  const left = /new URL\(\s*"\.[^"]*\.ts"/.exec(readFileSync(file, "utf8"));
  if (left) throw new Error(`${relative(project, file)} still names a source file: ${left[0]}`);
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
