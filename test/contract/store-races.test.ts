/** Several processes on one Postgres. */
import { randomUUID } from "node:crypto";
import pg from "pg";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { Store, Write } from "../../src/store/contract/store.ts";
import { appendConfig } from "../../src/store/postgres/client.ts";
import { RememberedSessions } from "../../src/store/postgres/flush/remembered-sessions.ts";
import { tryFlush } from "../../src/store/postgres/flush/try-flush.ts";
import { createDatabase } from "../support/databases.ts";
import { create, creation, everybody, openOn, put, readLog, segment, to, write } from "./store-fixtures.ts";

let url = "";

beforeEach(async (context) => {
  const database = await createDatabase();
  url = database.url;
  // The callback registered first runs last: stores and connections are closed before it.
  context.onTestFinished(() => database.drop());
});

async function openStores(count: number): Promise<Store[]> {
  const opened = await Promise.all(Array.from({ length: count }, () => openOn({ kind: "postgres", url })));
  return opened.map(({ store }) => store);
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
const pick = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)]!;

test.for([
  ["segments alone", {}],
  ["with a transition", { transition: to("COMPLETED") }],
  ["with a state patch", { statePatch: { set: { a: 1 }, remove: [] } }],
] as const)("a flush that waits while its run is claimed is lost: %s", async ([, change]) => {
  const [store] = (await openStores(1)) as [Store];
  const key = await create(store);
  const other = await create(store, { sessionId: "other" });
  const claimer = await connect();
  await claimer.query("begin");
  await claimer.query("update run_heads set attempt = attempt + 1, owner = 'p2' where run_key = $1", [key]);
  const pending = store.append([
    write(key, { segment: segment(0, 0), ...change }),
    write(other, { segment: segment(0, 0) }),
  ]);
  await pause(150);
  await claimer.query("commit");
  expect(await pending).toMatchObject([{ kind: "lost" }, { kind: "committed" }]);
  expect(await store.head(key)).toMatchObject({ status: "RUNNING", attempt: 2, nextIndex: 0 });
  expect(await store.findSession(everybody, "s")).toMatchObject({ state: "{}" });
});

test("the end of a run that waits for changes which it does not assume keeps these changes", async () => {
  const [store] = (await openStores(1)) as [Store];
  const key = await create(store, { hasNewSession: true });
  const other = await create(store, { hasNewSession: true, sessionId: "other" });
  const changer = await connect();
  await changer.query("begin");
  await changer.query("update run_heads set watched = 1 where run_key = $1", [key]);
  await changer.query(`update sessions set state = '{"a":1}', name = 'named' where session_id = 's'`);
  const end = { segment: segment(0, 0), transition: to("COMPLETED") };
  const pending = store.append([write(key, end), write(other, end)]);
  await pause(150);
  await changer.query("commit");
  expect(await pending).toMatchObject([
    { kind: "committed", watched: true },
    { kind: "committed", watched: false },
  ]);
  for (const ended of [key, other]) {
    expect(await store.head(ended)).toMatchObject({ status: "COMPLETED", nextIndex: 1 });
    expect(await readLog(store, ended)).not.toBe("");
  }
  expect(await store.findSession(everybody, "s")).toMatchObject({ state: '{"a":1}', name: "named", updatedAt: 2_000 });
  expect((await changer.query("select watched from run_heads order by run_key")).rows).toEqual([
    { watched: 1 },
    { watched: 0 },
  ]);
});

test("the end of a run that waits while another run joins its session returns waiting: true", async () => {
  const [store, beside] = (await openStores(2)) as [Store, Store];
  const key = await create(store, { hasNewSession: true });
  const holder = await connect();
  await holder.query("begin");
  await holder.query("select 1 from sessions where session_id = 's' for update");
  const made = create(beside);
  await pause(100);
  const ended = put(store, write(key, { segment: segment(0, 0), transition: to("COMPLETED") }));
  await pause(100);
  await holder.query("commit");
  const next = await made;
  expect(await ended).toMatchObject({ kind: "committed", waiting: true });
  expect(await store.claim({ owner: "p2", slots: 1, orphans: false })).toMatchObject([{ key: next }]);
});

test("a wrong assumption leaves no error in the database", async () => {
  const [store, beside] = (await openStores(2)) as [Store, Store];
  const key = await create(store, { hasNewSession: true });
  await create(beside);
  const client = await connect();
  const rollbacks = async (): Promise<unknown> =>
    (await client.query("select xact_rollback from pg_stat_database where datname = current_database()")).rows[0];
  const before = await rollbacks();
  expect(await put(store, write(key, { transition: to("COMPLETED") }))).toMatchObject({ waiting: true });
  await pause(1_100);
  expect(await rollbacks()).toEqual(before);
});

