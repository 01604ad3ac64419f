/** Removal of old data in batches, on both databases. Runs of the tests ended in 1970, so they are due. */
import { type CompiledQuery, sql } from "kysely";
import { expect, test } from "vitest";
import type { RetainedKind } from "../../src/model/retention.ts";
import type { RetentionBatch, RetentionPosition, RetentionStore } from "../../src/store/contract/retention.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { retentionStore } from "../../src/store/queries/retention.ts";
import { run } from "../../src/store/transaction.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { executeSql, querySql } from "../support/execute-sql.ts";
import { databaseIn, observed, planOf } from "./query-plans.ts";
import { create, everybody, openOn, put, readLog, segment, to, write } from "./store-fixtures.ts";

const day = 86_400_000;

/** Creates a run that ended at a time, with a compacted log of one row for each number of events. */
async function ended(
  store: Store,
  {
    at = 2_000,
    lengths = [3],
    padding = "",
    session = "s",
    isCompacted = true,
    runId = undefined as string | undefined,
  } = {},
): Promise<number> {
  const key = await create(store, {
    sessionId: session,
    policy: "parallel",
    ...(runId === undefined ? {} : { runId }),
  });
  let next = 0;
  for (const length of lengths) {
    await put(store, write(key, { segment: segment(next, next + length - 1, padding) }));
    next += length;
  }
  const message = { runKey: key, position: 0, id: `m${key}`, createdAt: at, body: '{"role":"user","content":"hi"}' };
  await put(store, write(key, { transition: to("COMPLETED", at), messages: [message] }));
  if (isCompacted) await store.compact(key, 1);
  return key;
}

/** Removes all due data of a kind, in batches. */
async function removeAll(
  retention: RetentionStore,
  kind: RetainedKind,
  { age = day, limit = 10, method = "remove" as "remove" | "preview" } = {},
): Promise<RetentionBatch & { readonly batches: number }> {
  let [items, events, bytes, batches] = [0, 0, 0, 0];
  for (let after: RetentionPosition | undefined; ; ) {
    const batch = await retention[method](kind, { age, limit, after });
    items += batch.items;
    events += batch.events;
    bytes += batch.bytes;
    batches += 1;
    if (batch.next === undefined) return { items, events, bytes, next: undefined, batches };
    after = batch.next;
  }
}

/** Makes a segment large enough to be a row of its own. */
const large = "x".repeat(20_000);

