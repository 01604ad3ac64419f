/** The projects that `troupe init` writes, with the checkout as their installed package. Only the model provider is a local server. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify, stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { modelProviders } from "../../src/cli/init/choices.ts";
import { versions } from "../../src/cli/init/files.ts";
import { createDatabase } from "../support/databases.ts";
import { ProviderServer } from "../support/provider-server.ts";
import { type Workplace, workplace } from "./support/troupe.ts";

const checkout = fileURLToPath(new URL("../..", import.meta.url));
const question = new URLSearchParams({ message: "What is the weather in Paris?", stream: "false" });
const sunny = { status: "COMPLETED", content: "It is sunny in Paris, at 21 °C." };

test("a project without options passes its own test and types, and its server answers a run", async () => {
  await using place = await workplace();
  const { code, stdout, stderr } = await place.troupe("init my-app");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("  cd my-app\n  npm install && npm start\n");
  expect(await filesOf(place, "my-app")).toEqual([
    ".dockerignore",
    ".env",
    ".env.example",
    ".gitignore",
    "Dockerfile",
    "README.md",
    "package.json",
    "src/agents.ts",
    "src/app.ts",
    "src/model.ts",
    "src/tools.ts",
    "test/agents.test.ts",
    "tsconfig.json",
  ]);
  await linkPackage(place, "my-app");
  await checkProject(place, "my-app");
  const server = await place.serve(await startOf(place, "my-app"));
  const response = await fetch(`${server.address}/agents/weather/runs`, { method: "POST", body: question });
  expect(await response.json()).toMatchObject(sunny);
});

test("a project with --auth key accepts only its security key, which is not in the files for Git", async () => {
  await using place = await workplace();
  await place.troupe("init keyed --auth key --model scripted --database sqlite");
  await linkPackage(place, "keyed");
  const key = /^OS_SECURITY_KEY=(\S{43})$/m.exec(await read(place, "keyed/.env"))?.[1] ?? "";
  expect(key).not.toBe("");
  expect(await read(place, "keyed/.env.example")).toMatch(/^OS_SECURITY_KEY=$/m);
  expect((await read(place, "keyed/.gitignore")).split("\n")).toEqual(expect.arrayContaining([".env", ".troupe"]));
  const server = await place.serve(await startOf(place, "keyed"));
  const runs = `${server.address}/agents/weather/runs`;
  expect((await fetch(runs, { method: "POST", body: question })).status).toBe(401);
  const headers = { authorization: `Bearer ${key}` };
  expect(await (await fetch(runs, { method: "POST", body: question, headers })).json()).toMatchObject(sunny);
});

test("a project with JWT, Postgres and an OpenAI-compatible provider passes its types, and answers a run", async () => {
  await using place = await workplace();
  await using provider = await ProviderServer.answering([answer("It rains.")]);
  const database = await createDatabase();
  try {
    await place.troupe(
      "init full --auth jwt --model openai-compatible --database postgres --package file:../troupe.tgz",
    );
    expect(JSON.parse(await read(place, "full/package.json")).dependencies.troupe).toBe("file:../troupe.tgz");
    expect(await read(place, "full/.env")).toMatch(/^DATABASE_URL=postgres:.*\/full$/m);
    expect(await read(place, "full/compose.yaml")).toContain("POSTGRES_DB: full\n");
    await linkPackage(place, "full");
    await checkProject(place, "full");
    const start = await startOf(place, "full");
    const token = (await place.troupe("token")).stdout.trim();
    const server = await place.serve(start, { DATABASE_URL: database.url, OPENAI_BASE_URL: provider.url });
    const runs = `${server.address}/agents/weather/runs`;
    expect((await fetch(runs, { method: "POST", body: question })).status).toBe(401);
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(runs, { method: "POST", body: question, headers });
    expect(await response.json()).toMatchObject({ status: "COMPLETED", content: "It rains." });
    await place[Symbol.asyncDispose]();
  } finally {
    await database.drop();
  }
});

test.each(modelProviders.filter((name) => name !== "scripted"))(
  "a project with --model %s depends on its package",
  async (name) => {
    await using place = await workplace();
    await place.troupe(`init other --model ${name}`);
    const { dependencies } = JSON.parse(await read(place, "other/package.json"));
    expect(Object.keys(dependencies)).toEqual([`@ai-sdk/${name}`, "troupe", "zod"]);
    expect(await read(place, "other/src/model.ts")).toContain(`\`${name}:`);
  },
);

test("the packages of a project have the versions that this package is tested with", async () => {
  const own = JSON.parse(await readFile(join(checkout, "package.json"), "utf8"));
  const major = (range = "") => /\d+/.exec(range)?.[0];
  for (const [name, range] of Object.entries(versions)) {
    expect([name, major(range)]).toEqual([name, major(own.dependencies[name] ?? own.devDependencies[name])]);
  }
});

describe("init refuses, and writes nothing", () => {
  test.each([
    ["init taken", /^troupe: The folder taken is not empty \(it contains notes\.txt\)/],
    ["init notes", /^troupe: notes is a file\.\n$/],
    ["init 2026", /^troupe: "2026" cannot be the project's name: a name starts with a letter/],
    ["init troupe", /^troupe: "troupe" cannot be the project's name: a package that the project needs has this name/],
    ["init Zod", /^troupe: "Zod" cannot be the project's name: a package that the project needs has this name/],
    ["init http", /^troupe: "http" cannot be the project's name: a module of Node\.js has this name/],
    ["init new --model gpt", /'gpt' is invalid\. Allowed choices are scripted, openai, anthropic, openai-compatible/],
    ["init new --auth basic", /'basic' is invalid\. Allowed choices are none, key, jwt/],
    ["init new --database mysql", /'mysql' is invalid\. Allowed choices are sqlite, postgres/],
    ["init new --template x", /unknown option '--template'/],
    ["init", /missing required argument 'folder'/],
  ])("%s", async (commandLine, expected) => {
    await using place = await workplace({ "taken/notes.txt": "mine", notes: "mine" });
    const { code, stdout, stderr } = await place.troupe(commandLine);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(expected);
    expect((await readdir(place.folder)).sort()).toEqual(["node_modules", "notes", "taken"]);
    expect(await readdir(join(place.folder, "taken"))).toEqual(["notes.txt"]);
  });
});

test("init accepts an empty repository", async () => {
  await using place = await workplace({ "cloned/.git/HEAD": "ref: refs/heads/main\n" });
  expect(await place.troupe("init cloned")).toMatchObject({ code: 0, stderr: "" });
  expect(await filesOf(place, "cloned")).toContain("src/app.ts");
});

test("the project's name is the folder's name in the form that npm accepts", async () => {
  await using place = await workplace();
  expect(await place.troupe("init My_App.2")).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(await read(place, "My_App.2/package.json")).name).toBe("my-app-2");
});

/** The program of Linux that runs a command on a terminal. */
const terminalProgram = "script";