test("a creation that arrives after its run was deleted is rejected with an error of its own", async () => {
  const [store] = (await openStores(1)) as [Store];
  const client = new pg.Client(appendConfig(url));
  await client.connect();
  onTestFinished(() => client.end());
  const key = await store.nextRunKey();
  await client.query("insert into deleted_runs (run_key, deleted_at) values ($1, 0)", [key]);
  const late: Write = { kind: "create", key, run: creation({ hasNewSession: true }) };
  const query = vi.spyOn(client, "query");
  await expect(tryFlush(client, [late], false, new RememberedSessions())).rejects.toThrow();
  await expect(query.mock.results[0]?.value).rejects.toThrow("expected: Troupe");
  expect(await store.findSession(everybody, "s")).toBeUndefined();
});

test("a cancel request committed while a run ends prevents the end", async () => {
  const [store] = (await openStores(1)) as [Store];
  const key = await create(store);
  const canceller = await connect();
  await canceller.query("begin");
  await canceller.query("update run_heads set cancel_requested = 1 where run_key = $1", [key]);
  const pending = put(store, write(key, { transition: to("COMPLETED") }));
  await pause(150);
  await canceller.query("commit");
  expect(await pending).toEqual({ kind: "state", status: "RUNNING", cancelRequested: true });
});

test("if a run ends while another is created in its session, the end returns waiting: true exactly if the other is PENDING", async () => {
  const [one, two] = (await openStores(2)) as [Store, Store];
  const seen = new Set<string>();
  for (let n = 0; n < 60 || (n < 1_000 && seen.size < 2); n++) {
    const sessionId = `s${n}`;
    const first = await create(one, { sessionId });
    const key = await two.nextRunKey();
    const [end, made] = await Promise.all([
      pause(Math.random() * 4).then(() => put(one, write(first, { transition: to("COMPLETED") }))),
      pause(Math.random() * 4).then(() => put(two, { kind: "create", key, run: creation({ sessionId }) })),
    ]);
    const status = made.kind === "created" ? made.status : made.kind;
    expect(end).toEqual({ kind: "committed", waiting: status === "PENDING", watched: false });
    seen.add(status);
  }
  expect([...seen].sort()).toEqual(["PENDING", "RUNNING"]);
});

test("two processes that create one run id concurrently create one run", async () => {
  const stores = await openStores(2);
  for (let n = 0; n < 30; n++) {
    const runId = randomUUID();
    const outcomes = await Promise.all(
      stores.map(async (store, place) => {
        const key = await store.nextRunKey();
        const run = creation({ runId, sessionId: n % 2 === 0 ? `s${n}` : `s${n}-${place}` });
        return { key, outcome: await put(store, { kind: "create", key, run }) };
      }),
    );
    const made = outcomes.filter(({ outcome }) => outcome.kind === "created");
    expect(made).toHaveLength(1);
    const other = outcomes.find(({ outcome }) => outcome.kind === "exists");
    expect(other?.outcome).toEqual({ kind: "exists", key: made[0]!.key });
  }
});

test("of 60 runs that three processes create in one session, one starts, and every run gets its own sessionSeq", async () => {
  const stores = await openStores(3);
  const outcomes = await Promise.all(
    stores.map(async (store) => {
      const writes: Write[] = [];
      for (let n = 0; n < 20; n++) writes.push({ kind: "create", key: await store.nextRunKey(), run: creation() });
      const half = store.append(writes.slice(0, 10));
      return [...(await half), ...(await store.append(writes.slice(10)))];
    }),
  );
  const created = outcomes.flat().map((outcome) => (outcome.kind === "created" ? outcome : undefined));
  expect(created.filter((outcome) => outcome?.status === "RUNNING")).toHaveLength(1);
  const places = created.map((outcome) => outcome?.sessionSeq ?? -1).sort((a, b) => a - b);
  expect(places).toEqual(Array.from({ length: 60 }, (_, n) => n));
});

