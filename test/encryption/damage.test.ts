/** Values that were changed on the disk: what needs one of them fails clearly, and everything else continues. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { step } from "../../src/define/workflow/steps.ts";
import { defineWorkflow } from "../../src/define/workflow/workflow.ts";
import type { Log } from "../../src/model/runtime.ts";
import { defaultPlan, type Schedule } from "../../src/model/schedule/schedule.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { create, openOn } from "../contract/store-fixtures.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { executeSql, querySql } from "../support/execute-sql.ts";
import { Gate } from "../support/gate.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { silentLog } from "../support/runtime.ts";
import { keysOf } from "./stored.ts";

const secret = "SECRET-51c7";

/** First byte of the id of a text's data key. */
const dataKeyByte = 1;
/** A byte of the ciphertext, counted from its end. */
const textByte = -20;

/** Flips one byte of an encrypted text. */
async function damage(database: TestDatabase, column: string, where: string, at = textByte): Promise<void> {
  const [table, name] = column.split(".");
  const rows = await querySql<{ text: string }>(database, `select ${name} as text from ${table} where ${where}`);
  expect(rows.length).toBeGreaterThan(0);
  for (const { text } of rows) {
    const bytes = Buffer.from(text.slice(4), "base64");
    const place = (bytes.length + at) % bytes.length;
    bytes[place] = (bytes[place] ?? 0) ^ 1;
    const changed = `~e1.${bytes.toString("base64")}`;
    await executeSql(database, `update ${table} set ${name} = '${changed}' where ${name} = '${text}'`);
  }
}

/** Flips one byte of all frames of a run. */
async function damageFrames(database: TestDatabase, key: number): Promise<void> {
  const rows = await querySql<{ last: number; hex: string }>(
    database,
    `select last_index as last, ${database.kind === "sqlite" ? "hex(frames)" : "encode(frames, 'hex')"} as hex
      from segments where run_key = ${key}`,
  );
  expect(rows.length).toBeGreaterThan(0);
  for (const { last, hex } of rows) {
    const bytes = Buffer.from(hex, "hex");
    bytes[bytes.length + textByte] = (bytes[bytes.length + textByte] ?? 0) ^ 1;
    const text = bytes.toString("hex");
    const value = database.kind === "sqlite" ? `x'${text}'` : `decode('${text}', 'hex')`;
    await executeSql(database, `update segments set frames = ${value} where run_key = ${key} and last_index = ${last}`);
  }
}

function recorded(): { readonly log: Log; readonly text: () => string } {
  const entries: unknown[] = [];
  const take = (fields: unknown, text?: unknown): void => {
    entries.push([JSON.stringify(fields, (_, value) => (value instanceof Error ? String(value.stack) : value)), text]);
  };
  return { log: { ...silentLog, warn: take, error: take } as Log, text: () => JSON.stringify(entries) };
}

function schedule({ id, ...change }: Partial<Schedule> & { readonly id: string }): Schedule {
  return {
    ...defaultPlan,
    ...{ id, name: id, owner: "", cronExpr: "* * * * *", endpoint: "/health", payload: { text: secret } },
    ...{ enabled: true, disabledReason: null, nextRunAt: 1_000, fires: 0, failures: 0, platform: null },
    grant: { kind: "user", userId: change.owner ?? "", scopes: [], mapping: 0, account: null },
    ...{ createdAt: 1_000, updatedAt: null },
    ...change,
  };
}

const statusOf = async (database: TestDatabase, key: number): Promise<string> => {
  const [row] = await querySql<{ status: string }>(database, `select status from run_heads where run_key = ${key}`);
  return row?.status ?? "none";
};