eachDatabase("removal of events", (openDatabase) => {
  test("removes all events of old runs, and their records and messages stay", async () => {
    const { store, retention } = await openOn(await openDatabase());
    const keys: number[] = [];
    for (let n = 0; n < 25; n++) keys.push(await ended(store, { at: 2_000 + n, runId: `r${n}` }));
    const before = await removeAll(retention, "events", { method: "preview" });
    expect(before).toMatchObject({ items: 25, events: 75 });
    expect(await store.head(keys[0]!)).toMatchObject({ firstKept: 0, nextIndex: 3 });
    const removed = await removeAll(retention, "events");
    expect(removed).toMatchObject({ items: 25, events: 75, bytes: before.bytes });
    for (const [n, key] of keys.entries()) {
      expect(await store.head(key)).toMatchObject({ firstKept: 3, nextIndex: 3, status: "COMPLETED" });
      expect(await store.segments(key, -1, 1e6)).toEqual([]);
      expect(await store.findRun(everybody, `r${n}`)).toMatchObject({ status: "COMPLETED" });
    }
    expect(await store.messages(keys)).toHaveLength(25);
    expect(await removeAll(retention, "events")).toMatchObject({ items: 0, batches: 1 });
  });

  test("keeps the events of recent, paused, running and uncompacted runs", async () => {
    const { store, retention } = await openOn(await openDatabase());
    const recent = await ended(store, { at: Date.now() - day / 2 });
    const running = await create(store, { policy: "parallel" });
    await put(store, write(running, { segment: segment(0, 1) }));
    const paused = await create(store, { policy: "parallel" });
    await put(store, write(paused, { segment: segment(0, 1), transition: to("PAUSED") }));
    const uncompacted = await ended(store, { isCompacted: false });
    expect(await removeAll(retention, "events")).toMatchObject({ items: 0 });
    for (const key of [recent, running, paused, uncompacted])
      expect(await store.head(key)).toMatchObject({ firstKept: 0 });
    await store.compact(uncompacted, 1e5);
    expect(await removeAll(retention, "events")).toMatchObject({ items: 1 });
  });

  test("removes a log that is larger than one transaction in parts, and each part leaves a readable log", async () => {
    const { store, retention } = await openOn(await openDatabase());
    const lengths = Array.from({ length: 60 }, () => 10);
    const key = await ended(store, { lengths, padding: large });
    const seen: number[] = [];
    for (let after: RetentionPosition | undefined; ; ) {
      const batch = await retention.remove("events", { age: day, limit: 10, after });
      const { firstKept } = (await store.head(key))!;
      seen.push(firstKept);
      if (firstKept < 600) {
        expect(batch.items).toBe(0);
        expect(await readLog(store, key, firstKept - 1, 1e9)).toBe(segment(firstKept, 599, large).frames.toString());
      }
      if (batch.next === undefined) break;
      after = batch.next;
    }
    expect(seen.length).toBeGreaterThan(2);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(await store.head(key)).toMatchObject({ firstKept: 600, nextIndex: 600 });
  });

  test("keeps the events of a run with a push notification that is not delivered, and continues after it", async () => {
    const database = await openDatabase();
    const { store, retention, pushes } = await openOn(database);
    const waiting = await ended(store);
    const target = { id: "t", url: "https://example.org", version: "1.0", token: null, authentication: null } as never;
    await pushes.put(waiting, target, { cursor: 0, maxTargets: 9 });
    await executeSql(database, `update push_targets set due_at = 5 where run_key = ${waiting}`);
    const others = [await ended(store), await ended(store)];
    expect(await removeAll(retention, "events", { limit: 1 })).toMatchObject({ items: 2 });
    expect(await store.head(waiting)).toMatchObject({ firstKept: 0 });
    for (const key of others) expect(await store.head(key)).toMatchObject({ firstKept: 3 });
    await executeSql(database, `update push_targets set due_at = null where run_key = ${waiting}`);
    expect(await removeAll(retention, "events")).toMatchObject({ items: 1 });
  });

  test("two processes share the work: each run is removed once", async () => {
    const database = await openDatabase();
    const { store, retention } = await openOn(database);
    for (let n = 0; n < 60; n++) await ended(store, { at: 2_000 + n });
    // SQLite has one process; its two sweeps then interleave.
    const other = database.kind === "postgres" ? (await openOn(database)).retention : retention;
    const both = await Promise.all([retention, other].map((one) => removeAll(one, "events", { limit: 4 })));
    const rest = await removeAll(retention, "events");
    expect(both[0]!.items + both[1]!.items + rest.items).toBe(60);
  });
});

eachDatabase("removal of runs", (openDatabase) => {
  test("removes old runs with their messages and events, and keeps recent and unfinished ones", async () => {
    const { store, retention } = await openOn(await openDatabase());
    const old = [await ended(store), await ended(store, { isCompacted: false })];
    const recent = await ended(store, { at: Date.now() - day / 2, session: "t" });
    expect(await removeAll(retention, "runs", { method: "preview" })).toMatchObject({ items: 2, events: 6 });
    expect(await removeAll(retention, "runs")).toMatchObject({ items: 2, events: 6 });
    for (const key of old) expect(await store.head(key)).toBeUndefined();
    expect(await store.messages(old)).toEqual([]);
    expect(await readLog(store, recent)).toBe(segment(0, 2).frames.toString());
  });

  test("keeps all runs of a session that has a paused or a running run, whose history they are", async () => {
    const { store, retention } = await openOn(await openDatabase());
    const first = await ended(store, { session: "paused" });
    const paused = await create(store, { sessionId: "paused", policy: "parallel" });
    await put(store, write(paused, { segment: segment(0, 1), transition: to("PAUSED") }));
    const second = await ended(store, { session: "running" });
    const running = await create(store, { sessionId: "running", policy: "parallel" });
    const free = await ended(store, { session: "free" });
    expect(await removeAll(retention, "runs", { limit: 1 })).toMatchObject({ items: 1 });
    expect(await store.head(free)).toBeUndefined();
    expect(await store.messages([first, second])).toHaveLength(2);
    await put(store, write(running, { transition: to("COMPLETED", Date.now()) }));
    expect(await removeAll(retention, "runs")).toMatchObject({ items: 1 });
    expect(await store.messages([first, second])).toHaveLength(1);
    expect(await store.head(paused)).toMatchObject({ status: "PAUSED", firstKept: 0 });
  });

  test("a run with a larger log than one transaction removes goes after its events", async () => {
    const { store, retention } = await openOn(await openDatabase());
    const key = await ended(store, { lengths: Array.from({ length: 60 }, () => 10), padding: large });
    const batch = await retention.remove("runs", { age: day, limit: 10 });
    expect(batch).toMatchObject({ items: 0 });
    expect((await store.head(key))?.firstKept).toBeGreaterThan(0);
    expect(await removeAll(retention, "runs")).toMatchObject({ items: 1 });
    expect(await store.head(key)).toBeUndefined();
  });
});

