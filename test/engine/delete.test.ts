/** Deletion of runs and sessions, finished or in progress. */

import { join } from "node:path";
import Database from "better-sqlite3";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTool } from "../../src/define/tool.ts";
import { system } from "../../src/model/principal.ts";
import type { RunRow } from "../../src/store/contract/store.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase, openDatabaseOf, type TestDatabase } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { desk, talker } from "../support/orders.ts";
import type { EventStream } from "../support/stream-client.ts";

const endless = { deltas: 20_000, delay: 5 };
const endlessTeam = { deltas: 1, members: [endless, endless] };

async function rowOf({ store }: OpenServer, { runId }: { runId: string }): Promise<RunRow> {
  const run = await store.findRun(system, runId);
  if (!run) throw new Error(`Run ${runId} is not stored.`);
  return run;
}

/** Rows of every table that hold one of the words, or one of the run keys; by table. */
async function tracesOf(database: TestDatabase, words: readonly string[], keys: readonly number[]): Promise<string[]> {
  const tables = await readTables(database);
  // The table of deleted keys prevents a late creation of the same run: it keeps a key for a while, and nothing else of the run.
  const { deleted_runs: _, ...others } = tables;
  return Object.entries(others).flatMap(([table, rows]) =>
    rows
      .filter((row) => table !== "deleted_runs" || Object.keys(row).join() !== "run_key,deleted_at")
      .filter((row) => {
        const { run_key, root_key, parent_key } = row;
        const runs = [run_key, root_key, parent_key].map(Number);
        const text = Object.values(row).map((value) =>
          value instanceof Uint8Array ? Buffer.from(value).toString() : String(value),
        );
        return (
          runs.some((key) => keys.includes(key)) || words.some((word) => text.some((value) => value.includes(word)))
        );
      })
      .map(() => table),
  );
}

async function readTables(database: TestDatabase): Promise<Record<string, Record<string, unknown>[]>> {
  if (database.kind === "sqlite") {
    const file = new Database(join(database.dataDir, "troupe.sqlite"), { readonly: true });
    const names = file.prepare("select name from sqlite_schema where type = 'table'").pluck().all() as string[];
    const tables = names.map((name) => [name, file.prepare(`select * from "${name}"`).all()]);
    file.close();
    return Object.fromEntries(tables);
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query("select tablename from pg_tables where schemaname = 'public'");
    const tables: Record<string, Record<string, unknown>[]> = {};
    for (const { tablename } of rows) tables[tablename] = (await client.query(`select * from "${tablename}"`)).rows;
    return tables;
  } finally {
    await client.end();
  }
}

/** The last event of a follower: the run's own end if the follower read it in time, else the `error` frame. */
function lastWord(stream: EventStream): string | undefined {
  return stream.ending?.event ?? stream.frames.at(-1)?.event;
}