test("concurrent claims and creations keep every session's order, and each run is executed once", async () => {
  const stores = await openStores(3);
  const sessions = Array.from({ length: 5 }, (_, n) => `s${n}`);
  const total = 150;
  const running = new Map<string, number>();
  const started = new Map<string, number[]>();
  const finished = new Set<number>();
  let made = 0;

  /** Records that a process starts a run. */
  const begin = (sessionId: string, key: number, seq: number): void => {
    expect(running.get(sessionId)).toBeUndefined();
    running.set(sessionId, key);
    const before = started.get(sessionId) ?? [];
    started.set(sessionId, [...before, seq]);
  };
  const execute = async (
    store: Store,
    sessionId: string,
    key: number,
    attempt: number,
    nextIndex: number,
  ): Promise<void> => {
    expect(await put(store, write(key, { attempt, segment: segment(nextIndex, nextIndex) }))).toMatchObject({
      kind: "committed",
    });
    // After the commit another process may claim the next run of the session.
    running.delete(sessionId);
    if (Math.random() < 0.15) {
      started.get(sessionId)?.pop();
      expect(await store.release(key, attempt)).toBe(true);
    } else {
      expect(await put(store, write(key, { attempt, transition: to("COMPLETED") }))).toMatchObject({
        kind: "committed",
      });
      expect(finished.has(key)).toBe(false);
      finished.add(key);
    }
  };
  const process = async (store: Store, owner: string): Promise<void> => {
    while (finished.size < total) {
      if (made < total && Math.random() < 0.5) {
        made += 1;
        const sessionId = pick(sessions);
        const key = await store.nextRunKey();
        const outcome = await put(store, { kind: "create", key, run: creation({ sessionId, startBy: owner }) });
        if (outcome.kind === "created" && outcome.status === "RUNNING") {
          begin(sessionId, key, outcome.sessionSeq);
          await execute(store, sessionId, key, 1, 0);
        }
      }
      const claimed = await store.claim({ owner, slots: 1 + Math.floor(Math.random() * 3), orphans: false });
      for (const run of claimed) begin(run.sessionId, run.key, run.sessionSeq);
      await Promise.all(claimed.map((run) => execute(store, run.sessionId, run.key, run.attempt, run.nextIndex)));
    }
  };
  await Promise.all(stores.map((store, place) => process(store, `p${place}`)));
  expect(finished.size).toBe(total);
  for (const places of started.values()) expect(places).toEqual([...places].sort((a, b) => a - b));
});

test("concurrent claims take each orphaned run once", async () => {
  const stores = await openStores(3);
  const keys = await Promise.all(
    Array.from({ length: 60 }, (_, n) => create(stores[0]!, { sessionId: `s${n}`, startBy: "dead" })),
  );
  for (let n = 0; n < 12; n++) await stores[0]!.renewProcess(`p${n}`, 60_000);
  const claims = await Promise.all(
    Array.from({ length: 12 }, (_, n) => stores[n % 3]!.claim({ owner: `p${n}`, slots: 10, orphans: true })),
  );
  const taken = claims.flat().map((run) => run.key);
  taken.push(...(await stores[0]!.claim({ owner: "p0", slots: 99, orphans: true })).map((run) => run.key));
  expect(new Set(taken).size).toBe(taken.length);
  expect([...taken].sort((a, b) => a - b)).toEqual([...keys].sort((a, b) => a - b));
});

