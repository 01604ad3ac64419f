import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { createDatabase } from "../support/databases.ts";
import { executeSql } from "../support/execute-sql.ts";
import { startPooler } from "../support/pooler.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { startStandby } from "../support/postgres-standby.ts";
import { appFile, askGreeter, type Ran, workplace } from "./support/troupe.ts";

// Every test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

test("doctor reports ok for every topic of a valid app, and writes no file", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  const ran = await place.troupe("doctor --port 0");
  expect(ran.stderr).toBe("");
  expect(findings(ran)).toEqual({
    Node: ["ok", process.versions.node],
    app: ["ok", '"Reception": 1 agent, 0 teams, 0 workflows; models: scripted:scripted-model'],
    database: ["ok", `SQLite ${place.folder}/.troupe/troupe.sqlite: the first start makes it`],
    address: ["ok", "127.0.0.1:0 is free"],
    access: ["ok", "no authorization: everybody who is on this machine may do everything"],
    options: ["ok", "log level warn, shutdown timeout from the settings"],
  });
  expect(ran.code).toBe(0);
  expect(await readdir(place.folder)).toEqual(["app.ts", "node_modules"]);
});

test("doctor reports every problem in one run", async () => {
  await using place = await workplace({
    "app.ts": appFile().replace(/scriptedModel\(.*\)\)/, '"openai:gpt-5.2"'),
  });
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const { port } = other.address() as { port: number };
  const ran = await place.troupe(`doctor --port ${port} --database postgres://me:secret@127.0.0.1:1/x`);
  other.close();
  expect(findings(ran)).toMatchObject({
    app: ["PROBLEM", 'The agent "greeter" has the model openai:gpt-5.2, and OPENAI_API_KEY is not set.'],
    database: ["PROBLEM", "Postgres x at 127.0.0.1:1 cannot be used: connect ECONNREFUSED 127.0.0.1:1"],
    address: ["PROBLEM", expect.stringContaining("is in use")],
  });
  expect(ran.code).toBe(1);
  expect(ran.stdout).not.toContain("secret");

  const open = await place.troupe("doctor --host 0.0.0.0 --port 0", { OPENAI_API_KEY: "k" });
  expect(findings(open)).toMatchObject({
    app: ["ok", expect.stringContaining("openai:gpt-5.2")],
    access: ["PROBLEM", expect.stringContaining("--allow-anonymous")],
  });
});

test("doctor reports that keyword searches get 400 where texts are encrypted", async () => {
  const app = appFile("Hi", 'import { defineKnowledge, lexicalEmbedder } from "troupe";').replace(
    "agents: [",
    'knowledge: [defineKnowledge({ id: "manual", embedder: lexicalEmbedder() })], agents: [',
  );
  await using place = await workplace({ "app.ts": app });
  const plain = await place.troupe("doctor --port 0");
  expect(findings(plain).search).toEqual(["ok", expect.stringContaining("sqlite-vec")]);
  expect(plain.stdout).not.toContain("keyword");
  const ran = await place.troupe("doctor --port 0", { TROUPE_ENCRYPTION_KEYS: `k1:${"A".repeat(43)}=` });
  expect(ran.stdout).toContain("searches use embeddings only, and keyword searches get 400");
  expect(ran.code).toBe(0);
});

test("doctor reports schedules that would fail, and warns of cron expressions that may be meant differently", async () => {
  const app = (schedule: object) =>
    appFile().replace("agents: [", `schedules: [${JSON.stringify({ name: "s", ...schedule })}], agents: [`);
  const greets = { endpoint: "/agents/greeter/runs", payload: { message: "Hi" } };
  await using place = await workplace({
    "fine.ts": app({ cronExpr: "@daily", ...greets }),
    "doubt.ts": app({ cronExpr: "*/10 * * * * *", ...greets }),
    "unknown.ts": app({ cronExpr: "@daily", endpoint: "/agents/z/runs" }),
  });
  const found = async (file: string) => {
    const ran = await place.troupe(`doctor ${file} --port 0`);
    return [ran.code, ...(findings(ran).schedule ?? [])];
  };
  expect(await found("fine.ts")).toEqual([0, "ok", "1 in the code"]);
  expect((await place.troupe("doctor doubt.ts --port 0")).stdout).toContain('write "* * * * * */10".');
  const why =
    'Schedule "s" calls POST /agents/z/runs, which would fail each time (endpoint: this platform has no agent "z").';
  expect(await found("unknown.ts")).toEqual([1, "PROBLEM", why]);
});

test("doctor reports a lock file that is not an SQLite database, with and without a database beside it", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  await mkdir(`${place.folder}/.troupe`);
  await writeFile(`${place.folder}/.troupe/lock.sqlite`, "garbage ".repeat(200));
  const found = async () => {
    const ran = await place.troupe("doctor --port 0");
    return [ran.code, ...(findings(ran).database ?? [])];
  };
  const problem = [1, "PROBLEM", expect.stringMatching(/lock\.sqlite is not an SQLite database: move it away/)];
  expect(await found()).toEqual(problem);
  expect(await readdir(`${place.folder}/.troupe`)).toEqual(["lock.sqlite"]);
  await writeFile(`${place.folder}/.troupe/troupe.sqlite`, "");
  expect(await found()).toEqual(problem);
});

