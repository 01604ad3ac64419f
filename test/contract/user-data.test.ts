/** Erasure and export of a user's data, on both databases. */
import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { type Erasure, UserErasures } from "../../src/events/user-erasure.ts";
import type { Store } from "../../src/store/contract/store.ts";
import type { ExportedRow, UserDataStore } from "../../src/store/contract/user-data.ts";
import type { OpenedStore } from "../../src/store/open.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { executeSql, querySql } from "../support/execute-sql.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testRuntime } from "../support/runtime.ts";
import { create, everybody, openOn, put, segment, to, write } from "./store-fixtures.ts";
import { userColumns } from "./user-columns.ts";

/** A user id that occurs nowhere by chance. */
const alice = "alice-7f3 ü/%'\"\\_";
const bob = "bob-19c";

function erase({ userData, store }: Pick<OpenedStore, "userData" | "store">, user = alice): Promise<Erasure> {
  const erasures = new UserErasures({ store: userData, signals: { publish: () => undefined }, runtime: testRuntime });
  return erasures.erase(user, async (key) => {
    await store.requestCancel(key);
    const [claimed] = await store.claim({ owner: "p2", slots: 1, key, orphans: false });
    await put(store, write(key, { attempt: claimed?.attempt ?? 1, transition: to("CANCELLED") }));
  });
}

/** Creates an ended run whose texts name the user. */
async function runOf(
  store: Store,
  userId: string | null,
  { session = "s", owner = "", runId = `r-${Math.random()}`, isCompacted = true, events = 3, padding = "" } = {},
): Promise<number> {
  const text = JSON.stringify(`of ${userId}`);
  const key = await create(store, {
    ...{ sessionId: session, owner, userId, policy: "parallel", runId, input: `{"message":${text}}` },
    sessionTitle: `of ${userId}`,
  });
  const member = `${runId}-m`;
  const memberKey = await store.nextRunKey();
  const child = {
    ...{ key: memberKey, runId: member, rootKey: key, parentKey: key, kind: "agent", componentId: "m" },
    ...{ componentName: "M", sessionKey: 0, userId, input: `{"message":${text}}`, options: "{}", definitionHash: "h" },
    ...{ model: null, modelProvider: null, toolCallId: null, createdAt: 1_000 },
  };
  const body = `{"role":"user","content":${text}}`;
  const message = (runKey: number) => ({ runKey, position: 0, id: `m${runKey}`, createdAt: 1_000, body });
  for (let index = 0; index < events; index += 3)
    await put(store, write(key, { segment: segment(index, index + 2, `${padding} of ${userId?.slice(0, 5)}`) }));
  const summary = { summary: `{"summary":${text}}`, seq: 0, version: 0, by: "agent/a" };
  const mark = { runKey: key, name: `result/${runId}/0`, createdAt: 1_000, body: text };
  await put(store, write(key, { members: [child as never], messages: [message(key), message(memberKey)] }));
  await put(store, write(key, { marks: [mark], ...(userId === null ? {} : { summary }) }));
  await put(store, write(key, { transition: to("COMPLETED", 2_000) }));
  if (isCompacted) await store.compact(key, 1e6);
  return key;
}

