import { join } from "node:path";
import Database from "better-sqlite3";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Runtime } from "../../src/model/runtime.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { createDatabase, createDataDir, eachDatabase, type TestDatabase } from "../support/databases.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { testRuntime } from "../support/runtime.ts";
import { type CuttingProxy, cuttingProxy } from "./cutting-proxy.ts";
import { create, creation, everybody, openOn, put, readLog, segment, to, write } from "./store-fixtures.ts";

/** Executes statements on a connection of its own. */
async function execute(database: TestDatabase, text: { sqlite: string; postgres: string }): Promise<void> {
  if (database.kind === "sqlite") {
    const connection = new Database(join(database.dataDir, "troupe.sqlite"));
    connection.exec(text.sqlite);
    connection.close();
  } else {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(text.postgres);
    await client.end();
  }
}

/** Makes the database reject segments whose last index is 666. */
const refuse666 = {
  sqlite: `create trigger guilty before insert on segments when new.last_index = 666 begin select raise(abort, 'guilty'); end`,
  postgres: `create function guilty() returns trigger language plpgsql as
      $$ begin raise exception 'guilty' using errcode = '22000'; end $$;
    create trigger guilty before insert on segments for each row when (new.last_index = 666) execute function guilty()`,
};

eachDatabase("data that the database rejects", (openDatabase) => {
  test("fails only its own writes; the other writes of the flush are committed", async () => {
    const database = await openDatabase();
    const { store } = await openOn(database);
    const keys = await Promise.all(Array.from({ length: 20 }, (_, n) => create(store, { sessionId: `s${n}` })));
    await execute(database, refuse666);
    const created = { kind: "create", key: await store.nextRunKey(), run: creation({ sessionId: "new" }) } as const;
    for (const transition of [null, to("COMPLETED")]) {
      const first = transition === null ? 0 : 1;
      const guilty = transition === null ? [3, 17] : [0, 5, 6, 19];
      const writes = keys.map((key, n) =>
        write(key, {
          segment: guilty.includes(n) ? segment(666, 666, "x".repeat(40_000)) : segment(first, first),
          transition: n % 2 === 0 ? transition : null,
        }),
      );
      const outcomes = await store.append(transition === null ? writes : [...writes, created]);
      const kinds = outcomes.map((outcome) => outcome.kind);
      expect(kinds.slice(0, 20)).toEqual(keys.map((_, n) => (guilty.includes(n) ? "failed" : "committed")));
      if (transition !== null) expect(kinds[20]).toBe("created");
      for (const [n, key] of keys.entries()) {
        if (guilty.includes(n)) expect(await store.head(key)).toMatchObject({ status: "RUNNING" });
      }
    }
    expect(store.availability.available).toBe(true);
  });

  test("fails its creation (NaN as a time), and a write to that run is lost", async () => {
    const { store } = await openOn(await openDatabase());
    const [bad, good] = [await store.nextRunKey(), await store.nextRunKey()];
    const outcomes = await store.append([
      { kind: "create", key: bad, run: creation({ sessionId: "bad", createdAt: Number.NaN }) },
      { kind: "create", key: good, run: creation({ sessionId: "good" }) },
      write(bad, { segment: segment(0, 0) }),
      write(good, { segment: segment(0, 0) }),
    ]);
    expect(outcomes).toMatchObject([{ kind: "failed" }, { kind: "created" }, { kind: "lost" }, { kind: "committed" }]);
  });
});

test("on Postgres, a creation with NUL or a lone surrogate in an identifier fails, and the other creation of the flush succeeds", async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const { store } = await openOn({ kind: "postgres", url: database.url });
  for (const change of [
    { runId: "a\u0000b" },
    { sessionId: "a\u0000b" },
    { componentName: "\u0000" },
    { userId: "\ud800" },
  ]) {
    const [bad, good] = [await store.nextRunKey(), await store.nextRunKey()];
    const outcomes = await store.append([
      { kind: "create", key: bad, run: creation(change) },
      { kind: "create", key: good, run: creation() },
    ]);
    expect(outcomes).toMatchObject([{ kind: "failed" }, { kind: "created" }]);
  }
});