describe.skipIf(process.platform !== "linux")("on a terminal", () => {
  test("init asks for each omitted choice, and asks again after an unknown answer", async () => {
    await using place = await workplace();
    const command = terminal(place, "init asked --auth none");
    await command.answer(/Model provider .*: $/, "gpt\r");
    await command.answer(/Model provider .*: $/, "anthropic\r");
    await command.answer(/Database .*: $/, "\r");
    expect(await command.exited).toMatchObject({ code: 0 });
    expect(await read(place, "asked/.env")).toContain("ANTHROPIC_API_KEY=");
    expect(await filesOf(place, "asked")).not.toContain("compose.yaml");
  });

  test("init with --yes asks nothing", async () => {
    await using place = await workplace();
    expect(await terminal(place, "init quick --yes").exited).toMatchObject({ code: 0 });
    expect(await filesOf(place, "quick")).toContain("src/app.ts");
  });

  test.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("%s at a question ends init without a file", async (_, key) => {
    await using place = await workplace();
    const command = terminal(place, "init never");
    await command.answer(/Model provider .*: $/, "\r");
    await command.answer(/Authorization .*: $/, key);
    const { code, output } = await command.exited;
    expect(code).toBe(1);
    expect(output).toMatch(/troupe: The command was cancelled\. It wrote no file\.\s*$/);
    expect(await readdir(place.folder)).toEqual(["node_modules"]);
  });
});

/** Runs a command line on a terminal. */
function terminal(place: Workplace, commandLine: string) {
  const command = `${process.execPath} ${join(checkout, "bin/troupe.mjs")} ${commandLine}`;
  const child = spawn(terminalProgram, ["-qec", command, "/dev/null"], { cwd: place.folder });
  let output = "";
  let answered = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  return {
    exited: once(child, "close").then(([code]) => ({ code, output: stripVTControlCharacters(output) })),
    /** Types a text when what was printed since the last answer ends with the question. */
    async answer(question: RegExp, text: string): Promise<void> {
      await expect.poll(() => stripVTControlCharacters(output.slice(answered))).toMatch(question);
      answered = output.length;
      child.stdin.write(text);
    },
  };
}

async function filesOf(place: Workplace, path: string): Promise<string[]> {
  const entries = await readdir(join(place.folder, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(place.folder, path).length + 1))
    .sort();
}

function read(place: Workplace, path: string): Promise<string> {
  return readFile(join(place.folder, path), "utf8");
}

/** Makes the checkout the project's package. The project finds its other packages in the folder above. */
async function linkPackage(place: Workplace, path: string): Promise<void> {
  await mkdir(join(place.folder, path, "node_modules"));
  await symlink(checkout, join(place.folder, path, "node_modules/troupe"));
}

/** Runs the project's own type check and test. A checkout has no build, so both use its sources. */
async function checkProject(place: Workplace, path: string): Promise<void> {
  const { scripts } = JSON.parse(await read(place, `${path}/package.json`));
  expect(scripts).toMatchObject({ typecheck: "tsc", test: "node --test test/*.test.ts" });
  const cwd = join(place.folder, path);
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(NODE_|VITEST)/.test(name)));
  const run = async (...arguments_: string[]) => {
    await promisify(execFile)(process.execPath, arguments_, { cwd, env }).catch((error) => {
      throw new Error(`${arguments_.join(" ")} failed:\n${error.stdout}${error.stderr}`);
    });
  };
  const sources = [
    "--customConditions",
    "troupe-source",
    "--lib",
    "es2024,esnext.disposable",
    "--exactOptionalPropertyTypes",
  ];
  await run(join(checkout, "node_modules/.bin/tsc"), ...sources);
  await run("--conditions=troupe-source", "--test", "test/agents.test.ts");
}

/** Returns the command line of the project's `npm start` on a free port, and enters the project's folder. */
async function startOf(place: Workplace, path: string): Promise<string> {
  const { scripts } = JSON.parse(await read(place, `${path}/package.json`));
  place.enter(path);
  return `${scripts.start.replace(/^troupe /, "")} --port 0`;
}

function answer(text: string): { events: (object | string)[] } {
  const chunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "test" };
  return {
    events: [
      { ...chunk, choices: [{ index: 0, delta: { role: "assistant", content: text }, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      "[DONE]",
    ],
  };
}
