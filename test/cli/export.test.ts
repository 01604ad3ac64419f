import { spawnSync } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { defineAgent } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase, openDatabaseOf } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";
import { appFile, workplace } from "./support/troupe.ts";

// Every test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

eachDatabase("export", (openDatabase) => {
  test("writes the data of a user as JSON lines, to standard output or to a new private file", async () => {
    const database = await openDatabase();
    const model = scriptedModel([{ text: "Good morning." }]);
    const greeter = defineAgent({ id: "greeter", model, sessionPolicy: "parallel" });
    {
      await using server = await openServer(database, { agents: [greeter] });
      for (const user_id of ["alice", "bob"])
        await server.client.post("/agents/greeter/runs", { message: `I am ${user_id}.`, user_id, stream: "false" });
    }
    await using place = await workplace({});
    const options = database.kind === "sqlite" ? `--data-dir ${database.dataDir}` : `--database ${database.url}`;
    const { code, stdout, stderr } = await place.troupe(`export --user alice ${options}`);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/Exported the data of the user: 1 session, 1 run, /)]);
    const lines = stdout.trimEnd().split("\n");
    const rows = lines.map((line) => JSON.parse(line) as { readonly kind: string; readonly data: object });
    expect(rows.filter(({ kind }) => kind === "run")).toMatchObject([
      { data: { user_id: "alice", status: "COMPLETED", input: { message: "I am alice." } } },
    ]);
    const events = rows.filter(({ kind }) => kind === "event").map(({ data }) => data);
    expect(events.map((event) => (event as { event_index: number }).event_index)).toEqual(events.map((_, n) => n));
    expect(stdout).not.toContain("bob");

    const written = await place.troupe(`export --user alice --output alice.jsonl ${options}`);
    expect([written.code, written.stdout]).toEqual([0, ""]);
    const file = join(place.folder, "alice.jsonl");
    expect(await readFile(file, "utf8")).toBe(stdout);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const again = await place.troupe(`export --user alice --output alice.jsonl ${options}`);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("--output alice.jsonl cannot be written")]);
    const none = await place.troupe(`export --user nobody ${options}`);
    expect([none.code, none.stdout, none.stderr]).toEqual([0, "", expect.stringContaining("there is none")]);
    const missing = await place.troupe(`export ${options}`);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("--user <id>")]);
  });
});

test("without a database, export and prune fail, name the folder, and make nothing", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  for (const command of ["export --user alice", "prune app.ts --dry-run"])
    expect(await place.troupe(command)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^troupe: There is no database in \S+\.troupe\. Name its folder with --data-dir/),
    });
  expect(await readdir(place.folder)).not.toContain(".troupe");
});

test("an export to a full disk, or to a reader that has left, fails with the reason", async () => {
  await using database = await openDatabaseOf("sqlite");
  if (database.kind !== "sqlite") throw new Error("unreachable");
  const model = scriptedModel([{ text: "Good morning. ".repeat(20_000) }]);
  {
    await using server = await openServer(database, { agents: [defineAgent({ id: "greeter", model })] });
    await server.client.post("/agents/greeter/runs", { message: "Hi", user_id: "alice", stream: "false" });
  }
  const command = `"${process.execPath}" bin/troupe.mjs export --user alice --data-dir ${database.dataDir}`;
  const fault = (shell: string): string => spawnSync("bash", ["-c", shell], { encoding: "utf8" }).stderr;
  const incomplete = /^troupe: Standard output cannot be written: .*\. The export is incomplete\.\n$/;
  expect(fault(`${command} > /dev/full`)).toMatch(incomplete);
  expect(fault(`${command} | head -c 1`)).toMatch(incomplete);
});
