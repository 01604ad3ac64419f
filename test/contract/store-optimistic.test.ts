/** Optimistic flushes assume that no other process changed a run's session. A wrong assumption must not change any outcome. */
import pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ModelUsage } from "../../src/model/run/message.ts";
import type { RunCreation, Write } from "../../src/store/contract/store.ts";
import { appendConfig } from "../../src/store/postgres/client.ts";
import { RememberedSessions } from "../../src/store/postgres/flush/remembered-sessions.ts";
import { createDatabase, eachDatabase } from "../support/databases.ts";
import {
  create,
  createEnded,
  creation,
  eachStore,
  everybody,
  openOn,
  put,
  readLog,
  segment,
  to,
  write,
} from "./store-fixtures.ts";

const begins = (change: Partial<RunCreation> = {}): Partial<RunCreation> => ({ hasNewSession: true, ...change });

function used(tokens: number): { readonly usage: readonly ModelUsage[] } {
  return { usage: [{ id: "m", provider: "p", input_tokens: tokens, output_tokens: 0, total_tokens: tokens }] };
}

eachStore("an optimistic flush", (openDatabase) => {
  test("makes a run PENDING if its session, assumed new, already has a running run", async () => {
    const { store } = await openOn(await openDatabase());
    await create(store, { sessionState: '{"a":1}' });
    const key = await store.nextRunKey();
    expect(await put(store, { kind: "create", key, run: creation(begins()) })).toMatchObject({
      ...{ kind: "created", status: "PENDING", sessionSeq: 1, sessionState: '{"a":1}' },
    });
  });

  test("of two runs in one session, assumed new, starts the first and makes the second PENDING", async () => {
    const { store } = await openOn(await openDatabase());
    const keys = [await store.nextRunKey(), await store.nextRunKey()];
    const made = await store.append(keys.map((key) => ({ kind: "create", key, run: creation(begins()) })));
    expect(made).toMatchObject([
      { status: "RUNNING", sessionSeq: 0 },
      { status: "PENDING", sessionSeq: 1 },
    ]);
    expect(await put(store, write(keys[0]!, { transition: to("COMPLETED") }))).toMatchObject({ waiting: true });
    expect(await store.claim({ owner: "p1", slots: 1, orphans: false })).toMatchObject([{ key: keys[1] }]);
  });

  test("with the same run id twice creates one run and one session", async () => {
    const { store } = await openOn(await openDatabase());
    const keys = [await store.nextRunKey(), await store.nextRunKey()];
    const twice = keys.map((key) => creation(begins({ runId: "run-1", sessionId: `session of ${key}` })));
    const made = await store.append(keys.map((key, n) => ({ kind: "create", key, run: twice[n]! })));
    expect(made).toMatchObject([{ kind: "created" }, { kind: "exists", key: keys[0] }]);
    expect(await store.findSession(everybody, `session of ${keys[1]}`)).toBeUndefined();
  });

  test("of a run's end returns waiting: true if its session, assumed new, got another run", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store, begins());
    const next = await create(store);
    expect(await put(store, write(key, { transition: to("COMPLETED") }))).toMatchObject({ waiting: true });
    expect(await store.claim({ owner: "p1", slots: 1, orphans: false })).toMatchObject([{ key: next }]);
  });

  test("of a run's end returns waiting: true if a paused run of the session was continued", async () => {
    const { store } = await openOn(await openDatabase());
    const paused = await create(store, begins());
    await put(store, write(paused, { transition: to("PAUSED") }));
    const key = await create(store, begins());
    await store.continueRun(paused, 1, []);
    expect(await put(store, write(key, { transition: to("COMPLETED") }))).toMatchObject({ waiting: true });
  });

  test("of a run's end adds its tokens to those of a parallel run", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store, begins({ policy: "parallel" }));
    const beside = await create(store, begins({ policy: "parallel" }));
    await put(store, write(beside, { transition: { ...to("COMPLETED"), ...used(3) } }));
    await put(store, write(key, { transition: { ...to("COMPLETED"), ...used(4) } }));
    const session = await store.findSession(everybody, "s");
    expect(JSON.parse(session?.usage ?? "")).toMatchObject([{ id: "m", total_tokens: 7 }]);
  });

  test("does not assign a sessionSeq twice after a parallel run was created and ended", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store, begins({ policy: "parallel" }));
    await createEnded(store, { policy: "parallel" });
    await put(store, write(key, { transition: to("COMPLETED") }));
    const next = { kind: "create", key: await store.nextRunKey(), run: creation() } as const;
    expect(await put(store, next)).toMatchObject({ kind: "created", sessionSeq: 2 });
  });

  test("of a run's end adds its tokens to those of a run that was paused and then ended", async () => {
    const { store } = await openOn(await openDatabase());
    const paused = await create(store, { policy: "parallel" });
    await put(store, write(paused, { transition: to("PAUSED") }));
    const key = await create(store, { policy: "parallel" });
    await store.continueRun(paused, 1, []);
    await store.claim({ owner: "p1", slots: 1, orphans: false });
    await put(store, write(paused, { attempt: 2, transition: { ...to("COMPLETED"), ...used(3) } }));
    await put(store, write(key, { transition: { ...to("COMPLETED"), ...used(4) } }));
    const session = await store.findSession(everybody, "s");
    expect(JSON.parse(session?.usage ?? "")).toMatchObject([{ id: "m", total_tokens: 7 }]);
  });

  test("with a state patch changes only the patched keys", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store, begins({ sessionState: '{"a":1}' }));
    await put(store, write(key, { statePatch: { set: { b: 2 }, remove: [] }, transition: to("COMPLETED") }));
    expect(JSON.parse((await store.findSession(everybody, "s"))?.state ?? "")).toEqual({ a: 1, b: 2 });
  });

  test("of a watched run's end returns watched: true", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store, begins());
    const other = await create(store, begins({ sessionId: "other" }));
    await store.watch(key);
    const ends = [other, key].map((of) => write(of, { transition: to("COMPLETED") }));
    expect(await store.append(ends)).toMatchObject([{ watched: false }, { watched: true }]);
  });

  test("with a message of a taken-over run resets its stalledTakeovers", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store);
    await store.claim({ owner: "p2", slots: 1, orphans: true });
    const messages = [{ runKey: key, position: 0, id: "m", createdAt: 0, body: "{}" }];
    const start = { kind: "create", key: await store.nextRunKey(), run: creation(begins({ sessionId: "o" })) } as const;
    await store.append([start, write(key, { attempt: 2, segment: segment(0, 0), messages })]);
    const claimed = await store.claim({ owner: "p3", slots: 1, orphans: true, key });
    expect(claimed).toMatchObject([{ key, attempt: 3, stalledTakeovers: 1 }]);
  });

  test("of a run that replaces another sets replacedBy of the other", async () => {
    const { store } = await openOn(await openDatabase());
    const old = await createEnded(store, { runId: "old" });
    await create(store, begins({ runId: "new", sessionId: "new", replaces: old }));
    expect(await store.findRun(everybody, "old")).toMatchObject({ replacedBy: "new" });
  });

  test("of a run with a cancel request commits no end but CANCELLED", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store, begins());
    const other = await create(store, begins({ sessionId: "other" }));
    await store.requestCancel(key);
    const end = (of: number): Write => write(of, { segment: segment(0, 0), transition: to("COMPLETED") });
    expect(await store.append([end(key), end(other)])).toMatchObject([
      { kind: "state", status: "RUNNING", cancelRequested: true },
      { kind: "committed" },
    ]);
    expect(await readLog(store, key)).toBe("");
    expect(await put(store, write(key, { transition: to("CANCELLED") }))).toMatchObject({ kind: "committed" });
  });

  test("loses the write of a run that another process claimed, and commits the others", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store, begins());
    const other = await create(store, begins({ sessionId: "other" }));
    await store.claim({ owner: "p2", slots: 5, orphans: true });
    const made = await store.nextRunKey();
    const outcomes = await store.append([
      { kind: "create", key: made, run: creation(begins({ sessionId: "third" })) },
      write(key, { segment: segment(0, 0), transition: to("COMPLETED") }),
      write(other, { attempt: 2, segment: segment(0, 0), transition: to("COMPLETED") }),
    ]);
    expect(outcomes).toMatchObject([{ kind: "created" }, { kind: "lost" }, { kind: "committed" }]);
    expect(await store.head(key)).toMatchObject({ status: "RUNNING", attempt: 2 });
  });

  test("refuses a creation without a valid reservation, and does not create its session", async () => {
    const { store } = await openOn(await openDatabase());
    await store.reserveIdempotencyKey({ digest: "there", runId: "run-1", fingerprint: "", at: 1_000, since: 0 });
    const start = async (runId: string, reservation: string) =>
      ({
        kind: "create",
        key: await store.nextRunKey(),
        run: creation(begins({ runId, reservation, sessionId: runId })),
      }) as const;
    const refused = { kind: "refused", reason: "unreserved" };
    expect(await put(store, await start("run-2", "there"))).toMatchObject(refused);
    const outcomes = await store.append([await start("run-2", "gone"), await start("run-1", "there")]);
    expect(outcomes).toMatchObject([refused, { kind: "created" }]);
    expect(await store.findSession(everybody, "run-2")).toBeUndefined();
  });

  test("with the id of an existing run returns exists", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store, begins({ runId: "run-1" }));
    const again = { kind: "create", key: await store.nextRunKey(), run: creation(begins({ runId: "run-1" })) } as const;
    expect(await put(store, again)).toEqual({ kind: "exists", key });
  });
});