/** Adds one row of every kind that belongs to no run, and rows of runs that `runOf` does not make. */
async function addOthers(database: TestDatabase, key: number): Promise<void> {
  const id = alice.replaceAll("'", "''");
  const json = JSON.stringify(alice).replaceAll("'", "''");
  const today = new Date().toISOString().slice(0, 10);
  const digest = hash("sha256", alice, "base64url").slice(0, 22);
  const plan = `'POST', '/agents/a/runs', '* * * * *', 'UTC', 60, 0, 0, 'skip', 'latest', 0, 1, 0, 0, 1`;
  const schedule = (name: string, owner: string, payload: string, grant: string, definition = ""): string =>
    `insert into schedules (id, owner, name, method, endpoint, cron_expr, timezone, timeout_seconds, max_retries, retry_delay_seconds,
      overlap, catch_up, jitter_seconds, enabled, fires, failures, records, definition, standing_grant, payload, created_at)
      values ('${name}', '${owner}', '${name}', ${plan}, '${definition}', '${grant}', ${payload}, 1)`;
  const grantOf = (user: string): string => `{"kind":"user","userId":${user},"scopes":[]}`;
  const approval = (name: string, by: string): string =>
    `insert into approvals (id, run_key, status, approval_type, pause_type, source_type, source_name, tool_name, tool_args, requirements,
      resolution_data, resolved_by, created_at, updated_at)
      values ('${name}', ${name === "own" ? key : -1}, 'approved', 'required', 'confirmation', 'agent', 'a', 't', '{}', '[]', null, '${by}', 1, 1)`;
  const account = (name: string, claims: string): string =>
    `insert into service_accounts (id, name, token_hash, token_prefix, scopes, created_by, created_at, claims)
      values ('${name}', '${name}', '${name}', 'p', '[]', '${id}', 1, ${claims})`;
  const statements = [
    schedule("in-namespace", id, "null", grantOf("null")),
    schedule("by-grant", "", "null", grantOf(json)),
    schedule("by-payload", "", `'{"message":"x","user_id":${json}}'`, grantOf("null")),
    schedule("of-bob", "", "null", grantOf('"bob"')),
    schedule("of-code", "p", "null", '{"kind":"scheduler","userId":"__scheduler__","scopes":[]}', "{}"),
    `insert into schedule_fires (id, schedule_id, tick, attempt, status, is_open, queues, claims, run_id, cancel_requested, due_at, created_at)
      values ('f', 'by-grant', 1, 1, 'success', 0, 0, 1, 'r', 0, 1, 1)`,
    approval("own", json),
    approval("of-others", json),
    approval("by-bob", '"bob"'),
    account("plain", "null"),
    account("bound", `'{"sessionId":"s"}'`),
    `insert into usage_counters (period, scope, key, tokens, nanos, model_requests, tool_calls) values ('${today}', 'user', '${id}', 1, 1, 1, 1)`,
    `insert into usage_counters (period, scope, key, tokens, nanos, model_requests, tool_calls) values ('${today}', 'user', 'bob', 1, 1, 1, 1)`,
    `insert into usage_pending (started_at, kind, session_key, owner, user_id, usage) values (1, 'agent', 1, '${id}', '${id}', '[]')`,
    ...["", digest].map(
      (
        owner,
      ) => `insert into usage_days (owner, day, agent_runs, team_runs, workflow_runs, agent_sessions, team_sessions, workflow_sessions,
        users, created_at, updated_at) values ('${owner}', '2020-01-01', 1, 0, 0, 1, 0, 0, 1, 1, 1)`,
    ),
    `insert into usage_day_models (owner, day, model, provider, runs, requests, input_tokens, output_tokens, reasoning_tokens,
      cache_read_tokens, cache_write_tokens) values ('${digest}', '2020-01-01', 'm', 'p', 1, 1, 1, 1, 0, 0, 0)`,
    `insert into usage_day_members (owner, day, role, member) values ('', '2020-01-01', 'user', '${digest}')`,
    `insert into usage_day_members (owner, day, role, member) values ('${digest}', '2020-01-01', 'user', '${digest}')`,
    ...[id, "bob"].flatMap((user) => [
      `insert into connections (user_id, provider, tokens, scopes, version, refreshing_until, created_at, updated_at)
        values ('${user}', 'hub', '{}', '[]', 1, 0, 1, 1)`,
      `insert into connection_flows (digest, provider, user_id, flow, expires_at) values ('${user}', 'hub', '${user}', '{}', 1)`,
      `insert into cached_responses (digest, user_id, body, created_at, expires_at) values ('${user}', '${user}', '[]', 1, 1)`,
      `insert into learnings (learning_id, owner, learning_type, content, created_at, updated_at)
        values ('user_profile_${user}', '${user}', 'user_profile', '{}', 1, 1)`,
    ]),
    ...[id, "bob"].flatMap((user, place) => [
      `insert into components (id, kind, name, last_version, created_by, created_at) values ('c${place}', 'agent', 'C', 1, '${user}', 1)`,
      `insert into component_versions (component_id, version, stage, sets_current, config, created_by, created_at)
        values ('c${place}', 1, 'draft', 1, '{}', '${user}', 1)`,
    ]),
    ...[id, "bob"].flatMap((user) => [
      `insert into memories (id, user_id, body, origin, session_id, revision, created_at, updated_at)
        values ('memory of ${user}', '${user}', '{"memory":"m","topics":[]}', 'request', '${user}', 1, 1, 1)`,
      `insert into memory_users (user_id, memories, updated_at) values ('${user}', 1, 1)`,
    ]),
    ...[id, "bob"].flatMap((user) => [
      `insert into run_feedback (run_key, user_id, rating, note, created_at, updated_at) values (${key}, '${user}', 1, '"good"', 1, 1)`,
      `insert into eval_runs (id, user_id, kind, component_id, component_name, type, status, total, done, request, created_at, updated_at)
        values ('${user}', '${user}', 'agent', 'a', 'A', 'accuracy', 'completed', 1, 1, '{}', 1, 1)`,
      `insert into datasets (id, owner, user_id, body, row_count, created_at, updated_at)
        values ('dataset of ${user}', '', '${user}', '{"name":"d","description":null}', 1, 1, 1)`,
      `insert into dataset_rows (id, dataset_id, body, run_id, run_user, created_at)
        values ('row of ${user}', 'dataset of ${user}', '{"input":"i","expected":null,"metadata":null}', null, null, 1)`,
      `insert into experiments (id, owner, user_id, dataset_id, kind, component_id, definition, status, last_row, total, finished, created_at)
        values ('experiment of ${user}', '', '${user}', 'dataset of ${user}', 'agent', 'a', '{}', 'running', 9, 2, 1, 1)`,
      `insert into experiment_results (experiment_id, row_id, side, run_id, status, scores, body, created_at)
        values ('experiment of ${user}', 'row of ${user}', 'a', 'x', 'COMPLETED', '[]', '{}', 1)`,
    ]),
    `insert into dataset_rows (id, dataset_id, body, run_id, run_user, created_at)
      values ('row of a run', 'dataset of bob', '{"input":"i","expected":null,"metadata":null}', 'r', '${id}', 1)`,
    `insert into jobs (kind, id, lane, share, due_at, attempt, claims, created_at) values ('memory', 'r', '${digest}', '', 1, 0, 0, 1)`,
    `insert into push_targets (run_key, id, url, config, version, created_at, cursor, marks, failures, claims, user_id)
      values (${key}, 't', 'https://x', '{}', '1.0', 1, 0, 0, 0, 0, '${id}')`,
    `insert into starts (digest, run_id, fingerprint, created_at) values ('d', (select run_id from runs where key = ${key}), 'f', 1)`,
    ...(database.kind === "postgres"
      ? [`insert into rate_limits (bucket, full_at) values ('starts user ${id}', 1), ('starts user bob', 1)`]
      : []),
  ];
  for (const statement of statements) await executeSql(database, statement);
}

