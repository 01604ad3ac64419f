import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { blocks, page, project } from "./support/pages.ts";

test("the test in docs/testing.md passes, and fails if the expected answer differs", async () => {
  const [shown] = blocks(page("docs/testing.md")).filter(({ marks }) => marks.includes("test=pack.ts"));
  const code = shown?.code ?? "";
  // The folder is in the checkout, so that packages and the package's own name resolve. Git ignores it.
  const folder = await mkdtemp(join(project, ".docs-"));
  const run = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    const options = { cwd: folder, env: { ...process.env, TMPDIR: folder } };
    return promisify(execFile)(process.execPath, ["--conditions=troupe-source", name], options);
  };
  try {
    await run("pack.ts", code);
    const other = code.replace('(content, "Take sunglasses."', '(content, "Take an umbrella."');
    expect(other).not.toBe(code);
    await expect(run("other.ts", other)).rejects.toThrow("AssertionError");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
