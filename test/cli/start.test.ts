import { readdir } from "node:fs/promises";
import { createServer } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { appFile, askGreeter, workplace } from "./support/troupe.ts";

// Every test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

test("start prints its address, its components and example requests", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  const server = await place.serve("start --port 0");
  await server.printed(/LAST_ID/);
  const { address } = server;
  expect(server.output).toBe(`Troupe hosts "Reception" at ${address}
  database  SQLite ${place.folder}/.troupe/troupe.sqlite
  agent     greeter: Greets
  console   ${address}/console
  docs      ${address}/docs

Start a run:
  curl -N ${address}/agents/greeter/runs -d message='Hello! What can you do?'
Stop it with Ctrl-C, and resume after the last id that you saw. RUN_ID is the run_id of its first event:
  curl -N ${address}/agents/greeter/runs/RUN_ID/resume -d last_event_index=LAST_ID
`);
  expect(await askGreeter(address)).toBe("Good morning.");
});

test("the example request contains the platform's example message, quoted for a shell", async () => {
  const file = appFile().replace("definePlatform({", `definePlatform({ example: "What's new & good?",`);
  await using place = await workplace({ "app.ts": file });
  const server = await place.serve("start --port 0");
  await server.printed(/\/agents\/greeter\/runs --data-urlencode message='What'\\''s new & good\?'\n/);
});

test.each(["SIGTERM", "SIGINT"] as const)("%s ends the server with exit code 0 and no output", async (signal) => {
  await using place = await workplace({ "app.ts": appFile() });
  const server = await place.serve("start --port 0");
  await server.printed(/LAST_ID/);
  const before = server.output;
  server.signal(signal);
  expect((await server.exited).code).toBe(0);
  expect(server.output).toBe(before);
});

test("a shutdown that waits for a run prints that, and a second signal ends the process at once with code 1", async () => {
  const slow = appFile().replace('(() => ("Good morning."))', '(() => ({ text: "Good morning.", wait: 60_000 }))');
  await using place = await workplace({ "app.ts": slow });
  const server = await place.serve("start --port 0");
  const run = await fetch(`${server.address}/agents/greeter/runs`, {
    method: "POST",
    body: new URLSearchParams({ message: "Hi" }),
  });
  // One Ctrl-C may arrive twice: from the terminal, and from a parent process that forwards it.
  server.signal("SIGINT");
  setTimeout(() => server.signal("SIGINT"), 50);
  await server.printed(/SIGINT: waiting for live runs to end/);
  server.signal("SIGTERM");
  expect((await server.exited).code).toBe(1);
  await expect(run.text()).rejects.toThrow();
});

test("environment variables replace missing options, and empty variables count as unset", async () => {
  await using place = await workplace({ "src/app.ts": appFile() });
  const server = await place.serve("start", {
    PORT: "0",
    TROUPE_DATA_DIR: "data",
    DATABASE_URL: "",
    HOST: "",
    LOG_LEVEL: "",
  });
  await server.printed(/database {2}SQLite .*\/data\/troupe\.sqlite/);
  expect(server.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

test("a server started by npm ends when the shell between them ends, although the shell forwards no signal", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  const server = await place.serve("start --port 0", { npm_command: "exec" }, "shell");
  expect(await askGreeter(server.address)).toBe("Good morning.");
  server.signal("SIGTERM");
  await expect.poll(() => fetch(server.address).catch(() => "gone")).toBe("gone");
});

test("without authorization, a host other than loopback is rejected unless --allow-anonymous is set", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  const { code, stderr } = await place.troupe("start --port 0 --host 0.0.0.0");
  expect(stderr).toMatch(/^troupe: Without authorization .* loopback only, .*--allow-anonymous/);
  expect(code).toBe(1);
  expect(await readdir(place.folder)).toEqual(["app.ts", "node_modules"]);

  const server = await place.serve("start --port 0 --host 0.0.0.0 --allow-anonymous");
  expect(await askGreeter(server.address)).toBe("Good morning.");
});

test("a port in use is reported before any file is written", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const { port } = other.address() as { port: number };
  const { code, stderr } = await place.troupe(`start --port ${port}`);
  other.close();
  expect(stderr).toBe(
    `troupe: 127.0.0.1:${port} is in use: end what listens there, or choose another port (--port).\n`,
  );
  expect(code).toBe(1);
  expect(await readdir(place.folder)).toEqual(["app.ts", "node_modules"]);
});

test("a failed start ends the process, even if the app has open timers", async () => {
  await using place = await workplace({ "app.ts": `setInterval(() => undefined, 60_000);\n${appFile()}` });
  const { code, stderr } = await place.troupe("start --port 0 --database postgres://nobody@127.0.0.1:1/nothing");
  expect([code, stderr]).toEqual([1, expect.stringContaining("cannot be used")]);
});

test("a second process on the same data folder exits with an error that names the first process", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  await place.serve("start --port 0");
  const { code, stderr } = await place.troupe("start --port 0");
  expect(stderr).toMatch(/^troupe: the data folder .*\.troupe is in use by process \d+ on .*--data-dir/);
  expect(code).toBe(1);
});

