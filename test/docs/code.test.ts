import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Block, blocks, pages, project } from "./support/pages.ts";
import { withPrelude } from "./support/prelude.ts";

const shown = pages().flatMap((page) => blocks(page).filter(({ language }) => language === "ts"));

describe("the TypeScript code in pages and comments", () => {
  let folder: string;
  /** The source of each file in the folder. */
  const places = new Map<string, string>();
  let output = "";

  beforeAll(async () => {
    const examples = (await Promise.all(["src", "client"].map(examplesOf))).flat();
    expect(examples.length).toBeGreaterThan(4);
    // The folder is in the checkout, so that packages and the package's own name resolve. Git ignores it.
    folder = await mkdtemp(join(project, ".docs-"));
    const files = [...shown.map(({ code, place }) => ({ code, place })), ...examples];
    await Promise.all(
      files.map(({ code, place }, number) => {
        const name = `${number}.ts`;
        places.set(name, place);
        return writeFile(join(folder, name), code);
      }),
    );
    const compilerOptions = { declaration: false, isolatedDeclarations: false };
    const settings = { extends: "../tsconfig.json", compilerOptions, include: [], files: [...places.keys()] };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(settings));
    const compiler = promisify(execFile)(join(project, "node_modules/.bin/tsc"), ["-p", folder], { cwd: folder });
    output = (await compiler.catch((error: { stdout: string }) => error)).stdout;
  }, 180_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("type-checks", () => {
    const errors = output
      .split("\n")
      .filter((line) => line.includes("error TS"))
      .map((line) => line.replace(/^(\d+\.ts)/, (name) => `${places.get(name)} `));
    expect(errors).toEqual([]);
  });
});

/** Returns the examples in the sources' comments, each with the declarations that it omits. */
async function examplesOf(part: string): Promise<Pick<Block, "code" | "place">[]> {
  const folder = join(project, part);
  const files = (await readdir(folder, { recursive: true }))
    .filter((name) => name.endsWith(".ts") && !name.startsWith("dist"))
    .sort();
  const found = await Promise.all(
    files.map(async (file) => {
      const source = await readFile(join(folder, file), "utf8");
      return [...source.matchAll(/@example\n\s*\* ```ts\n([\s\S]*?)\* ```/g)].map(([whole, code = ""]) => {
        const line = source.slice(0, source.indexOf(whole)).split("\n").length;
        return { code: withPrelude(code.replaceAll(/^\s*\* ?/gm, "")), place: `${part}/${file}:${line}` };
      });
    }),
  );
  return found.flat();
}
