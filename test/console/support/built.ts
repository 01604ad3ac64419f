/** Builds the console before the tests that open it, if it is older than its sources. Test files run in several processes; one of them builds. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmdirSync, statSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("../../../console/scripts/build.ts", import.meta.url));
const lock = fileURLToPath(new URL("../../../node_modules/.console-build", import.meta.url));

/** A build takes some 10 seconds. An older lock is of a process that was killed. */
const maxBuildTime = 120_000;

while (!takeLock()) await wait(200);
try {
  execFileSync(process.execPath, [script, "--if-needed"], { stdio: "inherit" });
} finally {
  rmdirSync(lock);
}

function takeLock(): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > maxBuildTime) rmdirSync(lock);
    return false;
  }
}