test("while another program locks the SQLite file, flushes wait for it without blocking the event loop", async () => {
  const folder = await createDataDir();
  onTestFinished(() => folder.remove());
  const { store } = await openOn({ kind: "sqlite", dataDir: folder.path });
  const key = await create(store);
  const foreign = new Database(join(folder.path, "troupe.sqlite"));
  foreign.exec("begin immediate");
  let turns = 0;
  const timer = setInterval(() => turns++, 5);
  setTimeout(() => {
    foreign.exec("rollback");
    foreign.close();
  }, 400);
  expect(await put(store, write(key, { segment: segment(0, 0) }))).toMatchObject({ kind: "committed" });
  expect(await store.renewProcess("p1", 1_000)).toMatchObject({ inTime: true });
  clearInterval(timer);
  expect(turns).toBeGreaterThan(5);
  expect(store.availability.available).toBe(true);
});

describe("a connection to Postgres that breaks", () => {
  async function openByProxy(
    options: { poolSize?: number; runtime?: Runtime } = {},
  ): Promise<{ store: Store; proxy: CuttingProxy }> {
    const database = await createDatabase();
    const proxy = await cuttingProxy(database.url);
    onTestFinished(async () => {
      await proxy.close();
      await database.drop();
    });
    const { store } = await openOn({ kind: "postgres", url: proxy.url }, options);
    return { store, proxy };
  }

  test.for(["before", "after"] as const)(
    "%s the server commits segments: the flush is retried and every segment is stored once",
    async (when) => {
      const { store, proxy } = await openByProxy();
      const keys = [await create(store, { sessionId: "a" }), await create(store, { sessionId: "b" })];
      await store.append(keys.map((key) => write(key, { segment: segment(0, 1) })));
      const isCut = proxy.cut("flush_", when);
      const outcomes = await store.append(keys.map((key) => write(key, { segment: segment(2, 4) })));
      await isCut;
      expect(outcomes).toMatchObject([{ kind: "committed" }, { kind: "committed" }]);
      for (const key of keys) expect(await readLog(store, key)).toBe(segment(0, 4).frames.toString());
      expect(await put(store, write(keys[0]!, { segment: segment(5, 5) }))).toMatchObject({ kind: "committed" });
    },
  );

  test.for(["before", "after"] as const)(
    "%s the server commits creations, ends and pauses: the flush is retried and applied once",
    async (when) => {
      const { store, proxy } = await openByProxy();
      const ending = await create(store, { sessionId: "a", sessionState: '{"n":1}' });
      const bare = await create(store, { sessionId: "b" });
      const waiting = await create(store, { sessionId: "a" });
      const [fresh, queued, again] = [await store.nextRunKey(), await store.nextRunKey(), await store.nextRunKey()];
      const isCut = proxy.cut("commit", when);
      const outcomes = await store.append([
        { kind: "create", key: fresh, run: creation({ sessionId: "c", runId: "fresh" }) },
        { kind: "create", key: queued, run: creation({ sessionId: "a", runId: "queued" }) },
        { kind: "create", key: again, run: creation({ sessionId: "c", runId: "fresh" }) },
        write(ending, {
          segment: segment(0, 3),
          statePatch: { set: { n: 2 }, remove: [] },
          transition: to("COMPLETED"),
        }),
        write(bare, { transition: to("PAUSED") }),
        write(waiting, { segment: segment(0, 0) }),
      ]);
      await isCut;
      expect(outcomes).toMatchObject([
        { kind: "created", status: "RUNNING", sessionSeq: 0 },
        { kind: "created", status: "PENDING", sessionSeq: 2 },
        { kind: "exists", key: fresh },
        { kind: "committed", waiting: true, watched: false },
        { kind: "committed", waiting: false, watched: false },
        { kind: "lost" },
      ]);
      expect(await store.head(ending)).toMatchObject({ status: "COMPLETED", nextIndex: 4 });
      expect(await store.head(bare)).toMatchObject({ status: "PAUSED" });
      expect(await readLog(store, ending)).toBe(segment(0, 3).frames.toString());
    },
  );

  test("after a claim was committed but not answered: the next claim returns the run", async () => {
    const { store, proxy } = await openByProxy({ poolSize: 1 });
    const key = await create(store, { startBy: null });
    await store.renewProcess("p1", 60_000);
    const isCut = proxy.cut("commit", "after");
    await expect(store.claim({ owner: "p1", slots: 3, orphans: true })).rejects.toMatchObject({ code: "unavailable" });
    await isCut;
    expect(await store.head(key)).toMatchObject({ status: "RUNNING", attempt: 1 });
    expect(await store.claim({ owner: "p1", slots: 3, orphans: true, key })).toEqual([]);
    expect(await store.claim({ owner: "p1", slots: 3, orphans: true })).toMatchObject([{ key, attempt: 1 }]);
    expect(await store.claim({ owner: "p1", slots: 3, orphans: true })).toEqual([]);
  });

  /** Delays every commit that changes rows of a table by 0.6 s. */
  async function slowCommits(url: string, table: string): Promise<void> {
    await execute(
      { kind: "postgres", url },
      {
        sqlite: "",
        postgres: `create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(0.6); return null; end $$;
          create constraint trigger slow after insert or update on ${table} deferrable initially deferred
            for each row execute function slow()`,
      },
    );
  }

  test("while a claim is being committed: the next claim waits for that commit and returns the run", async () => {
    const { store, proxy } = await openByProxy();
    const key = await create(store, { startBy: null });
    await store.renewProcess("p1", 60_000);
    await slowCommits(proxy.url, "run_heads");
    const isCut = proxy.cut("commit", "during");
    await expect(store.claim({ owner: "p1", slots: 3, orphans: true })).rejects.toMatchObject({ code: "unavailable" });
    await isCut;
    expect(await store.head(key)).toMatchObject({ status: "PENDING" });
    expect(await store.claim({ owner: "p1", slots: 3, orphans: true })).toMatchObject([{ key, attempt: 1 }]);
    expect(await store.head(key)).toMatchObject({ status: "RUNNING", attempt: 1 });
  });

  test.for([
    ["in a session that may exist", false, "commit"],
    ["in a new session", true, "flush_"],
  ] as const)(
    "after a creation %s was committed: if the run is deleted before the retry, the retry is refused",
    async ([, hasNewSession, word]) => {
      const held = Promise.withResolvers<void>();
      const clock: Runtime["clock"] = Object.create(testRuntime.clock, { sleep: { value: () => held.promise } });
      const { store, proxy } = await openByProxy({ runtime: { ...testRuntime, clock } });
      const other = (await openOn({ kind: "postgres", url: proxy.url })).store;
      await create(store, { sessionId: "before" });
      const key = await store.nextRunKey();
      const isCut = proxy.cut(word, "after");
      const outcome = put(store, { kind: "create", key, run: creation({ sessionId: "gone", hasNewSession }) });
      await isCut;
      // The server may still be executing the message that it received before the cut.
      await expect.poll(() => other.head(key)).toBeDefined();
      expect(await put(other, write(key, { transition: to("COMPLETED") }))).toMatchObject({ kind: "committed" });
      const session = await other.findSession(everybody, "gone");
      expect(await other.deleteSession(session?.key ?? -1)).toBe(true);
      held.resolve();
      expect(await outcome).toEqual({ kind: "refused", reason: "deleted" });
      expect(await other.findSession(everybody, "gone")).toBeUndefined();
      expect(
        await put(store, { kind: "create", key: await store.nextRunKey(), run: creation({ sessionId: "gone" }) }),
      ).toMatchObject({ kind: "created", sessionSeq: 0 });
    },
  );

  test("while a creation is delayed: if the retry's run is deleted before the delayed message arrives, the run stays deleted", async () => {
    const { store, proxy } = await openByProxy();
    await create(store, { sessionId: "before" });
    const key = await store.nextRunKey();
    const isDelayed = proxy.delay("flush_");
    const outcome = put(store, { kind: "create", key, run: creation({ sessionId: "gone", hasNewSession: true }) });
    const { deliver } = await isDelayed;
    expect(await outcome).toMatchObject({ kind: "created", status: "RUNNING" });
    await put(store, write(key, { transition: to("COMPLETED") }));
    const session = await store.findSession(everybody, "gone");
    expect(await store.deleteSession(session?.key ?? -1)).toBe(true);
    await deliver();
    expect(await store.head(key)).toBeUndefined();
    expect(await store.findSession(everybody, "gone")).toBeUndefined();
  });

  test("while a creation is delayed: if its start is withdrawn before the retry, the outcome is still created, so the caller can cancel the run", async () => {
    const { store, proxy } = await openByProxy();
    await create(store, { sessionId: "before" });
    const key = await store.nextRunKey();
    const isDelayed = proxy.delay("flush_");
    let isWithdrawn = false;
    const run = creation({ sessionId: "new", hasNewSession: true, isWithdrawn: () => isWithdrawn });
    const outcome = put(store, { kind: "create", key, run });
    const { deliver } = await isDelayed;
    isWithdrawn = true;
    expect(await outcome).toMatchObject({ kind: "created", status: "RUNNING" });
    await deliver();
    expect(await store.head(key)).toMatchObject({ status: "RUNNING", attempt: 1 });
    const next = creation({ sessionId: "next", isWithdrawn: () => isWithdrawn });
    expect(await put(store, { kind: "create", key: await store.nextRunKey(), run: next })).toEqual({
      kind: "refused",
      reason: "withdrawn",
    });
  });

  test.for([
    ["in a new session", { sessionId: "new" }, "RUNNING"],
    ["in a session that the creation calls new", { sessionId: "new", hasNewSession: true }, "RUNNING"],
    ["in a known session", { sessionId: "known" }, "PENDING"],
  ] as const)("while a creation %s is being committed: the run is created once", async ([, session, status]) => {
    const { store, proxy } = await openByProxy();
    await create(store, { sessionId: "known" });
    const key = await store.nextRunKey();
    await slowCommits(proxy.url, "runs");
    const isCut = proxy.cut("flush_", "during");
    expect(await put(store, { kind: "create", key, run: creation(session) })).toMatchObject({
      kind: "created",
      status,
    });
    await isCut;
    expect(await store.head(key)).toMatchObject({ status });
  });

  test.for([
    ["with a state patch", { set: { n: 2 }, remove: [] }],
    ["without a state patch", null],
  ] as const)("while a run's last flush %s is being committed: it is committed once", async ([, statePatch]) => {
    const { store, proxy } = await openByProxy();
    const key = await create(store, { sessionState: '{"n":1}' });
    await slowCommits(proxy.url, "run_heads");
    const child = { key: await store.nextRunKey(), runId: "child", parentKey: key, kind: "agent" } as const;
    const more = { componentId: "m", componentName: "M", userId: null, input: "{}", model: null, modelProvider: null };
    const isCut = proxy.cut("flush_", "during");
    const outcome = await put(
      store,
      write(key, {
        segment: segment(0, 3),
        members: [{ ...child, ...more, createdAt: 1, toolCallId: null }],
        messages: [{ runKey: key, position: 0, id: "m", createdAt: 1, body: "{}" }],
        statePatch,
        transition: to("COMPLETED"),
      }),
    );
    await isCut;
    expect(outcome).toMatchObject({ kind: "committed" });
    expect(await store.head(key)).toMatchObject({ status: "COMPLETED", nextIndex: 4 });
    expect(await readLog(store, key)).toBe(segment(0, 3).frames.toString());
  });

  test("thirty times in a row: no event is lost or repeated", async () => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    const { store } = await openOn({ kind: "postgres", url: database.url });
    const keys = await Promise.all(Array.from({ length: 8 }, (_, n) => create(store, { sessionId: `s${n}` })));
    const killer = new pg.Client({ connectionString: database.url });
    await killer.connect();
    // The number is limited: on a busy machine a connection attempt takes longer than the time to the next cut.
    const killing = (async () => {
      for (let n = 0; n < 30; n++) {
        await killer.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()",
        );
        await new Promise((resolve) => setTimeout(resolve, 15 + Math.random() * 60));
      }
    })();
    for (let n = 0; n < 120; n++) {
      const status = n === 119 ? to("COMPLETED") : null;
      const outcomes = await store.append(
        keys.map((key) =>
          write(key, {
            segment: segment(n, n),
            transition: status,
            statePatch: n % 7 === 0 ? { set: { n }, remove: [] } : null,
          }),
        ),
      );
      expect(outcomes.map((outcome) => outcome.kind)).toEqual(keys.map(() => "committed"));
    }
    await killing;
    await killer.end();
    for (const key of keys) {
      await expect
        .poll(() => store.head(key).catch(() => undefined))
        .toMatchObject({ status: "COMPLETED", nextIndex: 120 });
      expect(await readLog(store, key)).toBe(segment(0, 119).frames.toString());
    }
  });
});

