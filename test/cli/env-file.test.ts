import { expect, test, vi } from "vitest";
import { loadEnvFile } from "../../src/cli/environment.ts";
import { appFile, askGreeter, workplace } from "./support/troupe.ts";

// Every test starts processes, a busy machine does so slowly.
vi.setConfig({ testTimeout: 120_000 });

/** Says what a variable is. */
const teller = appFile().replace('"Good morning."', "process.env.GREETING");

test("what a file sets counts as set, for options, too; what is set wins, and a file that is not named is not read", async () => {
  await using place = await workplace({
    "app.ts": teller,
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

test("dev reads the file anew whenever it starts again", async () => {
  await using place = await workplace({ "app.ts": teller, "my.env": "GREETING=One." });
  const server = await place.serve("dev --port 0 --env-file my.env");
  expect(await askGreeter(server.address)).toBe("One.");
  await server.printed(/LAST_ID/);
  await place.write({ "my.env": "GREETING=Two." });
  await place.write({ "app.ts": `${teller}// changed\n` });
  await server.printed(/LAST_ID[\s\S]* at http:\S+\n/);
  const [, address = ""] = /LAST_ID[\s\S]* at (http:\S+)\n/.exec(server.output) ?? [];
  expect(await askGreeter(address)).toBe("Two.");
});

test("a file that is not there is named", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  for (const command of ["start", "dev", "doctor", "migrate", "openapi"]) {
    expect(await place.troupe(`${command} -e no.env`)).toEqual({
      code: 1,
      stdout: "",
      stderr: "troupe: The file no.env of --env-file is not there.\n",
    });
  }
  const { code, stderr, stdout } = await place.troupe("start --port 0 --env-file no.env");
  // Node itself looks for the file, wherever in the command line it is named, and is the first to say so.
  expect(stderr).toMatch(/^.*(no\.env: not found|The file no\.env of --env-file is not there\.)\n$/);
  expect(code).not.toBe(0);
  expect(stdout).toBe("");
  expect(() => loadEnvFile(`${place.folder}/no.env`)).toThrow(/no\.env of --env-file is not there\.$/);
  expect(() => loadEnvFile(place.folder)).toThrow(`The file ${place.folder} of --env-file is a folder.`);
});

test("a start without a model's key says so, as doctor does, and serves all the same", async () => {
  await using place = await workplace({ "app.ts": appFile().replace(/scriptedModel\(.*\)\)/, '"openai:gpt-5.2"') });
  const server = await place.serve("start --port 0");
  await server.printed(/LAST_ID/);
  // The log goes another way than the rest.
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
