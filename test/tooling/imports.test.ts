import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { checkImports } from "../../scripts/check-imports.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));

test("the project's sources pass", () => {
  expect(checkImports(project)).toEqual([]);
});

test("imports to lower levels pass", async () => {
  const folder = await plant({
    "model/run.ts": `import { code } from "../errors.ts"; export type Run = typeof code;`,
    "errors.ts": `export const code = 1;`,
    "store/seam.ts": `import type { Run } from "../model/run.ts"; import pg from "pg"; export type Seam = [Run, pg.Client];`,
    "index.ts": `export type { Seam } from "./store/seam.ts";`,
  });
  expect(checkImports(folder)).toEqual([]);
});

test.each([
  ["from a higher level", `import { start } from "../engine/start.ts";`, "store may not import engine"],
  ["of a type from a higher level", `import type { start } from "../engine/start.ts";`, "store may not import engine"],
  ["in a type expression", `export type S = typeof import("../engine/start.ts");`, "store may not import engine"],
  ["in an export", `export * from "../engine/start.ts";`, "store may not import engine"],
  ["that is dynamic", `export const later = () => import("../engine/start.ts");`, "store may not import engine"],
  ["of a worker's file", `new URL("../engine/start.ts", import.meta.url);`, "store may not import engine"],
  ["from a sibling", `import "../auth/verify.ts";`, "store may not import auth"],
  ["from the public exports", `import "../index.ts";`, "store may not import index"],
  ["from outside the sources", `import "../../bench/main.ts";`, "sources import nothing outside src/ and client/"],
  ["from the own package", `import "troupe";`, "sources import each other by path"],
  ["from another layer's package", `import "fastify";`, "only http and interfaces may import fastify"],
  ["of a missing file", `import "./gone.ts";`, "there is no src/store/gone.ts"],
])("an import %s fails", async (_, code, problem) => {
  const folder = await plant({
    "store/bad.ts": `\n${code}`,
    "engine/start.ts": `export const start = 1;`,
    "auth/verify.ts": `export const verify = 1;`,
    "index.ts": `export const nothing = 1;`,
  });
  expect(checkImports(folder)).toEqual([expect.stringMatching(/^src\/store\/bad\.ts:2 imports ".*": /)]);
  expect(checkImports(folder)[0]).toContain(problem);
});

test.each([
  ["a file of the server", `import "../../../../src/errors.ts";`, "the console imports nothing outside console/src/"],
  ["the server's package", `import "troupe";`, "the console imports of ours only @troupe/client"],
  ["a module of Node", `import "node:fs";`, "the console imports of ours only @troupe/client"],
  ["another screen", `import "../chat/page.tsx";`, "screens do not import each other"],
])("a screen of the console that imports %s fails", async (_, code, problem) => {
  const folder = await plant({
    "../console/src/screens/home/page.tsx": `import "@troupe/client";\n${code}`,
    "../console/src/screens/chat/page.tsx": `import "../../shell/title.ts";`,
    "../console/src/shell/title.ts": `import "react";`,
  });
  expect(checkImports(folder)).toEqual([expect.stringMatching(/^console\/src\/screens\/home\/page\.tsx:2 /)]);
  expect(checkImports(folder)[0]).toContain(problem);
});

test("an interface that imports another interface fails", async () => {
  const folder = await plant({
    "interfaces/a2a/tasks.ts": `import "./states.ts"; import { run } from "../web-socket/run.ts"; export const task = run;`,
    "interfaces/a2a/states.ts": `export const state = 1;`,
    "interfaces/web-socket/run.ts": `export const run = 1;`,
  });
  expect(checkImports(folder)).toEqual([
    expect.stringContaining("interfaces/a2a may not import interfaces/web-socket"),
  ]);
});

test("an interface imports only the service layer, the HTTP transport and the lowest levels", async () => {
  const codes = {
    "errors.ts": "",
    "model/run.ts": "",
    "events/run-logs.ts": "",
    "runs/start.ts": "",
    "http/transport/route.ts": "",
    "http/input/body.ts": "",
    "http/streams/sse.ts": "",
    "http/routes/runs.ts": "",
    "http/records/run.ts": "",
    "http/callers/token.ts": "",
    "engine/engine.ts": "",
    "store/contract/store.ts": "",
    "define/platform.ts": "",
    "auth/keys.ts": "",
  };
  const imports = Object.keys(codes).map((path) => `import "../../${path}";`);
  const folder = await plant({ ...codes, "interfaces/a2a/tasks.ts": imports.join("\n") });
  expect(checkImports(folder)).toEqual(
    ["http/routes", "http/records", "http/callers", "engine", "store", "define", "auth"].map((part) =>
      expect.stringContaining(`: interfaces may not import ${part}`),
    ),
  );
});

test("a cycle within one folder fails", async () => {
  const folder = await plant({
    "model/a.ts": `import "./b.ts";`,
    "model/b.ts": `import "./c.ts";`,
    "model/c.ts": `import type {} from "./a.ts";`,
  });
  expect(checkImports(folder)).toEqual(["cycle: src/model/a.ts -> src/model/b.ts -> src/model/c.ts -> src/model/a.ts"]);
});

test("a folder without a place in the levels fails", async () => {
  const folder = await plant({ "helpers/a.ts": "" });
  expect(checkImports(folder)).toEqual([expect.stringContaining(`"helpers" has no place`)]);
});

test("the command exits with 1 and prints the import", async () => {
  const folder = await plant({ "model/a.ts": `import "fastify";` });
  const run = promisify(execFile)(process.execPath, [join(project, "scripts/check-imports.ts"), folder]);
  await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("src/model/a.ts:1") });
});

async function plant(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "troupe-imports-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, "src", path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  return folder;
}