/** Texts of all rows of all tables, by table. */
async function contentOf(database: TestDatabase): Promise<ReadonlyMap<string, string>> {
  const content = new Map<string, string>();
  for (const table of Object.keys(userColumns)) {
    if (table === (database.kind === "sqlite" ? "rate_limits" : "tails")) continue;
    const rows = await querySql<Record<string, unknown>>(database, `select * from ${table}`);
    const texts = rows.flatMap((row) =>
      Object.values(row).map((value) => (Buffer.isBuffer(value) ? "" : String(value))),
    );
    content.set(table, texts.join("\n"));
  }
  return content;
}

function tablesWith(content: ReadonlyMap<string, string>, ...parts: readonly string[]): readonly string[] {
  return [...content].filter(([, text]) => parts.some((part) => text.includes(part))).map(([table]) => table);
}

const digestOfAlice = hash("sha256", alice, "base64url").slice(0, 22);
const namesOfAlice = [alice, JSON.stringify(alice), JSON.stringify(alice).slice(1, -1), digestOfAlice];

async function exported(store: UserDataStore, user = alice): Promise<readonly ExportedRow[]> {
  const rows: ExportedRow[] = [];
  for await (const row of store.export(user)) rows.push(row);
  return rows;
}

eachDatabase("columns with a user's data", (openDatabase) => {
  test("are all listed", async () => {
    const database = await openDatabase();
    const { store } = await openOn(database);
    await store.ping();
    for (const [table, columns] of Object.entries(userColumns)) {
      if (table === (database.kind === "sqlite" ? "rate_limits" : "tails")) continue;
      const found = await querySql<{ readonly name: string }>(
        database,
        database.kind === "sqlite"
          ? `select name from pragma_table_info('${table}')${table === "knowledge_terms" ? " union select 'rowid'" : ""}`
          : `select column_name as name from information_schema.columns where table_schema = 'public' and table_name = '${table}'`,
      );
      expect([table, found.map(({ name }) => name).sort()]).toEqual([table, Object.keys(columns).sort()]);
    }
    const tables = await querySql<{ readonly name: string }>(
      database,
      database.kind === "sqlite"
        ? "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like 'knowledge_terms_%'"
        : "select table_name as name from information_schema.tables where table_schema = 'public'",
    );
    expect(tables.map(({ name }) => name).filter((name) => !(name in userColumns))).toEqual([]);
  });
});