eachDatabase("removal of sessions", (openDatabase) => {
  test("removes old sessions without runs; recent sessions and sessions with runs stay", async () => {
    const database = await openDatabase();
    const { store, retention } = await openOn(database);
    await ended(store, { session: "empty" });
    await removeAll(retention, "runs");
    await ended(store, { session: "with-runs" });
    const recent = Date.now() - day / 2;
    for (const name of ["empty", "with-runs"]) {
      const times = `created_at = 1000, updated_at = ${name === "empty" ? 1_000 : 2_000}`;
      await executeSql(database, `update sessions set ${times} where session_id = '${name}'`);
    }
    await create(store, { sessionId: "recent", createdAt: recent });
    expect(await removeAll(retention, "sessions", { method: "preview" })).toMatchObject({ items: 1 });
    expect(await removeAll(retention, "sessions", { limit: 1 })).toMatchObject({ items: 1 });
    const left = await Promise.all(["empty", "with-runs", "recent"].map((id) => store.findSession(everybody, id)));
    expect(left.map((session) => session !== undefined)).toEqual([false, true, true]);
  });

  test("a session that changed recently stays, however old it is", async () => {
    const database = await openDatabase();
    const { store, retention } = await openOn(database);
    await ended(store, { session: "s" });
    await removeAll(retention, "runs");
    await executeSql(database, `update sessions set created_at = 1000, updated_at = ${Date.now()}`);
    expect(await removeAll(retention, "sessions")).toMatchObject({ items: 0 });
    expect(await store.findSession(everybody, "s")).toBeDefined();
  });
});

eachDatabase("removal of traces", (openDatabase) => {
  test("removes old traces only, and their runs stay", async () => {
    const database = await openDatabase();
    const { store, retention } = await openOn(database);
    const keys = [await ended(store), await ended(store), await ended(store)];
    await executeSql(database, `update traces set started_at = 5 where run_key <> ${keys[2]}`);
    await executeSql(database, `update traces set started_at = ${Date.now()} where run_key = ${keys[2]}`);
    expect(await removeAll(retention, "traces", { method: "preview" })).toMatchObject({ items: 2 });
    expect(await removeAll(retention, "traces", { limit: 1 })).toMatchObject({ items: 2 });
    const left = await querySql<{ readonly run_key: unknown }>(database, "select run_key from traces");
    expect(left.map((row) => Number(row.run_key))).toEqual([keys[2]]);
    expect(await store.messages(keys)).toHaveLength(3);
  });
});

eachDatabase("removal of webhook deliveries", (openDatabase) => {
  test("removes old deliveries that are over; pending and recent ones stay, and so do the runs", async () => {
    const database = await openDatabase();
    const { store, retention } = await openOn(database);
    const key = await ended(store, { isCompacted: false });
    const deliver = (id: string, state: string, at: number): Promise<void> =>
      executeSql(
        database,
        `insert into webhook_deliveries (id, hook_id, event, run_key, event_index, share, state, attempts, created_at, updated_at)
          values ('${id}', 'books', 'run.completed', ${key}, 2, '', '${state}', 1, ${at}, ${at})`,
      );
    for (const state of ["delivered", "failed"]) await deliver(`old ${state}`, state, 5);
    await deliver("old pending", "pending", 5);
    await deliver("recent", "delivered", Date.now());
    expect(await removeAll(retention, "webhookDeliveries", { method: "preview" })).toMatchObject({ items: 2 });
    expect(await removeAll(retention, "webhookDeliveries", { limit: 1 })).toMatchObject({ items: 2 });
    const left = await querySql<{ readonly id: string }>(database, "select id from webhook_deliveries order by id");
    expect(left.map(({ id }) => id)).toEqual(["old pending", "recent"]);
    expect(await store.head(key)).toMatchObject({ status: "COMPLETED" });
  });
});