describe("start reports an error with a remedy and exits with code 1", () => {
  test.each([
    ["start nothing.ts", "There is no file nothing.ts."],
    [
      "start",
      'No app file here (looked for app.ts, app.js, app.mjs, src/app.ts): name one, for instance "troupe start my-app.ts".',
    ],
    ["start .", ". is a folder: name the app file in it."],
    ["start --port 70000", 'Port "70000" is not a number from 0 to 65535.'],
    ["start --log-format yaml", 'Log format "yaml" is unknown; there are json, pretty.'],
    ["start --log-level loud", 'Log level "loud" is unknown; there are debug, info, warn, error, silent.'],
    ["start --shutdown-timeout soon", 'Shutdown timeout "soon" is not a number of seconds.'],
  ])("for the command line: troupe %s", async (commandLine, message) => {
    await using place = await workplace();
    expect(await place.troupe(commandLine)).toEqual({ code: 1, stdout: "", stderr: `troupe: ${message}\n` });
  });

  const files = {
    "no-platform.ts": "export const platform = 1;",
    "no-package.ts": 'import "a-package-that-nobody-has";',
    "no-module.ts": 'import "./gone.ts";',
    "no-model.ts": 'import { defineAgent } from "troupe";\ndefineAgent({ id: "a" });',
    "no-export.ts": 'import { defineAgnt } from "troupe";\ndefineAgnt({ id: "a" });',
    "no-syntax.ts": "const x = ;",
    "enum.ts": "enum Colour { Red }",
    "throws.ts": 'throw new Error("I am broken");',
    "app.txt": "",
    "common/package.json": '{ "type": "commonjs" }',
    "common/app.ts": appFile(),
  };
  test.each([
    ["no-platform.ts", /^troupe: no-platform\.ts must export a platform by default: .*\n$/],
    [
      "no-package.ts",
      /it imports the package a-package-that-nobody-has, .*: run npm install a-package-that-nobody-has in .*\n$/,
    ],
    ["no-module.ts", /^troupe: no-module\.ts cannot be loaded: Cannot find module '.*gone\.ts' .*\n$/],
    ["no-model.ts", /^troupe: Agent "a" has no model: .*\n$/],
    ["no-export.ts", /no-export\.ts:1\n.*\n.*\nSyntaxError: .* does not provide an export named 'defineAgnt'\n$/],
    ["no-syntax.ts", /no-syntax\.ts:1\nconst x = ;\n.*\n\nSyntaxError.*\n$/],
    ["enum.ts", /TypeScript enum is not supported .*\nNode leaves types out .*: no enum/],
    ["throws.ts", /^troupe: throws\.ts cannot be loaded: Error: I am broken\n +at .*throws\.ts:1:7\)?\n$/],
    ["app.txt", /^troupe: app\.txt cannot be loaded: an app file is TypeScript or JavaScript .*\n$/],
    ["common/app.ts", /\ntroupe: common\/app\.ts cannot be loaded: .*npm pkg set type=module\n$/],
  ])("for the app file %s", async (file, message) => {
    await using place = await workplace(files);
    const { code, stderr } = await place.troupe(`start ${file} --port 0`);
    expect(stderr).toMatch(message);
    expect(code).toBe(1);
  });
});
