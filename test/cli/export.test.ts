import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { defineAgent } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";
import { workplace } from "./support/troupe.ts";

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
