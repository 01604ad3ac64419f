import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { blocks, page as pageOf } from "../docs/support/pages.ts";
import { createDatabase, createDataDir } from "../support/databases.ts";
import { OtlpReceiver } from "../support/otlp-receiver.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));
const app = join(project, "test/package/app");
const greeter = expect.objectContaining({ id: "greeter", name: "Greeter" });

const folders: string[] = [];

afterAll(async () => {
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});

/** The environment without variables in which `npm test` describes its own package. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_(package|lifecycle|command|config_local_prefix)|INIT_CWD|NODE_OPTIONS|VITEST)/.test(name),
  ),
);

describe("an app in a checkout, without a build", () => {
  const sources = new URL("../../src/index.ts", import.meta.url).href;

  test("is importable in a test", async () => {
    const { default: platform } = await import("./app/app.ts");
    expect(platform.agents.map((agent) => agent.id)).toEqual(["greeter"]);
  });

  test("runs in Node", async () => {
    const { troupe, agents } = await runMain(app, "--conditions=troupe-source");
    expect(troupe).toBe(sources);
    expect(agents).toEqual([greeter]);
  });

  test("runs with the command line, also from another folder", async () => {
    const folder = await emptyFolder();
    await cp(app, folder, { recursive: true });
    expect(await agentsOfStarted(join(project, "bin/troupe.mjs"), join(app, "app.ts"))).toEqual([greeter]);
    expect(await agentsOfStarted(join(project, "bin/troupe.mjs"), join(folder, "app.ts"))).toEqual([greeter]);
  });
});

describe("an app in an empty folder with the packed package", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await emptyFolder();
    await install(await pack("troupe"), folder);
    await cp(app, folder, { recursive: true });
  }, 300_000);

  test("runs in Node", async () => {
    const { troupe, agents } = await runMain(folder);
    expect(troupe).toMatch(/\/node_modules\/troupe\/dist\/src\/index\.js$/);
    expect(agents).toEqual([greeter]);
  });

  test("runs with the command line", async () => {
    expect(await agentsOfStarted(join(folder, "node_modules/.bin/troupe"), join(folder, "app.ts"))).toEqual([greeter]);
  });

  test("runs several processes on one port, with one endpoint for their metrics", async () => {
    const { url, drop } = await createDatabase();
    onTestFinished(drop);
    const variables = { DATABASE_URL: url, TROUPE_PROCESSES: "2", METRICS_PORT: "0" };
    const troupe = join(folder, "node_modules/.bin/troupe");
    const { address, end, output } = await startedServer(troupe, join(folder, "app.ts"), variables);
    expect(await (await fetch(`${address}/agents`)).json()).toEqual([greeter]);
    const metricsUrl = / metrics +(http:\S+)/.exec(output())?.[1] ?? "";
    expect(await (await fetch(metricsUrl)).text()).toContain("\ntroupe_server_processes 2\n");
    await end();
  });

  test("exports traces", async () => {
    await using collector = await OtlpReceiver.open();
    const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "50" };
    const troupe = join(folder, "node_modules/.bin/troupe");
    const { address, end } = await startedServer(troupe, join(folder, "app.ts"), variables);
    const body = new URLSearchParams({ message: "hello", stream: "false" });
    const response = await fetch(`${address}/agents/greeter/runs`, { method: "POST", body });
    expect(response.status).toBe(200);
    await expect.poll(() => collector.spans.map(({ name }) => name)).toContain("invoke_agent Greeter");
    await end();
  });

  test("can import the client, which loads no part of the server", async () => {
    const program = 'import("troupe/client").then(({ createClient }) => console.log(typeof createClient))';
    const { stdout } = await promisify(execFile)(process.execPath, ["-e", program], { cwd: folder, env: environment });
    expect(stdout).toBe("function\n");
    expect(await importsOf(join(folder, "node_modules/troupe/dist/client"))).toEqual(clientImports);
  });

  test("each export of the package can be imported, and all share their errors", async () => {
    const { exports } = JSON.parse(await readFile(join(folder, "node_modules/troupe/package.json"), "utf8"));
    // React is an optional peer: only `troupe/react` needs it.
    const names = Object.keys(exports).filter((name) => !name.endsWith(".json") && name !== "./react");
    const program = `for (const name of ${JSON.stringify(names)}) await import(name.replace(".", "troupe"));
      const { TroupeError, toClientError } = await import("troupe");
      console.log(toClientError(new TroupeError("conflict", "x")).code, typeof (await import("troupe/interface")).eachFrame);`;
    const run = promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
      cwd: folder,
      env: environment,
    });
    expect((await run).stdout).toBe("conflict function\n");
  });

  test("can import the hooks, if React is installed", async () => {
    await symlink(join(project, "node_modules/react"), join(folder, "node_modules/react"));
    const program = 'import("troupe/react").then(({ useRun }) => console.log(typeof useRun))';
    const { stdout } = await promisify(execFile)(process.execPath, ["-e", program], { cwd: folder, env: environment });
    expect(stdout).toBe("function\n");
  });

  test("the code of docs/react.md type-checks and can be built for a browser", async () => {
    const place = join(folder, "web");
    const [html, main, conversation, types] = blocks(pageOf("docs/react.md"));
    const imports = 'import { useSession } from "troupe/react";\n';
    const files = {
      "index.html": html?.code ?? "",
      "main.tsx": main?.code ?? "",
      "conversation.tsx": `${imports}${conversation?.code}\nexport { Conversation };\n`,
      "hooks.ts": types?.code.replace("../server/platform.ts", "../app.ts") ?? "",
    };
    await mkdir(place);
    for (const [name, code] of Object.entries(files)) await writeFile(join(place, name), code);
    for (const name of ["react", "react-dom", "@types/react", "@types/react-dom", "vite"]) {
      const link = join(folder, "node_modules", name);
      await mkdir(dirname(link), { recursive: true });
      // Another test may have linked it.
      if (!existsSync(link)) await symlink(join(project, "node_modules", name), link);
    }
    const compilerOptions = { module: "preserve", target: "es2024", jsx: "react-jsx", strict: true, noEmit: true };
    const options = { ...compilerOptions, lib: ["es2024", "dom"], types: [], allowImportingTsExtensions: true };
    await writeFile(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include: ["*"] }));
    expect((await projectErrors(place)).filter((line) => !line.startsWith("../node_modules/"))).toEqual([]);
    const vite = join(folder, "node_modules/vite/bin/vite.js");
    const env = { ...environment, NODE_ENV: "production" };
    await promisify(execFile)(process.execPath, [vite, "build"], { cwd: place, env });
    const [script = ""] = await readdir(join(place, "dist/assets"));
    const built = await readFile(join(place, "dist/assets", script), "utf8");
    const parts = ["Plan a day", "node:fs", "node:http", "better-sqlite3", "fastify"];
    expect(parts.filter((part) => built.includes(part))).toEqual(["Plan a day"]);
  });

  test("type-checks without Node's types, including our declarations", async () => {
    expect(await typeErrors(folder, "app.ts")).toEqual([]);
  });

  test("init of the installed package writes a project that type-checks, passes its test and answers", async () => {
    const place = await initialised(folder, "my-app");
    const { stdout } = await promisify(execFile)(process.execPath, ["--test", "test/agents.test.ts"], {
      cwd: place,
      env: environment,
    });
    expect(stdout).toContain("pass 1");
    expect(await projectErrors(place)).toEqual([]);
    const troupe = join(folder, "node_modules/.bin/troupe");
    const { address, end } = await startedServer(troupe, join(place, "src/app.ts"), {});
    const body = new URLSearchParams({ message: "What is the weather in Paris?", stream: "false" });
    const answer = await (await fetch(`${address}/agents/weather/runs`, { method: "POST", body })).json();
    expect((answer as { content: string }).content).toBe("It is sunny in Paris, at 21 °C.");
    await end();
  });

  test("has only the expected files of the package", async () => {
    const installed = await readdir(join(folder, "node_modules/troupe"));
    expect(installed.sort()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "bin",
      "client",
      "dist",
      "docs",
      "package.json",
      "src",
    ]);
  });

  test("has a bill of materials that names exactly the installed dependencies", async () => {
    const { metadata, components } = JSON.parse(
      await readFile(join(folder, "node_modules/troupe/dist/sbom.cdx.json"), "utf8"),
    );
    expect(metadata.component).toMatchObject({ name: "troupe", type: "application" });
    const named = components.map(({ name }: { name: string }) => name);
    const { dependencies } = JSON.parse(await readFile(join(project, "package.json"), "utf8"));
    expect(named).toEqual(expect.arrayContaining(Object.keys(dependencies)));
    for (const name of ["vitest", "typescript", "node"]) expect(named).not.toContain(name);
    // Their code is in the build of the console.
    expect(named).toEqual(expect.arrayContaining(["react", "@mantine/core"]));
  });

  test("serves the console with its scripts and licenses", async () => {
    const { address, end } = await startedServer(join(folder, "node_modules/.bin/troupe"), join(folder, "app.ts"), {});
    const page = await (await fetch(`${address}/console`)).text();
    const script = /src="(console\/assets\/[^"]+\.js)"/.exec(page)?.[1];
    const response = await fetch(`${address}/${script}`);
    expect(response.headers.get("content-type")).toMatch("javascript");
    expect(await (await fetch(`${address}/console/licenses.md`)).text()).toContain("@mantine/core");
    await end();
  });
});

describe("a front end in an empty folder with the packed client", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await emptyFolder();
    await install(await pack("client"), folder);
    await writeFile(join(folder, "page.mts"), page);
  }, 120_000);

  test("has the client and its one dependency, and the client imports nothing else", async () => {
    const installed = (await readdir(join(folder, "node_modules"))).filter((name) => !name.startsWith("."));
    expect(installed.sort()).toEqual(["@troupe", "eventsource-parser"]);
    const own = join(folder, "node_modules/@troupe/client");
    expect((await readdir(own)).sort()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
    expect(await importsOf(join(own, "dist/client"))).toEqual(clientImports);
    expect(await importsOf(join(own, "dist/src"))).toEqual(new Set());
    const files = await readdir(own, { recursive: true, withFileTypes: true });
    const sizes = await Promise.all(
      files.filter((it) => it.isFile()).map(async (it) => (await stat(join(it.parentPath, it.name))).size),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(300_000);
  });

  test("runs in Node", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["page.mts"], { cwd: folder, env: environment });
    expect(stdout).toBe("RequestError: http://127.0.0.1:1 cannot be reached.\n");
  });

  test("type-checks without Node's types", async () => {
    expect(await typeErrors(folder, "page.mts")).toEqual([]);
  });
});

/** The imports of the client, except for its own files. */
const clientImports = new Set(["../src/errors.js", "eventsource-parser"]);