describe("a Postgres server that is unavailable", () => {
  test("flushes wait until it is back, other calls reject as unavailable, and availability reports the outage", async () => {
    const server = await startPostgres();
    onTestFinished(() => server.dispose());
    const { store, signals } = await openOn({ kind: "postgres", url: server.url });
    const key = await create(store);
    const heard: string[] = [];
    signals.listen((signal) => heard.push(signal.topic));
    await server.kill();
    const pending = put(store, write(key, { segment: segment(0, 0) }));
    const made = put(store, { kind: "create", key: await store.nextRunKey(), run: creation({ sessionId: "later" }) });
    await expect.poll(() => store.availability.available).toBe(false);
    await expect(store.head(key)).rejects.toMatchObject({ code: "unavailable" });
    await expect(store.renewProcess("p1", 1_000)).rejects.toMatchObject({ code: "unavailable" });
    await expect(store.ping()).rejects.toMatchObject({ code: "unavailable" });
    await server.restart();
    expect(await pending).toMatchObject({ kind: "committed" });
    expect(await made).toMatchObject({ kind: "created" });
    expect(store.availability.available).toBe(true);
    expect(await store.head(key)).toMatchObject({ nextIndex: 1 });
    await expect.poll(() => heard).toContain("all");
    await store.ping();
  });

  test("a claim that timed out on a frozen server takes no run without its caller's knowledge", async () => {
    const server = await startPostgres();
    onTestFinished(() => server.dispose());
    const { store } = await openOn({ kind: "postgres", url: server.url });
    const key = await create(store, { startBy: null });
    await store.renewProcess("p1", 60_000);
    server.freeze();
    await expect(store.claim({ owner: "p1", slots: 3, orphans: true })).rejects.toMatchObject({ code: "unavailable" });
    server.thaw();
    const claimed: number[] = [];
    await expect
      .poll(async () => {
        const runs = await store.claim({ owner: "p1", slots: 3, orphans: true }).catch(() => []);
        claimed.push(...runs.map((run) => run.key));
        return [claimed, await store.head(key).catch(() => undefined)];
      })
      .toMatchObject([[key], { status: "RUNNING" }]);
  });

  test("closing the store rejects a waiting flush", async () => {
    const server = await startPostgres();
    onTestFinished(() => server.dispose());
    const { store } = await openOn({ kind: "postgres", url: server.url });
    const key = await create(store);
    await server.stop();
    const pending = put(store, write(key, { segment: segment(0, 0) }));
    const rejection = expect(pending).rejects.toThrow("closed");
    await expect.poll(() => store.availability.available).toBe(false);
    await store.close();
    await rejection;
  });

  test("flushes wait while the server is read-only", async () => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    const { store } = await openOn({ kind: "postgres", url: database.url });
    const key = await create(store);
    const name = new URL(database.url).pathname.slice(1);
    const alter = async (value: string): Promise<void> => {
      const client = new pg.Client({ connectionString: database.url, options: "-c default_transaction_read_only=off" });
      await client.connect();
      await client.query(`alter database ${name} set default_transaction_read_only = ${value}`);
      await client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()",
      );
      await client.end();
    };
    await alter("on");
    const pending = put(store, write(key, { segment: segment(0, 0) }));
    await expect.poll(() => store.availability.available).toBe(false);
    await alter("off");
    expect(await pending).toMatchObject({ kind: "committed" });
    expect(store.availability.available).toBe(true);
  });
});
