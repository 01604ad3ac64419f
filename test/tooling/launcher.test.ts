import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const launcher = fileURLToPath(new URL("../../bin/troupe.mjs", import.meta.url));

test("the library throws the version error on an old Node, before it loads modules that this Node lacks", async () => {
  const version = "20.20.2";
  const older = `
    import { registerHooks } from "node:module";
    Object.defineProperty(process, "versions", { value: { node: "${version}" } });
    registerHooks({
      resolve: (specifier, context, next) =>
        specifier === "node:zlib" ? { url: "data:text/javascript,", shortCircuit: true } : next(specifier, context),
    });`;
  const entry = new URL("../../src/index.ts", import.meta.url).href;
  const script = `import(${JSON.stringify(entry)}).catch((error) => console.log(error.name, error.message))`;
  const preload = `data:text/javascript,${encodeURIComponent(older)}`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", preload, "-e", script]);
  expect(stdout).toMatch(new RegExp(`^ConfigurationError Troupe needs Node >= 22\\.18, this is ${version}: .+\n$`));
});

test.each(["20.20.2", "22.17.1"])(
  "the command on Node %s exits with the required version before it loads anything else",
  async (version) => {
    const older = `Object.defineProperty(process, "versions", { value: { node: "${version}" } });`;
    const run = promisify(execFile)(process.execPath, ["--import", `data:text/javascript,${older}`, launcher, "start"]);
    await expect(run).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(new RegExp(`^Troupe needs Node >= 22\\.18, this is ${version}: .+\n$`)),
    });
  },
);