eachDatabase("the erasure of a user", (openDatabase) => {
  test("removes every trace of the user, and reports it; a repetition removes nothing", async () => {
    const database = await openDatabase();
    const opened = await openOn(database);
    const key = await runOf(opened.store, alice, { session: "own" });
    await runOf(opened.store, alice, { session: "own", owner: alice, isCompacted: false });
    await runOf(opened.store, null, { session: "own" });
    await opened.store.createSession({
      ...{ sessionId: "empty", owner: "", kind: "agent", componentId: "a", userId: alice, name: "n", state: "{}" },
      ...{ metadata: null, createdAt: 1 },
    });
    await addOthers(database, key);
    expect(tablesWith(await contentOf(database), ...namesOfAlice).length).toBeGreaterThan(12);
    const report = await erase(opened);
    expect(tablesWith(await contentOf(database), ...namesOfAlice)).toEqual([]);
    expect(report).toEqual({
      isComplete: true,
      removed: {
        ...{
          runs: 3,
          memberRuns: 3,
          events: 9,
          messages: 6,
          results: 3,
          summaries: 2,
          traces: 2,
          approvals: 1,
          pushTargets: 1,
        },
        ...{ idempotencyKeys: 1, sessions: 3, schedules: 3, scheduleRecords: 1, usageCounters: 1, usageDays: 1 },
        ...{ connections: 1, cachedResponses: 1, memories: 1, learnings: 1 },
        ...{ feedback: 2, datasets: 1, datasetRows: 1, experiments: 1, evals: 1 },
        ...(database.kind === "postgres" ? { rateLimits: 1 } : {}),
      },
      anonymized: { sessions: 0, approvals: 1, serviceAccounts: 2, components: 2, pendingUsage: expect.any(Number) },
    });
    const accounts = await querySql<{ readonly id: string; readonly revoked_at: unknown }>(
      database,
      "select id, revoked_at from service_accounts order by id",
    );
    expect(accounts.map(({ id, revoked_at }) => [id, revoked_at !== null])).toEqual([
      ["bound", true],
      ["plain", false],
    ]);
    const schedules = await querySql<{ readonly id: string }>(database, "select id from schedules order by id");
    expect(schedules.map(({ id }) => id)).toEqual(["of-bob", "of-code"]);
    const again = await erase(opened);
    expect(again.isComplete).toBe(true);
    expect([...Object.values(again.removed), ...Object.values(again.anonymized)].every((rows) => rows === 0)).toBe(
      true,
    );
  });

  test("keeps the runs of other users in the user's session, and takes the user from the session", async () => {
    const database = await openDatabase();
    const opened = await openOn(database);
    const first = await runOf(opened.store, alice, { session: "shared", runId: "a" });
    const second = await runOf(opened.store, bob, { session: "shared", runId: "b" });
    const elsewhere = await runOf(opened.store, bob, { session: "of-bob" });
    const guest = await runOf(opened.store, alice, { session: "of-bob" });
    const report = await erase(opened);
    expect(report).toMatchObject({ removed: { runs: 2, sessions: 0 }, anonymized: { sessions: 1 } });
    for (const key of [first, guest]) expect(await opened.store.head(key)).toBeUndefined();
    for (const key of [second, elsewhere]) expect(await opened.store.messages([key])).toHaveLength(1);
    expect(await opened.store.findSession(everybody, "shared")).toMatchObject({
      userId: null,
      name: null,
      title: null,
    });
    expect(await opened.store.findSession(everybody, "of-bob")).toMatchObject({ userId: bob, title: `of ${bob}` });
    expect(tablesWith(await contentOf(database), alice)).toEqual([]);
  });

  test("drops a summary of the user's messages that another user's run stores afterwards, and keeps an earlier one", async () => {
    const database = await openDatabase();
    const { store, userData } = await openOn(database);
    await runOf(store, bob, { session: "shared" });
    await runOf(store, alice, { session: "shared" });
    const running = await create(store, { userId: bob, sessionId: "shared", policy: "parallel" });
    const sessionKey = (await store.findSession(everybody, "shared"))?.key as number;
    const before = await store.sessionSummary(sessionKey);
    expect(before).toMatchObject({ seq: 0, summary: expect.stringContaining(bob) });
    expect(await erase({ store, userData })).toMatchObject({ removed: { runs: 1, summaries: 0 } });
    const late = {
      summary: `{"summary":"of ${bob} and of alice"}`,
      seq: 1,
      by: "agent/a",
      version: before?.version ?? 0,
    };
    await put(store, write(running, { summary: late }));
    expect(await store.sessionSummary(sessionKey)).toMatchObject({ seq: 0, summary: before?.summary });
  });

  test("removes a session of no user with the user's last run, and keeps another user's session", async () => {
    const opened = await openOn(await openDatabase());
    const session = {
      owner: "",
      kind: "agent",
      componentId: "agent-1",
      name: null,
      state: "{}",
      metadata: null,
    } as const;
    await opened.store.createSession({ ...session, sessionId: "of-nobody", userId: null, createdAt: 1 });
    await opened.store.createSession({ ...session, sessionId: "of-bob", userId: bob, createdAt: 1 });
    for (const name of ["of-nobody", "of-bob"]) await runOf(opened.store, alice, { session: name });
    expect(await erase(opened)).toMatchObject({ removed: { runs: 2, sessions: 1 } });
    expect(await opened.store.findSession(everybody, "of-nobody")).toBeUndefined();
    expect(await opened.store.findSession(everybody, "of-bob")).toBeDefined();
  });

  test("cancels unfinished and paused runs first", async () => {
    const opened = await openOn(await openDatabase());
    const { store } = opened;
    const running = await create(store, { userId: alice, policy: "parallel" });
    const paused = await create(store, { userId: alice, policy: "parallel" });
    await put(store, write(paused, { transition: to("PAUSED") }));
    const others = await create(store, { userId: bob, sessionId: "t", policy: "parallel" });
    expect(await erase(opened)).toMatchObject({ isComplete: true, removed: { runs: 2, sessions: 1 } });
    for (const key of [running, paused]) expect(await store.head(key)).toBeUndefined();
    expect(await store.head(others)).toMatchObject({ status: "RUNNING", cancelRequested: false });
  });

  test("removes a log that is larger than one transaction in parts", async () => {
    const opened = await openOn(await openDatabase());
    const key = await runOf(opened.store, alice, { events: 600, padding: "x".repeat(20_000) });
    const batch = await opened.userData.eraseRuns(alice, [key]);
    expect(batch).toMatchObject({ keys: [] });
    expect((await opened.store.head(key))?.firstKept).toBeGreaterThan(0);
    const rest = await erase(opened);
    expect((batch.removed.events ?? 0) + (rest.removed.events ?? 0)).toBe(600);
    expect(await opened.store.head(key)).toBeUndefined();
  });

  test("by two processes at the same time removes each row once", async () => {
    const database = await openDatabase();
    const opened = await openOn(database);
    for (let n = 0; n < 60; n++) await runOf(opened.store, alice, { session: `s-${n % 7}` });
    for (let n = 0; n < 7; n++) await runOf(opened.store, bob, { session: `s-${n}` });
    const other = database.kind === "postgres" ? await openOn(database) : opened;
    const both = await Promise.all([erase(opened), erase(other)]);
    expect((both[0].removed.runs ?? 0) + (both[1].removed.runs ?? 0)).toBe(60);
    expect((both[0].removed.messages ?? 0) + (both[1].removed.messages ?? 0)).toBe(120);
    expect(both.every(({ isComplete }) => isComplete)).toBe(true);
    expect(tablesWith(await contentOf(database), ...namesOfAlice)).toEqual([]);
    const left = await querySql<{ readonly n: unknown }>(
      database,
      "select count(*) as n from runs where parent_key is null",
    );
    expect(Number(left[0]?.n)).toBe(7);
  });

  test("that stopped after any batch is completed by a later one", async () => {
    const database = await openDatabase();
    const opened = await openOn(database);
    for (let n = 0; n < 45; n++) await runOf(opened.store, alice, { session: `s-${n % 3}` });
    await runOf(opened.store, bob, { session: "s-0" });
    const crash = new Error("crash");
    for (let batches = 0; ; batches++) {
      let left = batches;
      const counted = <T>(work: () => Promise<T>): Promise<T> => {
        if (left-- === 0) throw crash;
        return work();
      };
      const userData: UserDataStore = {
        ...opened.userData,
        eraseRuns: (...call) => counted(() => opened.userData.eraseRuns(...call)),
        async *eraseSessions(user) {
          for await (const rows of opened.userData.eraseSessions(user)) yield await counted(async () => rows);
        },
        async *eraseStarters(user) {
          for await (const rows of opened.userData.eraseStarters(user)) yield await counted(async () => rows);
        },
        async *eraseOthers(user) {
          for await (const rows of opened.userData.eraseOthers(user)) yield await counted(async () => rows);
        },
      };
      const report = await erase({ ...opened, userData }).catch((error) => {
        if (error !== crash) throw error;
        return undefined;
      });
      if (report === undefined) continue;
      expect(report.isComplete).toBe(true);
      break;
    }
    expect(tablesWith(await contentOf(database), ...namesOfAlice)).toEqual([]);
    expect(await opened.store.findSession(everybody, "s-0")).toMatchObject({ userId: null });
  });

  test("stops at its time limit while a run does not end, and reports that it is incomplete", async () => {
    const opened = await openOn(await openDatabase());
    await create(opened.store, { userId: alice, policy: "parallel" });
    await runOf(opened.store, alice, { session: "t" });
    const clock = new FakeClock();
    const erasures = new UserErasures({
      store: opened.userData,
      signals: { publish: () => undefined },
      runtime: { clock },
    });
    const cancelled: number[] = [];
    const erasing = erasures.erase(alice, async (key) => void cancelled.push(key));
    let report: Erasure | undefined;
    void erasing.then((result) => {
      report = result;
    });
    for (let steps = 0; report === undefined && steps < 2_000; steps++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      clock.advance(100);
    }
    expect(report).toMatchObject({ isComplete: false, removed: { runs: 1 } });
    expect(cancelled).toHaveLength(1);
  });

  test("of a user without data is complete at once", async () => {
    const opened = await openOn(await openDatabase());
    expect(await erase(opened, "nobody")).toMatchObject({ isComplete: true, removed: { usageDays: 0 } });
  });
});