eachDatabase("removal of schedule records and idempotency keys", (openDatabase) => {
  test("removes old records of ended fires and counts them; open and paused fires stay", async () => {
    const database = await openDatabase();
    const { retention } = await openOn(database);
    const plain = "'GET', '/health', '* * * * *', 'UTC', 60, 0, 0, 'skip', 'latest', 0, 1, 0, 0";
    await executeSql(
      database,
      `insert into schedules (id, owner, name, method, endpoint, cron_expr, timezone, timeout_seconds, max_retries, retry_delay_seconds,
        overlap, catch_up, jitter_seconds, enabled, fires, failures, records, definition, standing_grant, created_at)
        values ('s', '', 's', ${plain}, 5, '', '{}', 1)`,
    );
    const fire = (id: string, status: string, isOpen: number, completedAt: number | null): string =>
      `insert into schedule_fires (id, schedule_id, tick, attempt, status, is_open, queues, claims, run_id, cancel_requested, due_at,
        completed_at, created_at) values ('${id}', 's', ${id.length}, 1, '${status}', ${isOpen}, 0, 1, 'r', 0, 1, ${completedAt}, 1)`;
    await executeSql(database, fire("a", "success", 0, 1));
    await executeSql(database, fire("bb", "failed", 0, 2));
    await executeSql(database, fire("ccc", "paused", 0, 3));
    await executeSql(database, fire("dddd", "running", 1, null));
    await executeSql(database, fire("eeeee", "success", 0, Date.now()));
    expect(await removeAll(retention, "scheduleRecords", { method: "preview" })).toMatchObject({ items: 2 });
    expect(await removeAll(retention, "scheduleRecords", { limit: 1 })).toMatchObject({ items: 2 });
    const rows = await querySql<{ readonly id: string; readonly records: unknown }>(
      database,
      "select id, (select records from schedules) as records from schedule_fires order by id",
    );
    expect(rows.map(({ id, records }) => [id, Number(records)])).toEqual([
      ["ccc", 3],
      ["dddd", 3],
      ["eeeee", 3],
    ]);
  });

  test("removes old idempotency keys only", async () => {
    const { store, retention } = await openOn(await openDatabase());
    const reserve = (digest: string, at: number) =>
      store.reserveIdempotencyKey({ digest, runId: `r-${digest}`, fingerprint: "f", at, since: 0 });
    for (const [place, digest] of ["a", "b", "c"].entries()) await reserve(digest, 1_000 + place);
    await reserve("new", Date.now());
    expect(await removeAll(retention, "idempotencyKeys", { method: "preview", limit: 1 })).toMatchObject({ items: 3 });
    expect(await removeAll(retention, "idempotencyKeys", { limit: 2 })).toMatchObject({ items: 3 });
    expect(await reserve("new", Date.now() + 5)).toMatchObject({ runId: "r-new" });
    expect((await reserve("a", Date.now())).at).toBeGreaterThan(2_000);
  });

  test("removes old learnings only", async () => {
    const database = await openDatabase();
    const { learnings, retention } = await openOn(database);
    const fixed = { type: "t", namespace: null, agentId: null, teamId: null, sessionId: null, entityId: null };
    const create = (learningId: string, owner: string) =>
      learnings.create({ ...fixed, learningId, owner, entityType: null, content: "{}", metadata: null });
    for (const [id, owner] of [
      ["a", "u"],
      ["b", ""],
      ["b", "u"],
      ["c", "u"],
    ] as const)
      await create(id, owner);
    await executeSql(database, "update learnings set updated_at = 5 where learning_id <> 'c' and owner = 'u'");
    expect(await removeAll(retention, "learnings", { method: "preview", limit: 1 })).toMatchObject({ items: 2 });
    expect(await removeAll(retention, "learnings", { limit: 1 })).toMatchObject({ items: 2 });
    const left = await querySql(database, "select learning_id, owner from learnings order by learning_id");
    expect(left).toEqual([
      { learning_id: "b", owner: "" },
      { learning_id: "c", owner: "u" },
    ]);
  });
});

