/** Packs the packages as for publishing, and checks the tarballs with publint and attw. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "troupe-package-"));
try {
  run("npm", "pack", "--silent", "--pack-destination", folder, "--workspace=client", "--include-workspace-root");
  const names = readdirSync(folder);
  if (names.length !== 2) throw new Error(`npm pack made ${names.length} tarballs, not one for each package.`);
  for (const name of names) {
    const tarball = join(folder, name);
    run("publint", "run", tarball, "--strict");
    run("attw", tarball, "--profile", "esm-only");
  }
} catch (error) {
  console.error(String(error));
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}

function run(command: string, ...options: string[]): void {
  const { status } = spawnSync(command, options, { stdio: "inherit" });
  if (status !== 0) throw new Error(`${command} found something wrong.`);
}