eachDatabase("a damaged value", (openDatabase) => {
  test("of a claimed run ends that run with a clear error; other runs complete, and the log contains no text", async () => {
    const database = await openDatabase();
    const encryption = { keyProvider: keysOf("k1") };
    const gate = new Gate();
    const model = scriptedModel(async ({ message }) => {
      await gate.pass();
      return `${secret} ends: ${message}`;
    });
    const agents = [defineAgent({ id: "one", model })];
    const columns = [
      "runs.input",
      "runs.options",
      "sessions.state",
      "messages.body",
      "segments.frames",
      "key id",
      "none",
    ];
    const runs: { readonly column: string; readonly runId: string; readonly key: number }[] = [];
    const cut: (() => void)[] = [];
    {
      await using server = await openServer(database, { agents, encryption });
      for (const column of columns) {
        const fields = { session_id: column, session_state: JSON.stringify({ secret }) };
        const stream = await server.client.start("agents/one", secret, fields);
        await stream.until(1);
        cut.push(() => stream.cut());
        const found = await querySql<{ key: number }>(
          database,
          `select key from runs where run_id = '${stream.runId}'`,
        );
        runs.push({ column, runId: stream.runId, key: Number(found[0]!.key) });
      }
      await server.end(0);
    }
    for (const one of cut) one();
    for (const { column, key } of runs) {
      expect([column, await statusOf(database, key)]).toEqual([column, "PENDING"]);
      if (column === "segments.frames") await damageFrames(database, key);
      else if (column === "key id") await damage(database, "runs.input", `key = ${key}`, dataKeyByte);
      else if (column === "sessions.state")
        await damage(database, column, `key = (select session_key from runs where key = ${key})`);
      else if (column === "messages.body") await damage(database, column, `run_key = ${key}`);
      else if (column !== "none") await damage(database, column, `key = ${key}`);
    }
    gate.open();
    const { log, text } = recorded();
    await using server = await openServer(database, { agents, encryption }, log);
    for (const { column, key } of runs) {
      const status = await eventually(async () => {
        const now = await statusOf(database, key);
        expect(now).toMatch(/COMPLETED|ERROR/);
        return now;
      });
      expect([column, status]).toEqual([column, column === "none" ? "COMPLETED" : "ERROR"]);
    }
    for (const { column, runId } of runs) {
      if (column === "none" || column === "segments.frames") continue;
      const events = await server.client.log("agents/one", runId);
      const last = events.at(-1);
      expect([column, last?.event, last?.data.error_type]).toEqual([column, "RunError", "storage_error"]);
      expect(last?.data.content).toMatch(/^A stored value of the run or its session cannot be read \([-\w]+\)\.$/);
    }
    expect((await server.client.post("/agents/one/runs", { message: "New.", stream: "false" })).status).toBe(200);
    expect((await server.client.get("/health")).status).toBe(200);
    for (const column of columns.slice(0, 5)) expect(text()).toContain(column);
    expect(text()).toContain("does not exist");
    expect(text()).not.toContain(secret);
  });

  test("of a pause whose answers are overdue does not stop the default answers of other pauses, and its run asks again", async () => {
    const database = await openDatabase();
    const ask = step({ name: "ask", confirm: secret, run: () => "done", answerTimeout: 1_000, onTimeout: "skip" });
    const options = {
      workflows: [defineWorkflow({ id: "w", steps: [ask] })],
      encryption: { keyProvider: keysOf("k1") },
    };
    const runIds: string[] = [];
    {
      await using server = await openServer(database, options);
      for (const session_id of ["bad", "good"]) {
        const stream = await server.client.stream("/workflows/w/runs", { message: secret, session_id });
        await stream.closed;
        runIds.push(stream.runId);
      }
    }
    const [bad, good] = await Promise.all(
      runIds.map(async (id) => {
        const [row] = await querySql<{ key: number }>(database, `select key from runs where run_id = '${id}'`);
        return Number(row?.key);
      }),
    );
    await damage(database, "runs.output", `key = ${bad}`);
    const { log, text } = recorded();
    await using server = await openServer(database, options, log);
    await eventually(async () => {
      expect(await statusOf(database, good!)).toBe("COMPLETED");
      expect(await statusOf(database, bad!)).toBe("COMPLETED");
    });
    // The run has asked again, because its question was lost: it does not count as answered.
    const events = await server.client.log("workflows/w", runIds[0]!);
    expect(events.filter(({ event }) => event === "WorkflowPaused")).toHaveLength(2);
    expect(events.at(-1)?.data.content).not.toBe("done");
    expect((await server.client.get("/health")).status).toBe(200);
    expect(text()).toContain("runs.output");
    expect(text()).not.toContain(secret);
  });

  test("of a schedule disables that schedule; other schedules fire, and the damaged one can be removed", async () => {
    const database = await openDatabase();
    const encryption = { keyProvider: keysOf("k1") };
    const agents = [defineAgent({ id: "one", model: scriptedModel(() => "done") })];
    const settings = { scheduleSweepInterval: 200 };
    const { log, text } = recorded();
    await using server = await openServer(database, { agents, encryption, settings }, log);
    const ids = await Promise.all(["good", "bad", "worse"].map((name) => addSchedule(server, name)));
    await damage(database, "schedules.payload", `id = '${ids[1]}'`);
    await damage(database, "schedules.description", `id = '${ids[2]}'`, dataKeyByte);
    await executeSql(database, "update schedules set next_run_at = 1000");
    const states = () =>
      querySql<{ name: string; enabled: number; reason: string | null; fires: number }>(
        database,
        "select name, enabled, disabled_reason as reason, fires from schedules order by name",
      );
    const reason = JSON.stringify("A stored value of the schedule cannot be read.");
    await eventually(async () => expect((await states()).filter(({ enabled }) => enabled === 0)).toHaveLength(2));
    expect(await states()).toMatchObject([
      { name: "bad", enabled: 0, reason },
      { name: "good", enabled: 1, reason: null },
      { name: "worse", enabled: 0, reason },
    ]);
    const triggered = await server.client.post(`/schedules/${ids[0]}/trigger`);
    expect([triggered.status, triggered.body.status]).toEqual([200, "success"]);
    expect((await server.client.get(`/schedules/${ids[1]}`)).status).toBe(500);
    expect(text()).toContain("schedules.payload");
    expect(text()).not.toContain(secret);
  });

  test("of a schedule whose fire is claimed ends the fire as failed; a fire of another schedule in the same claim is returned", async () => {
    const database = await openDatabase();
    const { schedules } = await openOn(database, { keyProvider: keysOf("k1") });
    for (const id of ["good", "bad"]) await schedules.create(schedule({ id }));
    await schedules.plan(9, ({ id }) => {
      const fire = { id: `fire of ${id}`, runId: randomUUID(), attempt: 1, tick: 1_000, dueAt: 1_000 };
      return { fires: [{ ...fire, status: "waiting", queues: false }], cancelsOpen: false, nextRunAt: null };
    });
    await damage(database, "schedules.payload", "id = 'bad'");
    const claimed = await schedules.claim({ owner: "p1", limit: 9, orphans: false });
    expect(claimed.map(({ fire }) => fire.id)).toEqual(["fire of good"]);
    expect(await schedules.findFire("bad", "fire of bad")).toMatchObject({
      status: "failed",
      detail: { error: "A stored value of the schedule cannot be read." },
    });
    expect(await schedules.remove("bad")).toBe(true);
  });

  test("of a claimed fire's schedule does not prevent that the end of its attempt is recorded", async () => {
    const database = await openDatabase();
    const { schedules } = await openOn(database, { keyProvider: keysOf("k1") });
    await schedules.create(schedule({ id: "t", pauseAfter: 1 }));
    const creation = { id: "f", runId: randomUUID(), attempt: 1, tick: null, queues: false, dueAt: 0 };
    const claimed = (await schedules.createClaimed("t", { ...creation, status: "waiting" }, "p1"))!;
    await damage(database, "schedules.payload", "id = 't'");
    const before = await querySql(database, "select payload from schedules");
    const detail = { statusCode: 500, input: null, output: null, error: "no" };
    const ended = await schedules.endAttempt(claimed, { status: "failed", sessionId: null, retry: null, detail });
    expect(ended).toEqual({ retry: null, isDisabled: true });
    // The damaged value stays as it is: it may be needed for a repair.
    expect(await querySql(database, "select payload from schedules")).toEqual(before);
  });

  test("of a schedule of another owner does not stop the erasure of a user", async () => {
    const database = await openDatabase();
    const { schedules, userData } = await openOn(database, { keyProvider: keysOf("k1") });
    await schedules.create(schedule({ id: "a", owner: "bob" }));
    await schedules.create(schedule({ id: "b", owner: "alice" }));
    await damage(database, "schedules.payload", "1 = 1");
    let removed = 0;
    for await (const rows of userData.eraseStarters("alice")) removed += rows.removed.schedules ?? 0;
    expect(removed).toBe(1);
    expect(await querySql(database, "select id from schedules")).toEqual([{ id: "a" }]);
  });

  test("of a push target ends the notifications of that target; others are claimed", async () => {
    const database = await openDatabase();
    const { store, pushes } = await openOn(database, { keyProvider: keysOf("k1") });
    const key = await create(store, { runId: "r" });
    for (const id of ["good", "bad"])
      await pushes.put(
        key,
        { id, url: "https://a.example", version: "0.3", token: secret },
        { cursor: -1, maxTargets: 9 },
      );
    await damage(database, "push_targets.config", "id = 'bad'");
    const request = { owner: "p1", limit: 9, orphans: false };
    expect((await pushes.claim(request)).map(({ target }) => target.id)).toEqual(["good"]);
    expect(await pushes.untilDue()).toBe(null);
  });
});

async function addSchedule({ client }: OpenServer, name: string): Promise<string> {
  const answered = await fetch(new URL("/schedules", client.address), {
    ...{ method: "POST", headers: { "content-type": "application/json" } },
    body: JSON.stringify({
      ...{ name, description: secret, cron_expr: "0 0 1 1 *", endpoint: "/agents/one/runs", method: "POST" },
      payload: { message: secret },
    }),
  });
  const { id } = (await answered.json()) as { readonly id: string };
  expect([name, typeof id]).toEqual([name, "string"]);
  return id;
}