eachDatabase("removal under load", (openDatabase) => {
  test("takes nothing from unfinished runs, and fails no write, while runs of the same sessions begin and end", async () => {
    const database = await openDatabase();
    const opened = [await openOn(database)];
    if (database.kind === "postgres") opened.push(await openOn(database));
    const [{ store }] = opened as [(typeof opened)[number]];
    let isOver = false;
    const remove = async (retention: RetentionStore): Promise<number> => {
      let items = 0;
      // Everything that has ended is due.
      for (let round = 0; !isOver; round++)
        for (const kind of ["events", "traces", "runs", "sessions"] as const)
          items += (await removeAll(retention, kind, { age: -day, limit: 1 + (round % 7) })).items;
      return items;
    };
    const work = async (worker: number): Promise<void> => {
      for (let n = 0; n < 40; n++) {
        const key = await create(store, { sessionId: `s${n % 3}`, policy: "parallel" });
        const outcomes = [await put(store, write(key, { segment: segment(0, 4) }))];
        if (worker === 0) await new Promise((resolve) => setTimeout(resolve, n % 5));
        expect(await readLog(store, key)).toBe(segment(0, 4).frames.toString());
        outcomes.push(await put(store, write(key, { segment: segment(5, 9), transition: to("COMPLETED") })));
        expect(outcomes.map(({ kind }) => kind)).toEqual(["committed", "committed"]);
        await store.compact(key, 1e5);
      }
    };
    const removals = opened.map(({ retention }) => remove(retention));
    await Promise.all([0, 1, 2, 3].map(work)).finally(() => {
      isOver = true;
    });
    expect((await Promise.all(removals)).reduce((sum, items) => sum + items, 0)).toBeGreaterThan(100);
  });
});

/** Inserts 20,000 ended runs of 200 sessions; 1 in 100 has events. */
const manyHeads = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
  insert into run_heads (run_key, root_key, session_key, session_seq, policy, status, attempt, cancel_requested, first_kept, compacted, updated_at)
  select i, i, i % 200, i, 'queue', 'COMPLETED', 1, 0, 0, case when i % 100 = 0 then 1 else 2 end, i from n`;

/** Inserts 20,000 rows of other tables. */
const manyOthers = [
  sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
    insert into traces (run_key, trace_id, session_key, owner, kind, component_id, name, status, started_at, ended_at, span_count, error_count,
      input_tokens, output_tokens, spans) select i, 't' || i, 1, '', 'agent', 'a', 'n', 'OK', i, i, 1, 0, 0, 0, '[]' from n`,
  sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
    insert into starts (digest, run_id, fingerprint, created_at) select 'd' || i, 'r' || i, 'f', i from n`,
  sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
    insert into learnings (learning_id, owner, learning_type, content, created_at, updated_at) select 'l' || i, '', 't', '{}', i, i from n`,
  sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
    insert into sessions (session_id, owner, kind, component_id, state, next_seq, created_at, updated_at)
    select 's-' || i, '', 'agent', 'a', '{}', 0, i, i from n`,
  sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
    insert into schedule_fires (id, schedule_id, tick, attempt, status, is_open, queues, claims, run_id, cancel_requested, due_at, completed_at, created_at)
    select 'f' || i, 's', i, 1, 'success', 0, 0, 1, 'r', 0, i, i, i from n`,
];

const indexes: Partial<Record<RetainedKind, string>> = {
  events: "heads_kept",
  traces: "traces_started",
  runs: "heads_over",
  sessions: "sessions_created",
  scheduleRecords: "schedule_fires_ended",
  idempotencyKeys: "starts_created",
  learnings: "learnings_updated",
};

eachDatabase("a batch of removal", (openDatabase) => {
  test.each([[[]], [["analyze"]]])(
    "reads due rows by an index, without a scan or a sort of a table (%j)",
    async (first) => {
      const database: TestDatabase = await openDatabase();
      const opened = await databaseIn(database);
      for (const rows of [manyHeads, ...manyOthers])
        await opened.write(() => run({ compile: () => rows.compile(opened.dialect.db) }));
      for (const [kind, index] of Object.entries(indexes) as [RetainedKind, string][]) {
        const seen: CompiledQuery[] = [];
        await retentionStore(observed(opened, seen)).preview(kind, { age: day, limit: 20 });
        const find = seen.find(({ sql: text }) => text.includes("order by"))!;
        const plan = await planOf(database, find, first);
        expect([kind, plan]).toEqual([kind, expect.stringContaining(index)]);
        expect([kind, plan]).toEqual([
          kind,
          expect.not.stringMatching(/Seq Scan on (run_heads|starts|traces|sessions|schedule_fires)|SCAN/),
        ]);
      }
    },
  );
});