test("concurrent flushes, claims, cancels and deletes in the same sessions cause no deadlock", async () => {
  const stores = await openStores(3);
  const sessions = Array.from({ length: 6 }, (_, n) => `s${n}`);
  const end = Date.now() + 6_000;
  const counts = { committed: 0, created: 0 };

  await Promise.all(
    stores.map(async (store, place) => {
      const owner = `p${place}`;
      const mine = new Map<number, { attempt: number; next: number }>();
      const flushing = async (): Promise<void> => {
        while (Date.now() < end) {
          const writes: Write[] = [];
          // The hint is right for runs with a session of their own, and wrong for the others.
          const hints = Math.random() < 0.5;
          const creations = pick([0, 1, 4]);
          for (let n = 0; n < creations; n++) {
            const policy = pick(["queue", "parallel"] as const);
            const change = { startBy: owner, policy, hasNewSession: hints, maxWaiting: 1_000_000 };
            const run = creation({ ...change, sessionId: pick([...sessions, randomUUID()]) });
            writes.push({ kind: "create", key: await store.nextRunKey(), run });
          }
          for (const [key, { attempt, next }] of mine) {
            const ends = Math.random() < 0.4;
            mine.set(key, { attempt, next: next + 1 });
            if (ends) mine.delete(key);
            writes.push(
              write(key, {
                attempt,
                segment: segment(next, next),
                statePatch: !hints && Math.random() < 0.3 ? { set: { [`run ${key}`]: next }, remove: [] } : null,
                transition: ends ? to(pick(["COMPLETED", "ERROR", "CANCELLED", "PAUSED"])) : null,
              }),
            );
          }
          if (writes.length === 0) await pause(1);
          const shuffled = writes.sort(() => Math.random() - 0.5);
          const outcomes = await store.append(shuffled);
          for (const [n, outcome] of outcomes.entries()) {
            const sent = shuffled[n]!;
            expect(["committed", "created", "state"]).toContain(outcome.kind);
            if (outcome.kind === "committed") counts.committed += 1;
            if (outcome.kind === "state") mine.delete(sent.key);
            if (outcome.kind !== "created") continue;
            counts.created += 1;
            if (outcome.status === "RUNNING") mine.set(sent.key, { attempt: 1, next: 0 });
          }
        }
      };
      const claiming = async (): Promise<void> => {
        while (Date.now() < end) {
          for (const run of await store.claim({ owner, slots: 3, orphans: false }))
            mine.set(run.key, { attempt: run.attempt, next: run.nextIndex });
          await pause(5);
        }
      };
      const meddling = async (): Promise<void> => {
        while (Date.now() < end) {
          const [key] = [...mine.keys()];
          if (key !== undefined) await store.requestCancel(key);
          for (const done of await store.uncompacted(2)) {
            await store.compact(done, 10_000);
            if (Math.random() < 0.5) await store.deleteRun(done);
          }
          await store.renewProcess(owner, 60_000);
          await pause(10);
        }
      };
      await Promise.all([flushing(), claiming(), meddling()]);
    }),
  );

  const client = await connect();
  // Postgres reports the statistics of a connection after it has ended.
  await Promise.all(stores.map((store) => store.close()));
  await pause(200);
  const { rows } = await client.query("select deadlocks::int from pg_stat_database where datname = current_database()");
  expect(rows[0].deadlocks).toBe(0);
  expect(counts.created).toBeGreaterThan(20);
  expect(counts.committed).toBeGreaterThan(20);
});

test("another process reads every byte of a log while it is written and compacted", async () => {
  const [one, two] = (await openStores(2)) as [Store, Store];
  const key = await create(one);
  const writing = (async () => {
    for (let n = 0; n < 100; n++) await put(one, write(key, { segment: segment(n * 2, n * 2 + 1) }));
    await put(one, write(key, { transition: to("COMPLETED") }));
    await one.compact(key, 2_000);
  })();
  let text = "";
  for (let cursor = -1; ; ) {
    const head = (await two.head(key))!;
    const tail = cursor + 1 < head.nextIndex ? await readLog(two, key, cursor, 1_500) : "";
    text += tail;
    cursor += tail.split("\n\n").length - 1;
    if (head.status === "COMPLETED" && cursor + 1 >= head.nextIndex) break;
  }
  await writing;
  expect(text).toBe(segment(0, 199).frames.toString());
});

test("of several runs that replace one run concurrently, one is created and the others are refused", async () => {
  const stores = await openStores(4);
  const first = stores[0] as Store;
  for (let round = 0; round < 10; round++) {
    const old = await create(first, { sessionId: `s-${round}` });
    await put(first, write(old, { transition: to("COMPLETED") }));
    const outcomes = await Promise.all(
      stores.map(async (store) =>
        put(store, {
          kind: "create",
          key: await store.nextRunKey(),
          run: creation({ sessionId: `s-${round}`, replaces: old }),
        }),
      ),
    );
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["created", "refused", "refused", "refused"]);
  }
});

test("a repeated start with a reservation never creates its run again while the run is being deleted", async () => {
  const [one, other] = (await openStores(2)) as [Store, Store];
  for (let round = 0; round < 20; round++) {
    const runId = randomUUID();
    const change = { runId, reservation: runId, sessionId: `r-${round}` };
    await one.reserveIdempotencyKey({ digest: runId, runId, fingerprint: "asked", at: 1_000, since: 0 });
    const key = await create(one, change);
    await put(one, write(key, { transition: to("COMPLETED") }));
    const late = async () => put(other, { kind: "create", key: await other.nextRunKey(), run: creation(change) });
    const [outcome] = await Promise.all([late(), one.deleteRun(key)]);
    expect(["exists", "refused"]).toContain(outcome.kind);
    expect(await one.findRun(everybody, runId)).toBeUndefined();
  }
});
