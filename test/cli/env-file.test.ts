import { expect, test, vi } from "vitest";
import { loadEnvFile } from "../../src/cli/environment.ts";
import { appFile, askGreeter, workplace } from "./support/troupe.ts";

// Every test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

/** An app whose agent answers with the value of a variable. */
const greetingApp = appFile().replace('"Good morning."', "process.env.GREETING");

test("variables of --env-file apply to the app and to options; variables of the environment win; .env is not read unless named", async () => {
  await using place = await workplace({
    "app.ts": greetingApp,
    ".env": "GREETING=From .env",
    "my.env": "# mine\nGREETING='Good evening.'\nPORT=0\nTROUPE_DATA_DIR=data\nLOG_LEVEL=\n",
  });
  const server = await place.serve("start --env-file my.env");
  await server.printed(/database {2}SQLite .*\/data\/troupe\.sqlite/);
  expect(await askGreeter(server.address)).toBe("Good evening.");

  const set = await place.serve("start --env-file my.env", { GREETING: "Hello.", TROUPE_DATA_DIR: "other" });
  await set.printed(/\/other\/troupe\.sqlite/);
  expect(await askGreeter(set.address)).toBe("Hello.");
  const doctor = await place.troupe("doctor --env-file my.env --data-dir third");
  expect(doctor.stdout).toMatch(/ok +address +127\.0\.0\.1:0 is free/);
});

test("dev reads --env-file again at every restart", async () => {
  await using place = await workplace({ "app.ts": greetingApp, "my.env": "GREETING=One." });
  const server = await place.serve("dev --port 0 --env-file my.env");
  expect(await askGreeter(server.address)).toBe("One.");
  await server.printed(/LAST_ID/);
  await place.write({ "my.env": "GREETING=Two." });
  await place.write({ "app.ts": `${greetingApp}// changed\n` });
  await server.printed(/LAST_ID[\s\S]* at http:\S+\n/);
  const [, address = ""] = /LAST_ID[\s\S]* at (http:\S+)\n/.exec(server.output) ?? [];
  expect(await askGreeter(address)).toBe("Two.");
});

test("every command reports a missing --env-file by name", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  for (const command of ["start", "dev", "doctor", "migrate", "openapi"]) {
    expect(await place.troupe(`${command} -e no.env`)).toEqual({
      code: 1,
      stdout: "",
      stderr: "troupe: The file no.env of --env-file is not there.\n",
    });
  }
  const { code, stderr, stdout } = await place.troupe("start --port 0 --env-file no.env");
  // Node itself reads the file, wherever in the command line it is named, and may report it first.
  expect(stderr).toMatch(/^.*(no\.env: not found|The file no\.env of --env-file is not there\.)\n$/);
  expect(code).not.toBe(0);
  expect(stdout).toBe("");
  expect(() => loadEnvFile(`${place.folder}/no.env`)).toThrow(/no\.env of --env-file is not there\.$/);
  expect(() => loadEnvFile(place.folder)).toThrow(`The file ${place.folder} of --env-file is a folder.`);
});

test("start without a model's API key logs a warning and still serves", async () => {
  await using place = await workplace({ "app.ts": appFile().replace(/scriptedModel\(.*\)\)/, '"openai:gpt-5.2"') });
  const server = await place.serve("start --port 0");
  await server.printed(/LAST_ID/);
  // The log is another stream, so it may arrive later.
  await server.printed(/is not set\."[^\n]*\n/);
  const lines = server.output.split("\n").filter((line) => line.startsWith("{"));
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: 40,
      msg: 'The agent "greeter" has the model openai:gpt-5.2, and OPENAI_API_KEY is not set.',
    }),
  ]);
  expect((await fetch(`${server.address}/health`)).status).toBe(200);
  const withKey = await place.serve("start --port 0 --data-dir other", { OPENAI_API_KEY: "k" });
  await withKey.printed(/LAST_ID/);
  expect(withKey.output).not.toContain("OPENAI_API_KEY");
});
