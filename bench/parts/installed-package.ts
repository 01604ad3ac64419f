/** The built package in a folder of its own, as an installation has it: a checkout runs its sources instead. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("../..", import.meta.url));
const dependencies = join(project, "node_modules");

/** An installation, and an app that uses it. */
export interface InstalledPackage {
  readonly launcher: string;
  readonly app: string;
}

/** Builds the package and installs it in a new folder, with links to the checkout's dependencies. */
export async function installPackage(): Promise<InstalledPackage & { remove(): Promise<void> }> {
  const [code] = await once(spawn(process.execPath, [join(project, "scripts/build.ts")], { stdio: "inherit" }), "exit");
  if (code !== 0) throw new Error("The build failed.");
  const folder = mkdtempSync(join(tmpdir(), "troupe-bench-app-"));
  const modules = join(folder, "node_modules");
  const installed = join(modules, "troupe");
  mkdirSync(installed, { recursive: true });
  for (const part of ["bin", "dist", "package.json"]) {
    cpSync(join(project, part), join(installed, part), { recursive: true });
  }
  for (const name of readdirSync(dependencies)) {
    if (name !== "troupe" && !name.startsWith(".")) symlinkSync(join(dependencies, name), join(modules, name));
  }
  const app = join(folder, "app.ts");
  cpSync(fileURLToPath(new URL("small-app.ts", import.meta.url)), app);
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  const remove = async (): Promise<void> => rmSync(folder, { recursive: true, force: true });
  return { launcher: join(installed, "bin/troupe.mjs"), app, remove };
}
