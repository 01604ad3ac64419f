/** Permanent database errors: readers of an affected run get an error at once, and every other run is served. */
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import type { Log } from "../../src/model/runtime.ts";
import { checkLogs } from "../../src/store/check/sqlite-logs.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { createDataDir, eachDatabase } from "../support/databases.ts";
import { executeSql } from "../support/execute-sql.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { silentLog } from "../support/runtime.ts";

const path = "/agents/one/runs";
const agents = [defineAgent({ id: "one", model: scriptedModel(({ message }) => message.repeat(60)) })];

/** Overwrites the leaf pages in the middle half of a table. Rows of other tables stay intact. */
function damage(file: string, table: string): void {
  const database = new Database(file, { readonly: true });
  const size = database.pragma("page_size", { simple: true }) as number;
  const pages = database
    .prepare("select pageno from dbstat where name = ? and pagetype = 'leaf' order by path")
    .pluck()
    .all(table) as number[];
  database.close();
  const descriptor = openSync(file, "r+");
  for (const page of pages.slice(pages.length / 4, (pages.length * 3) / 4))
    writeSync(descriptor, Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size);
  closeSync(descriptor);
}

/** The log of a finished run as a reader receives it: its bytes, or the error. */
async function readLog({ client }: OpenServer, runId: string): Promise<string> {
  const stream = await client.stream(`${path}/${runId}/resume`, {});
  await stream.closed;
  if (stream.status !== 200) return `status ${stream.status}`;
  const error = stream.metas.find(({ event }) => event === "error");
  return error ? `error ${error.data.error_code}` : stream.events.map(({ raw }) => raw).join("");
}

test("with a damaged SQLite file, damaged runs fail at once, others are served, and the process logs the file and the repair once", async () => {
  const folder = await createDataDir();
  onTestFinished(() => folder.remove());
  const place = { kind: "sqlite", dataDir: folder.path } as const;
  const file = join(folder.path, "troupe.sqlite");
  const before = new Map<string, string>();
  {
    await using server = await openServer(place, { agents });
    for (let n = 0; n < 40; n++) {
      const { runId } = await server.client.start("agents/one", { text: `What is run ${n}? `.repeat(8) });
      before.set(runId, await readLog(server, runId));
    }
  }
  expect(checkLogs(file)).toMatchObject({ runs: 40, damaged: [], findings: [] });
  damage(file, "segments");

  const errors: string[] = [];
  const log: Log = { ...silentLog, error: (_, text) => errors.push(text) };
  await using server = await openServer(place, { agents }, log);
  const failed: string[] = [];
  for (const [runId, bytes] of before) {
    const now = await readLog(server, runId);
    if (now === bytes) continue;
    expect(now).toMatch(/^(status 500|error INTERNAL_SERVER_ERROR)$/);
    failed.push(runId);
  }
  expect(failed.length).toBeGreaterThan(5);
  expect(failed.length).toBeLessThan(35);
  expect((await server.client.post(path, { message: "New.", stream: false })).status).toBe(200);
  const advice = errors.filter((text) => text.includes(file));
  expect(advice).toEqual([expect.stringMatching(/is damaged.*doctor --deep.*\.recover/)]);

  const found = checkLogs(file);
  expect(found.damaged.map(({ name }) => name).sort()).toEqual(failed.sort());
  expect(found.findings.length).toBeGreaterThan(0);
});

/** Makes the database reject every end of a run. */
const refuseEnds = {
  sqlite: `create trigger guilty before update on run_heads when new.status in ('COMPLETED', 'ERROR')
    begin select raise(abort, 'guilty'); end`,
  postgres: `create function guilty() returns trigger language plpgsql as $$ begin raise exception 'guilty'; end $$;
    create trigger guilty before update on run_heads for each row when (new.status in ('COMPLETED', 'ERROR'))
      execute function guilty()`,
};

eachDatabase("a run whose end the database rejects", (openDatabase, kind) => {
  test("its readers get an error frame or a 500, and other runs complete", async () => {
    const database = await openDatabase();
    await using server = await openServer(database, { agents });
    const { client } = server;
    expect((await client.post(path, { message: "a", stream: false })).status).toBe(200);
    await executeSql(database, refuseEnds[kind]);
    const stream = await client.start("agents/one", "b");
    expect(await stream.closed).toBe("ended");
    expect(stream.frames.at(-1)).toMatchObject({ event: "error", data: { error_code: "INTERNAL_SERVER_ERROR" } });
    const waited = await client.post(path, { message: "c", stream: false });
    expect([waited.status, waited.body]).toEqual([
      500,
      { detail: "Internal server error", error_code: "INTERNAL_SERVER_ERROR" },
    ]);
    await executeSql(database, kind === "sqlite" ? "drop trigger guilty" : "drop function guilty cascade");
    expect((await client.post(path, { message: "d", stream: false })).status).toBe(200);
  });
});
