import { execFile, spawn } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createDataDir } from "../support/databases.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));
const app = join(project, "test/package/app");
const greeter = expect.objectContaining({ id: "greeter", name: "Greeter" });

const folders: string[] = [];

afterAll(async () => {
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});

/** Without what `npm test` tells its children about the package it belongs to. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_(package|lifecycle|command|config_local_prefix)|INIT_CWD|NODE_OPTIONS|VITEST)/.test(name),
  ),
);

describe("an app in a checkout, without a build", () => {
  const sources = new URL("../../src/index.ts", import.meta.url).href;

  test("runs in a test", async () => {
    const { default: platform } = await import("./app/app.ts");
    expect(platform.agents.map((agent) => agent.id)).toEqual(["greeter"]);
  });

  test("runs in Node", async () => {
    const { troupe, agents } = await runMain(app, "--conditions=troupe-source");
    expect(troupe).toBe(sources);
    expect(agents).toEqual([greeter]);
  });

  test("runs by the command line, in a folder of its own too", async () => {
    const folder = await emptyFolder();
    await cp(app, folder, { recursive: true });
    expect(await agentsOfStarted(join(project, "bin/troupe.mjs"), join(app, "app.ts"))).toEqual([greeter]);
    expect(await agentsOfStarted(join(project, "bin/troupe.mjs"), join(folder, "app.ts"))).toEqual([greeter]);
  });
});

describe("an app in an empty folder where the packed package is installed", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await emptyFolder();
    const tarball = await pack(folder);
    await npm(folder, "install", tarball, "--prefer-offline", "--no-audit", "--no-fund");
    await cp(app, folder, { recursive: true });
  }, 120_000);

  test("runs in Node", async () => {
    const { troupe, agents } = await runMain(folder);
    expect(troupe).toMatch(/\/node_modules\/troupe\/dist\/index\.js$/);
    expect(agents).toEqual([greeter]);
  });

  test("runs by the command line", async () => {
    expect(await agentsOfStarted(join(folder, "node_modules/.bin/troupe"), join(folder, "app.ts"))).toEqual([greeter]);
  });

  test("has the client, which loads nothing of the server", async () => {
    const program = 'import("troupe/client").then(({ createClient }) => console.log(typeof createClient))';
    const { stdout } = await promisify(execFile)(process.execPath, ["-e", program], { cwd: folder, env: environment });
    expect(stdout).toBe("function\n");
    const loaded = await readdir(join(folder, "node_modules/troupe/dist/client"));
    const sources = loaded.filter((name) => name.endsWith(".js"));
    const texts = await Promise.all(
      sources.map((name) => readFile(join(folder, "node_modules/troupe/dist/client", name), "utf8")),
    );
    const imported = texts.flatMap((text) => [...text.matchAll(/from "([^"]+)"/g)].map(([, from]) => from));
    expect(new Set(imported.filter((from) => !from?.startsWith("./")))).toEqual(
      new Set(["../errors.js", "eventsource-parser"]),
    );
  });

  test("type-checks, without types of Node and with the checks of our declarations", async () => {
    const compilerOptions = { module: "nodenext", target: "es2024", strict: true, noEmit: true, types: [] };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["app.ts"] }));
    const tsc = promisify(execFile)(join(project, "node_modules/.bin/tsc"), ["-p", folder], { cwd: folder });
    const { stdout } = await tsc.catch((error: { stdout: string }) => error);
    const errors = stdout.split("\n").filter((line) => line.includes("error TS"));
    // Other packages' declarations have errors of their own, which are not ours to hold.
    expect(errors.filter((line) => !/^node_modules\/(?!troupe\/)/.test(line))).toEqual([]);
  });

  test("holds what it needs and nothing else", async () => {
    const installed = await readdir(join(folder, "node_modules/troupe"));
    expect(installed.sort()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "bin",
      "dist",
      "docs",
      "package.json",
      "src",
    ]);
  });
});

/** Packs a copy, so that nothing is built in the checkout while other tests run. */
async function pack(into: string): Promise<string> {
  const copy = await emptyFolder();
  const needed = [
    "package.json",
    "tsconfig.json",
    "tsconfig.build.json",
    "README.md",
    "CHANGELOG.md",
    "docs",
    "LICENSE",
    "bin",
    "src",
    "scripts",
  ];
  await Promise.all(needed.map((path) => cp(join(project, path), join(copy, path), { recursive: true })));
  await symlink(join(project, "node_modules"), join(copy, "node_modules"));
  await npm(copy, "pack", "--pack-destination", into);
  const tarball = (await readdir(into)).find((name) => name.endsWith(".tgz"));
  if (!tarball) throw new Error("npm pack made no tarball.");
  return join(into, tarball);
}

async function runMain(folder: string, ...options: string[]): Promise<{ troupe: string; agents: unknown }> {
  const data = await createDataDir();
  onTestFinished(data.remove);
  const main = [...options, join(folder, "main.ts"), data.path];
  const { stdout } = await promisify(execFile)(process.execPath, main, { cwd: folder, env: environment });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

/** Starts a server with `troupe start`, asks it for its agents, and ends it as an operator would. */
async function agentsOfStarted(troupe: string, file: string): Promise<unknown> {
  const data = await createDataDir();
  onTestFinished(data.remove);
  const options = ["start", file, "--port", "0", "--data-dir", data.path];
  const server = spawn(process.execPath, [troupe, ...options], { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void server.kill("SIGKILL"));

  let output = "";
  const address = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk;
      const found = /http:\/\/[\w.]+:\d+/.exec(output);
      if (found) resolve(found[0]);
    };
    server.stdout.on("data", read);
    server.stderr.on("data", read);
    server.once("exit", (code) => reject(new Error(`troupe start ended with ${code}:\n${output}`)));
  });
  const agents = await (await fetch(`${address}/agents`)).json();
  const exit = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGTERM");
  expect(await exit, output).toBe(0);
  return agents;
}

async function npm(folder: string, ...options: string[]): Promise<void> {
  await promisify(execFile)("npm", options, { cwd: folder, env: environment }).catch((error) => {
    throw new Error(`npm ${options[0]} failed:\n${error.stdout}${error.stderr}`);
  });
}

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "troupe-pack-"));
  folders.push(folder);
  return folder;
}