eachDatabase("the export of a user", (openDatabase) => {
  test("has every row of the user and no row of another one; every line is JSON", async () => {
    const database = await openDatabase();
    const opened = await openOn(database);
    const key = await runOf(opened.store, alice, { session: "shared", runId: "a" });
    await runOf(opened.store, bob, { session: "shared", runId: "b" });
    await runOf(opened.store, bob, { session: "of-bob", runId: "d" });
    await runOf(opened.store, alice, { session: "of-bob", runId: "c", isCompacted: false });
    await addOthers(database, key);
    const rows = await exported(opened.userData);
    const counts: Record<string, number> = {};
    for (const { kind, json } of rows) {
      expect(JSON.parse(json)).toBeTypeOf("object");
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    expect(counts).toEqual({
      ...{
        session: 1,
        run: 4,
        message: 4,
        result: 2,
        event: 6,
        approval: 1,
        push_target: 1,
        trace: 1,
        idempotency_key: 1,
      },
      ...{
        connection: 1,
        cached_response: 1,
        memory: 1,
        schedule: 3,
        schedule_record: 1,
        resolved_approval: 2,
        service_account: 2,
        ...{ component: 1, component_version: 1, eval_run: 1 },
        usage_counter: 1,
      },
      ...{ feedback: 2, given_feedback: 1, dataset: 1, dataset_row: 1, shared_dataset_row: 1 },
      ...{ experiment: 1, experiment_result: 1 },
      ...{ learning: 1, usage_day: 1, usage_day_model: 1, ...(database.kind === "postgres" ? { rate_limit: 1 } : {}) },
    });
    const runs = rows.filter(({ kind }) => kind === "run").map(({ json }) => JSON.parse(json));
    expect(runs.map(({ run_id, parent_run_id }) => [run_id, parent_run_id])).toEqual([
      ["a", null],
      ["a-m", "a"],
      ["c", null],
      ["c-m", "c"],
    ]);
    expect(runs[0]).toMatchObject({ user_id: alice, input: { message: `of ${alice}` }, status: "COMPLETED" });
    expect(rows.filter(({ json }) => json.includes(bob))).toEqual([]);
    await erase(opened);
    expect(await exported(opened.userData)).toEqual([]);
  });

  test("reads pages of rows, each row once", async () => {
    const opened = await openOn(await openDatabase());
    for (let n = 0; n < 230; n++) {
      const key = await create(opened.store, { userId: alice, sessionId: "s", policy: "parallel", runId: `r${n}` });
      const messages = Array.from({ length: n === 0 ? 25 : 1 }, (_, position) => {
        return { runKey: key, position, id: `m${n}-${position}`, createdAt: 1, body: '{"role":"user"}' };
      });
      await put(opened.store, write(key, { messages, transition: to("COMPLETED") }));
    }
    const rows = await exported(opened.userData);
    const of = (kind: string) => rows.filter((row) => row.kind === kind).map(({ json }) => json);
    expect(new Set(of("run")).size).toBe(230);
    expect(of("run")).toHaveLength(230);
    expect(new Set(of("message")).size).toBe(254);
  });
});