eachDatabase("deletion", (openDatabase) => {
  test("deleteRun cancels a run in progress and deletes it with its members, and no row of it remains", async () => {
    const database = await openDatabase();
    await using server = await openServer(database, { teams: [desk], agents: [talker] });
    const { client, engine, store } = server;
    const stream = await client.start("teams/desk", endlessTeam, { session_id: "doomed" });
    const other = await client.start("agents/talker", { deltas: 3 }, { session_id: "spared" });
    await Promise.all([stream.until(20), other.closed]);
    const run = await rowOf(server, stream);
    const members = await store.memberRuns([run.key]);
    const words = [run, ...members].map(({ runId }) => runId);
    const keys = [run, ...members].map(({ key }) => key);
    expect((await tracesOf(database, words, keys)).length).toBeGreaterThanOrEqual(10);

    await engine.deleteRun(run);
    expect(await stream.closed).toBe("ended");
    expect(["TeamRunCancelled", "error"]).toContain(lastWord(stream));
    expect(await tracesOf(database, words, keys)).toEqual([]);
    expect((await client.post(`/teams/desk/runs/${stream.runId}/resume`)).status).toBe(404);
    expect((await client.cancel("teams/desk", stream.runId)).status).toBe(404);
    expect(await client.log("agents/talker", other.runId)).toEqual(other.events);
  });

  test("a follower gets the `error` frame when the run is deleted before it has read the run's end", async () => {
    await using server = await openServer(await openDatabase(), {
      agents: [talker],
      settings: { maxRingBytes: 1_000 },
    });
    const { client, engine } = server;
    const done = await client.start("agents/talker", { deltas: 600, size: 8_000 });
    await done.closed;
    const behind = await client.resume("agents/talker", done.runId);
    behind.stall();
    await engine.deleteRun(await rowOf(server, done));
    behind.readOn();
    expect(await behind.closed).toBe("ended");
    expect(behind.ending).toBeUndefined();
    expect(behind.frames.at(-1)).toMatchObject({ event: "error", id: undefined, data: { event: "error" } });
    expect(behind.events).toEqual(done.events.slice(0, behind.events.length));
  });

  test("deleteSession deletes a session with its finished, live and waiting runs, and with runs that start meanwhile", async () => {
    const database = await openDatabase();
    const hang = defineTool({
      name: "hang",
      description: "Never comes back",
      input: z.object({}),
      execute: () => new Promise(() => undefined),
    });
    const model = scriptedModel(({ message }) => (message === '"hang"' ? { toolCalls: [{ name: "hang" }] } : "Done."));
    const clerk = defineAgent({ id: "clerk", model, tools: [hang], sessionState: { secret: "s3cr3t" } });
    await using server = await openServer(database, { agents: [clerk] });
    const { client, engine, store } = server;
    const session = { session_id: "doomed-session" };
    const start = (message: string) => client.start("agents/clerk", message, session);
    const done = [await start("a"), await start("b")];
    await Promise.all(done.map(({ closed }) => closed));
    const open = [await start("hang"), await start("hang"), await start("c")];
    await open[0]!.next(({ event }) => event === "ToolCallStarted");
    const rows = await Promise.all([...done, ...open].map((stream) => rowOf(server, stream)));
    const words = ["doomed-session", "s3cr3t", ...rows.map(({ runId }) => runId)];
    const keys = rows.map(({ key }) => key);

    const [, late] = await Promise.all([engine.deleteSession(rows[0]!.sessionKey), start("hang")]);
    await Promise.all(open.map(({ closed }) => closed));
    for (const stream of open) expect(["RunCancelled", "error"]).toContain(lastWord(stream));
    const left = await store.findRun(system, late.runId);
    // The late run is deleted with the session, or it has a new session with the same name and the same secret.
    const own = left ? words.filter((word) => word !== "doomed-session" && word !== "s3cr3t") : words;
    const traces = await tracesOf(database, own, keys);
    expect(traces).toEqual([]);
    if (left) await engine.deleteSession(left.sessionKey);
    await late.closed;
    expect(await tracesOf(database, [...words, late.runId], keys)).toEqual([]);
  });

  test("deleteSession fails as unavailable when a run does not end within deleteTimeout, and deletes nothing", async () => {
    await using server = await openServer(await openDatabase(), { agents: [talker], settings: { deleteTimeout: 200 } });
    const { client, engine, store } = server;
    const done = await client.start("agents/talker", { deltas: 3 }, { session_id: "one" });
    await done.closed;
    const { key, sessionKey } = await rowOf(server, done);
    // Another live process owns a run in the session and ignores the cancel.
    await store.renewProcess("somebody else", 60_000);
    const foreign = await store.nextRunKey();
    const [template] = await Promise.all([rowOf(server, done)]);
    const outcomes = await store.append([
      {
        kind: "create",
        key: foreign,
        run: {
          runId: "11111111-1111-4111-8111-111111111111",
          kind: "agent",
          componentId: "talker",
          componentName: "talker",
          sessionId: "one",
          sessionTitle: "",
          maxWaiting: 100,
          owner: "",
          userId: null,
          input: template.input,
          options: template.options,
          definitionHash: "",
          model: null,
          modelProvider: null,
          createdAt: template.createdAt,
          policy: "queue",
          sessionState: "{}",
          startBy: "somebody else",
          background: false,
        },
      },
    ]);
    expect(outcomes).toMatchObject([{ kind: "created", status: "RUNNING" }]);
    await expect(engine.deleteSession(sessionKey)).rejects.toMatchObject({ code: "unavailable" });
    expect(await store.sessionRunKeys(sessionKey)).toEqual([key, foreign]);
    expect(await client.log("agents/talker", done.runId)).toEqual(done.events);
  });
});

describe("two processes on one Postgres", () => {
  test("a run that one process executes can be followed, cancelled and deleted through the other", async () => {
    await using database = await openDatabaseOf("postgres");
    await using here = await openServer(database, { teams: [desk] });
    await using there = await openServer(database, { teams: [desk] });
    const [first, second] = [
      await here.client.start("teams/desk", endlessTeam),
      await here.client.start("teams/desk", endlessTeam),
    ];
    await Promise.all([first.until(10), second.until(10)]);
    const followed = await there.client.resume("teams/desk", first.runId);
    await followed.until(20);
    expect((await there.client.cancel("teams/desk", first.runId)).status).toBe(200);
    expect(await Promise.all([first.closed, followed.closed])).toEqual(["ended", "ended"]);
    expect([first, followed].map(({ ending }) => ending?.event)).toEqual(["TeamRunCancelled", "TeamRunCancelled"]);
    expect(followed.events).toEqual(first.events);

    const other = await there.client.resume("teams/desk", second.runId);
    await other.until(10);
    const run = await rowOf(there, second);
    await there.engine.deleteRun(run);
    expect(await Promise.all([second.closed, other.closed])).toEqual(["ended", "ended"]);
    for (const stream of [second, other]) expect(["TeamRunCancelled", "error"]).toContain(lastWord(stream));
    expect(await tracesOf(database, [second.runId], [run.key])).toEqual([]);
  });
});
