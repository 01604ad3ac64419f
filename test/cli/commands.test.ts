import { once } from "node:events";
import { readdir, readFile, rename } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { appFile, askGreeter, workplace } from "./support/troupe.ts";

// Every test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

test("--version prints the package's version, --help lists every command, and a misspelled command gets a suggestion", async () => {
  await using place = await workplace();
  const own = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
  expect(await place.troupe("--version")).toEqual({ code: 0, stdout: `${own.version}\n`, stderr: "" });
  const { stdout } = await place.troupe("--help");
  expect([...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name)).toEqual([
    "start",
    "dev",
    "migrate",
    "prune",
    "backup",
    "restore",
    "export",
    "components",
    "eval",
    "init",
    "openapi",
    "token",
    "doctor",
    "help",
  ]);
  const { code, stderr } = await place.troupe("strat");
  expect(stderr).toContain("Did you mean start?");
  expect(code).toBe(1);
});

test("openapi prints the document and writes no file", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  const { code, stdout, stderr } = await place.troupe("openapi");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const document = JSON.parse(stdout);
  expect(document.openapi).toBe("3.1.0");
  expect(document.paths).toHaveProperty("/teams/{team_id}/runs/{run_id}/resume");
  expect(await readdir(place.folder)).toEqual(["app.ts", "node_modules"]);
});

eachDatabase(
  "migrate",
  (openDatabase) => {
    test("creates the schema, which start --no-migrate requires; a second migrate succeeds too", async () => {
      await using place = await workplace({ "app.ts": appFile() });
      const database = optionsFor(await openDatabase());
      const refused = await place.troupe(`start --port 0 --no-migrate ${database}`);
      expect(refused.stderr).toMatch(
        /^troupe: the database lacks migration 1 \(runs\): run "troupe migrate", or .*\n$/,
      );
      expect(refused.code).toBe(1);

      for (const _ of ["first", "second"]) {
        const { code, stdout } = await place.troupe(`migrate ${database}`);
        expect(stdout).toMatch(/^(SQLite|Postgres) .* is up to date\.\n$/);
        expect(code).toBe(0);
      }
      const server = await place.serve(`start --port 0 --no-migrate ${database}`);
      expect(await askGreeter(server.address)).toBe("Good morning.");
    });
  },
  "empty",
);

test("an invalid connection string and an unreachable database are reported without their passwords", async () => {
  await using place = await workplace();
  const other = await place.troupe("migrate --database mysql://me:secret@127.0.0.1/x");
  expect(other.stderr).toMatch(/^troupe: the database must be a Postgres connection string, .* begins with "mysql:"/);
  const away = await place.troupe("migrate --database postgres://me:secret@127.0.0.1:1/x");
  expect(away.stderr).toBe("troupe: Postgres x at 127.0.0.1:1 cannot be used: connect ECONNREFUSED 127.0.0.1:1\n");
  expect([other.code, away.code]).toEqual([1, 1]);
  const none = await place.troupe("migrate --database my-secret");
  expect(none.stderr).toMatch(
    /^troupe: .* like postgres:\/\/user:password@host:5432\/name, and what was given does not begin with "postgres:\/\/"\. /,
  );
  const raw = await place.troupe("migrate --database postgres://me:se#cret@127.0.0.1/x");
  expect(raw.stderr).toMatch(/^troupe: .*, and what was given cannot be read as one: .* write %23 for #.*\n$/);
  for (const { stderr } of [other, away, none, raw]) expect(stderr).not.toMatch(/secret|cret@/);
});

test("commands end when they are done, also if the app has a timer or an open connection", async () => {
  await using place = await workplace({ "app.ts": `setInterval(() => undefined, 1_000);\n${appFile()}` });
  expect((await place.troupe("migrate")).code).toBe(0);
  for (const command of ["doctor --port 0", "openapi", "export --user alice", "prune --dry-run"])
    expect([command, await place.troupe(command)]).toEqual([command, expect.objectContaining({ code: 0 })]);
  expect(JSON.parse((await place.troupe("openapi")).stdout)).toHaveProperty("openapi");
});

test("dev restarts when a file that the app imports changes, even after a version that did not load", async () => {
  const app = appFile().replace('"Good morning."', "text");
  await using place = await workplace({
    "app.ts": app.replace("\n", '\nimport { text } from "./text.ts";\n'),
    "text.ts": 'export const text = "One.";',
  });
  const server = await place.serve("dev --port 0");
  await server.printed(/LAST_ID/);
  expect(await askGreeter(server.address)).toBe("One.");

  await place.write({ "text.ts": "export const text = ;" });
  await server.printed(/SyntaxError[\s\S]*Waiting for file changes/);
  await place.write({ "text.ts": 'export const text = "Two.";' });
  await server.printed(/SyntaxError[\s\S]* at http:\S+\n/);
  const [, address = ""] = /SyntaxError[\s\S]* at (http:\S+)\n/.exec(server.output) ?? [];
  expect(await askGreeter(address)).toBe("Two.");

  server.signal("SIGINT");
  await server.exited;
  await expect(fetch(address)).rejects.toThrow();
});

test("dev restarts after every save by renaming, and when a missing file or folder appears", async () => {
  const app = appFile().replace('"Good morning."', "text").replace("\n", '\nimport { text } from "./words/text.ts";\n');
  await using place = await workplace({ "app.ts": app });
  const server = await place.start("dev --port 0");
  await server.printed(/Waiting for file changes/);
  await place.write({ "words/text.ts": 'export const text = "0";' });
  for (let times = 0; times < 4; times++) {
    await server.printed(new RegExp(`( at http:\\S+\\n[\\s\\S]*){${times + 1}}`));
    const address = [...server.output.matchAll(/ at (http:\S+)\n/g)].at(-1)?.[1] ?? "";
    expect(await askGreeter(address)).toBe(String(times));
    await place.write({ "words/text.ts~": `export const text = "${times + 1}";` });
    await rename(join(place.folder, "words/text.ts~"), join(place.folder, "words/text.ts"));
  }
});

test("dev without a port uses the next free port and prints that; SIGKILL ends its server too", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  // The usual port is occupied, either by this server or by another program.
  const usual = createServer().listen(7777, "127.0.0.1");
  await Promise.race([once(usual, "listening"), once(usual, "error")]);
  const server = await place.serve("dev");
  expect(server.output).toMatch(/^Port 7777 is in use, so the server listens on port 77\d\d\.\n/);
  expect(await askGreeter(server.address)).toBe("Good morning.");
  usual.close();
  server.signal("SIGKILL");
  await expect.poll(() => fetch(server.address).catch(() => "gone")).toBe("gone");
});

function optionsFor(database: TestDatabase): string {
  return database.kind === "sqlite" ? `--data-dir ${database.dataDir}` : `--database ${database.url}`;
}
