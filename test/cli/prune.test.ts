import { expect, test, vi } from "vitest";
import { defineAgent } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { executeSql } from "../support/execute-sql.ts";
import { openServer } from "../support/open-server.ts";
import { workplace } from "./support/troupe.ts";

// Every test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const app = (retention: string): string =>
  `import { definePlatform } from "troupe"; export default definePlatform({ id: "p", retention: ${retention} });`;

eachDatabase("prune", (openDatabase) => {
  test("--dry-run prints what is due and changes nothing; prune removes it", async () => {
    const database = await openDatabase();
    const greeter = defineAgent({
      id: "greeter",
      model: scriptedModel([{ text: "Good morning." }]),
      sessionPolicy: "parallel",
    });
    {
      await using server = await openServer(database, { agents: [greeter], settings: { compactionInterval: 20 } });
      for (let n = 0; n < 3; n++) await server.client.post("/agents/greeter/runs", { message: "hi", stream: "false" });
      await eventually(async () => expect(await server.store.uncompacted(1)).toEqual([]));
      await executeSql(database, "update run_heads set updated_at = 1000");
    }
    const place = await workplace({
      "app.ts": app('{ events: "1d", runs: "2d" }'),
      "plain.ts": app("undefined"),
      "bound.ts": app("{ events: false, maxEventBytes: 1 }"),
    });
    await using _ = place;
    const options = database.kind === "sqlite" ? `--data-dir ${database.dataDir}` : `--database ${database.url}`;
    for (const _again of [1, 2]) {
      const dry = await place.troupe(`prune app.ts --dry-run ${options}`);
      expect(dry.stdout).toMatch(/^events +would remove the events of 3 runs with \d+ events \(0\.0 MB\)$/m);
      expect(dry.stdout).toMatch(/^runs +would remove 3 runs with \d+ events/m);
      expect(dry.stdout).toMatch(/^sessions +kept$/m);
      expect(dry.code).toBe(0);
    }
    const bound = await place.troupe(`prune bound.ts --dry-run ${options}`);
    expect(bound.stdout).toMatch(/^maxEventBytes +would remove the events of 3 runs with \d+ events \(0\.0 MB\)$/m);
    const plain = await place.troupe(`prune plain.ts ${options}`);
    expect(plain.stdout).toMatch(/^events +removed 3 runs$/m);
    expect(plain.stdout).toMatch(/^runs +kept$/m);
    const pruned = await place.troupe(`prune app.ts ${options}${database.kind === "sqlite" ? " --rewrite" : ""}`);
    expect(pruned.stdout).toMatch(/^runs +removed 3 runs$/m);
    expect(pruned.code).toBe(0);
    const rest = await place.troupe(`prune app.ts --dry-run ${options}`);
    expect(rest.stdout).toMatch(/^runs +would remove 0 runs$/m);
    const refused = await place.troupe(`prune app.ts --rewrite --dry-run ${options}`);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^troupe: --rewrite is for SQLite files/),
    ]);
  });
});

test("a bound that is no number of bytes is rejected with the fix", async () => {
  await using place = await workplace({ "app.ts": app('{ maxEventBytes: "50 GB" }') });
  const { code, stderr } = await place.troupe("prune --dry-run");
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining("maxEventBytes must be a number of bytes like 50_000_000_000"),
  ]);
});

test("a retention that is no duration is rejected with the fix", async () => {
  await using place = await workplace({ "app.ts": app('{ events: "soon" }') });
  const { code, stderr } = await place.troupe("prune --dry-run");
  expect([code, stderr]).toEqual([1, expect.stringContaining('must be a duration like "90m", "12h" or "30d"')]);
});