const page = `import { createClient, type RunEvent } from "@troupe/client";
const client = createClient({ url: "http://127.0.0.1:1", retryFor: 0 });
const told: RunEvent[] = [];
try {
  for await (const event of await client.team("desk").start("Hello")) told.push(event);
} catch (error) {
  console.log(String(error));
}
`;

/** The imports of a folder's JavaScript from outside the folder, without those of the hooks for React. */
async function importsOf(folder: string): Promise<Set<string>> {
  const all = await readdir(folder, { recursive: true });
  const names = all.filter((name) => name.endsWith(".js") && !name.startsWith("react/"));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  const imported = texts.flatMap((text) => [...text.matchAll(/from "([^"]+)"/g)].map(([, from = ""]) => from));
  return new Set(imported.filter((from) => !from.startsWith("./")));
}

async function typeErrors(folder: string, file: string): Promise<string[]> {
  const compilerOptions = { module: "nodenext", target: "es2024", strict: true, noEmit: true, types: [] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
  const tsc = promisify(execFile)(join(project, "node_modules/.bin/tsc"), ["-p", folder], { cwd: folder });
  const { stdout } = await tsc.catch((error: { stdout: string }) => error);
  const errors = stdout.split("\n").filter((line) => line.includes("error TS"));
  // Declarations of other packages have errors of their own, which are out of scope.
  return errors.filter((line) => !/^node_modules\/(?!@?troupe\/)/.test(line));
}

/** Runs `troupe init` of the installed package. The project finds its packages as if they were installed. */
async function initialised(folder: string, name: string, ...options: string[]): Promise<string> {
  const place = join(folder, name);
  const troupe = join(folder, "node_modules/.bin/troupe");
  await promisify(execFile)(process.execPath, [troupe, "init", name, ...options], { cwd: folder, env: environment });
  for (const found of ["@types", "@ai-sdk"]) {
    const link = join(folder, "node_modules", found);
    await rm(link, { recursive: true, force: true });
    await symlink(join(project, "node_modules", found), link);
  }
  return place;
}

/** Type errors of a project, with its own configuration. */
async function projectErrors(place: string): Promise<string[]> {
  const tsc = promisify(execFile)(join(project, "node_modules/.bin/tsc"), ["-p", place], { cwd: place });
  const { stdout } = await tsc.catch((error: { stdout: string }) => error);
  return stdout.split("\n").filter((line) => line.includes("error TS"));
}

async function install(tarball: string, folder: string): Promise<void> {
  await npm(folder, "install", tarball, "--prefer-offline", "--no-audit", "--no-fund");
}

/** Packs a copy, so that nothing is built in the checkout while other tests run. Resolves to the tarball. */
async function pack(which: "troupe" | "client"): Promise<string> {
  const copy = await emptyFolder();
  const needed = [
    "package.json",
    "tsconfig.json",
    "tsconfig.build.json",
    "README.md",
    "package-lock.json",
    "CHANGELOG.md",
    "docs",
    "LICENSE",
    "bin",
    "src",
    "client",
    "console",
    "scripts",
  ];
  await Promise.all(needed.map((path) => cp(join(project, path), join(copy, path), { recursive: true })));
  await symlink(join(project, "node_modules"), join(copy, "node_modules"));
  const into = await emptyFolder();
  await npm(which === "client" ? join(copy, "client") : copy, "pack", "--pack-destination", into);
  const [tarball] = await readdir(into);
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

/** Starts a server with `troupe start`, requests its agents, and ends it with SIGTERM. */
async function agentsOfStarted(troupe: string, file: string): Promise<unknown> {
  const { address, end } = await startedServer(troupe, file);
  const agents = await (await fetch(`${address}/agents`)).json();
  await end();
  return agents;
}

/** Starts a server. `end` stops it, and checks that it exits without an error. */
async function startedServer(
  troupe: string,
  file: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<{ readonly address: string; readonly output: () => string; readonly end: () => Promise<void> }> {
  const data = await createDataDir();
  onTestFinished(data.remove);
  const options = ["start", file, "--port", "0", "--data-dir", data.path];
  const server = spawn(process.execPath, [troupe, ...options], {
    env: { ...environment, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
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
  const end = async (): Promise<void> => {
    const exit = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGTERM");
    expect(await exit, output).toBe(0);
  };
  return { address, output: () => output, end };
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