test("doctor --deep reads all runs of the embedded database and lists lost events", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  const deep = async () => (await place.troupe("doctor --deep --port 0")).stdout;
  expect(await deep()).toMatch(/^ok +data +there is none$/m);
  const server = await place.serve("start app.ts --port 0");
  await askGreeter(server.address);
  server.signal("SIGTERM");
  await server.exited;
  expect(await deep()).toMatch(/^ok +data +1 run and \d+ events read; migration \d+$/m);
  const dataDir = `${place.folder}/.troupe`;
  await executeSql({ kind: "sqlite", dataDir }, "update segments set frames = zeroblob(size)");
  const found = await deep();
  expect(found).toMatch(
    /^PROBLEM +data +1 run and 0 events read; migration \d+; of 1 run something is lost\n +lost of [\w-]+: its events from 0 on/m,
  );
  expect(found).toContain(".recover");
});

test("on Postgres, doctor reports a missing schema as ok, but as a problem with --no-migrate", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  const { url, drop } = await createDatabase();
  const database = async (options: string) =>
    findings(await place.troupe(`doctor --port 0 --database ${url} ${options}`)).database;
  expect(await database("")).toEqual(["ok", "it answers; a start brings its schema up to date"]);
  expect(await database("--no-migrate")).toEqual(["PROBLEM", expect.stringContaining("lacks migration 1")]);
  await place.troupe(`migrate --database ${url}`);
  expect(await database("--no-migrate")).toEqual([
    "ok",
    expect.stringMatching(/^Postgres \S+ at \S+, schema up to date$/),
  ]);
  await drop();
});

test("doctor reports how far the standby is behind, and warns of a server that is down or is no standby", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  const primary = await startPostgres();
  onTestFinished(() => primary.dispose());
  const { server, pauseReplay, catchUp } = await startStandby(primary);
  onTestFinished(() => server.dispose());
  const standby = async (url: string, database = `--database ${primary.url}`) => {
    const ran = await place.troupe(`doctor --port 0 ${database} --read-database ${url}`);
    return [ran.code, ...(findings(ran).standby ?? [])];
  };
  await catchUp();
  const text = expect.stringMatching(/^Postgres postgres at 127\.0\.0\.1:\d+, 0 bytes behind the primary$/);
  expect(await standby(server.url)).toEqual([0, "ok", text]);
  await pauseReplay();
  await executeSql({ kind: "postgres", url: primary.url }, "create table later (a int)");
  expect(await standby(server.url)).toEqual([
    0,
    "ok",
    expect.stringMatching(/ [1-9]\d* bytes behind .+ \d\.\d s old$/),
  ]);
  expect(await standby(primary.url)).toEqual([0, "warning", expect.stringContaining("is not a standby")]);
  await server.stop();
  expect(await standby(server.url)).toEqual([0, "warning", expect.stringContaining("cannot be used")]);
  expect(await standby(server.url, "")).toEqual([1, "PROBLEM", expect.stringContaining("DATABASE_READ_URL")]);
});

test("doctor and start reject a pooler in transaction mode without a direct address, and accept it with one", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  const { url, drop } = await createDatabase();
  const pooler = await startPooler(url, 10);
  const database = async (options: string) =>
    findings(await place.troupe(`doctor --port 0 --database ${pooler.url} ${options}`)).database;
  expect(await database("")).toEqual(["PROBLEM", expect.stringContaining("DATABASE_DIRECT_URL")]);
  expect(await database(`--direct-database ${pooler.url}`)).toEqual([
    "PROBLEM",
    "--direct-database (DATABASE_DIRECT_URL) leads to a pooler, not to Postgres itself.",
  ]);
  const refused = await place.troupe(`start app.ts --port 0 --database ${pooler.url}`);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("DATABASE_DIRECT_URL")]);

  const server = await place.serve(`start app.ts --port 0 --database ${pooler.url} --direct-database ${url}`);
  expect(await Promise.all(Array.from({ length: 8 }, () => askGreeter(server.address)))).toEqual(
    Array.from({ length: 8 }, () => "Good morning."),
  );
  expect(await database(`--direct-database ${url}`)).toEqual([
    "ok",
    expect.stringMatching(/schema up to date; notifications go past the pooler$/),
  ]);
  server.signal("SIGTERM");
  expect((await server.exited).code).toBe(0);
  await pooler[Symbol.asyncDispose]();
  await drop();
});

/** Returns doctor's findings by topic. */
function findings({ stdout }: Ran): Record<string, [state: string, text: string]> {
  const lines = stdout.trimEnd().split("\n");
  return Object.fromEntries(
    lines.map((line) => {
      const [, state = "", topic = "", text = ""] = /^(\S+) +(\S+) +(.*)$/.exec(line) ?? [];
      return [topic, [state, text]];
    }),
  );
}
