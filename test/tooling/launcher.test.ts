import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const launcher = fileURLToPath(new URL("../../bin/troupe.mjs", import.meta.url));

test.each(["20.20.2", "22.17.1"])("Node %s is told what is needed before anything else is loaded", async (version) => {
  const older = `Object.defineProperty(process, "versions", { value: { node: "${version}" } });`;
  const run = promisify(execFile)(process.execPath, ["--import", `data:text/javascript,${older}`, launcher, "start"]);
  await expect(run).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(new RegExp(`^Troupe needs Node >= 22\\.18, this is ${version}: .+\n$`)),
  });
});