eachDatabase("an optimistic flush with invalid data", (openDatabase) => {
  test("fails the creation that cannot be stored, and commits the others", async () => {
    const { store } = await openOn(await openDatabase());
    const [bad, good] = [await store.nextRunKey(), await store.nextRunKey()];
    const outcomes = await store.append([
      { kind: "create", key: bad, run: creation(begins({ sessionId: "bad", createdAt: Number.NaN })) },
      { kind: "create", key: good, run: creation(begins({ sessionId: "good" })) },
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(["failed", "created"]);
  });
});

test("an optimistic flush whose assumptions hold takes one round trip", async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  await openOn({ kind: "postgres", url: database.url });
  const client = new pg.Client(appendConfig(database.url));
  onTestFinished(() => client.end());
  await client.connect();
  const query = vi.spyOn(client, "query");
  const remembered = new RememberedSessions();
  // A process composes a bounded number of statements, and other test files of this process may have used them up.
  vi.resetModules();
  const { tryFlush } = await import("../../src/store/postgres/flush/try-flush.ts");
  const flush = async (...writes: Write[]): Promise<unknown[]> => {
    query.mockClear();
    const outcomes = await tryFlush(client, writes, false, remembered);
    expect(outcomes.map(({ kind }) => kind)).toEqual(
      writes.map(({ kind }) => (kind === "run" ? "committed" : "created")),
    );
    return query.mock.calls.map(([sent]) => (typeof sent === "string" ? sent : (sent as { name: string }).name));
  };
  const made = (key: number, change: Partial<RunCreation>): Write => {
    return { kind: "create", key, run: creation({ ...change, sessionId: `session of ${key}` }) };
  };
  const ends = (key: number): Write => write(key, { segment: segment(1, 1), transition: to("COMPLETED") });

  expect(await flush(made(1, begins()))).toEqual(["flush_c"]);
  expect(await flush(write(1, { segment: segment(0, 0) }))).toEqual(["flush_re"]);
  expect(await flush(made(2, begins()), write(1, { segment: segment(1, 1) }))).toEqual(["flush_rec"]);
  const end = write(1, { segment: segment(2, 2), transition: to("COMPLETED") });
  expect(await flush(end, ends(2))).toEqual(["flush_rsehvp"]);
  // A session that may exist is looked up once, and then remembered.
  expect(await flush(made(3, {}))).toContain("lock_sessions");
  expect(await flush(ends(3))).toEqual(["flush_rsehvp"]);
  // The second of two creations with one run id creates nothing.
  query.mockClear();
  const twice = [made(4, begins({ runId: "twice" })), made(5, begins({ runId: "twice" }))];
  expect(await tryFlush(client, twice, false, remembered)).toMatchObject([
    { kind: "created" },
    { kind: "exists", key: 4 },
  ]);
  expect(query).toHaveBeenCalledTimes(1);
});
