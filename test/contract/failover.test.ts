/** Several hosts in the connection string: the server that accepts writes is used, also after a failover. */
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { startPooler } from "../support/pooler.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { type PostgresStandby, startStandby } from "../support/postgres-standby.ts";
import { testRuntime } from "../support/runtime.ts";
import { create, openOn, put, readLog, segment, to, write } from "./store-fixtures.ts";

/** A connection string with the hosts of these URLs. */
function joined(urls: readonly string[], parameters = ""): string {
  const hosts = urls.map((url) => new URL(url).host).join(",");
  return (urls[0] ?? "").replace(/@[^/]*/, `@${hosts}`) + parameters;
}

async function startPair(): Promise<{ primary: PostgresServer; standby: PostgresStandby }> {
  const primary = await startPostgres();
  onTestFinished(() => primary.dispose());
  const standby = await startStandby(primary, { synchronous: true });
  onTestFinished(() => standby.server.dispose());
  return { primary, standby };
}

async function execute(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: "-c default_transaction_read_only=off" });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

describe("a connection string with a primary and a standby", () => {
  test("uses the primary in any order of the hosts, and skips a host that does not respond", async () => {
    const { primary, standby } = await startPair();
    const nobody = "postgres://troupe@127.0.0.1:1/postgres";
    for (const parameters of ["", "?target_session_attrs=read-write", "?target_session_attrs=primary"]) {
      const urls = [standby.server.url, nobody, primary.url];
      const { store } = await openOn({ kind: "postgres", url: joined(urls, parameters) });
      await create(store, { sessionId: `s${parameters}` });
      const [used, ...others] = [primary.url, ...urls].map((url) => new URL(url).host);
      expect(store.capabilities.label).toBe(`Postgres postgres at ${used} (of ${others.join(", ")})`);
    }
  });

  test("a start fails with the reason of every host if none accepts writes", async () => {
    const { primary, standby } = await startPair();
    await primary.killHard();
    const url = joined([primary.url, standby.server.url]);
    const opening = openStore({
      database: url,
      dataDir: "unused",
      migrate: true,
      runtime: testRuntime,
      processId: "p1",
    });
    await expect(opening).rejects.toThrow(/no host is usable: .*ECONNREFUSED.*; .*: the server accepts no writes/);
  });

  test("flushes, reads and signals continue at the standby that was promoted, with every committed event", async () => {
    const { primary, standby } = await startPair();
    const { store, signals } = await openOn({ kind: "postgres", url: joined([primary.url, standby.server.url]) });
    const other = await openOn({ kind: "postgres", url: joined([primary.url, standby.server.url]) });
    const key = await create(store);
    expect(await put(store, write(key, { segment: segment(0, 9) }))).toMatchObject({ kind: "committed" });

    await primary.killHard();
    const pending = put(store, write(key, { segment: segment(10, 19) }));
    await expect.poll(() => store.availability.available).toBe(false);
    await standby.promote();

    expect(await pending).toMatchObject({ kind: "committed" });
    expect(store.availability.available).toBe(true);
    expect(await readLog(store, key)).toBe(segment(0, 19).frames.toString());
    const heard: unknown[] = [];
    other.signals.listen((signal) => heard.push(signal));
    await expect
      .poll(() => {
        signals.publish({ topic: "run", key });
        return heard;
      })
      .toContainEqual({ topic: "run", key });
  });

  test("connections to a server that becomes read-only are closed, and its writes continue at the promoted standby", async () => {
    const { primary, standby } = await startPair();
    const { store } = await openOn({ kind: "postgres", url: joined([primary.url, standby.server.url]) });
    const key = await create(store);
    await store.renewProcess("p1", 60_000);
    await standby.promote();
    await execute(primary.url, "alter system set default_transaction_read_only = on", "select pg_reload_conf()");
    expect(await put(store, write(key, { segment: segment(0, 0) }))).toMatchObject({ kind: "committed" });
    const written = await openOn({ kind: "postgres", url: standby.server.url });
    await expect.poll(() => written.store.head(key).catch(() => undefined)).toMatchObject({ nextIndex: 1 });
    await expect
      .poll(() => store.renewProcess("p1", 60_000).catch((error: unknown) => error))
      .not.toBeInstanceOf(Error);
  });

  test("a primary that no longer responds is left for the promoted standby while its connections stay open", async () => {
    const { primary, standby } = await startPair();
    const { store } = await openOn({ kind: "postgres", url: joined([primary.url, standby.server.url]) });
    const key = await create(store);
    await Promise.all(Array.from({ length: 8 }, () => store.ping()));
    primary.freeze();
    await standby.promote();

    expect(await put(store, write(key, { segment: segment(0, 0) }))).toMatchObject({ kind: "committed" });
    await expect.poll(() => store.head(key).catch(() => undefined)).toMatchObject({ nextIndex: 1 });
    const end = { transition: to("COMPLETED"), segment: segment(1, 1) };
    expect(await put(store, write(key, end))).toMatchObject({ kind: "committed" });
  });

  test("behind a pooler, the direct connections move to the promoted standby, too", async () => {
    const { primary, standby } = await startPair();
    await using before = await startPooler(primary.url, 3);
    const direct = joined([primary.url, standby.server.url]);
    const place = { kind: "postgres", url: before.url } as const;
    const { store } = await openOn(place, { directDatabase: direct });
    const key = await create(store);
    await primary.killHard();
    await standby.promote();
    expect(await put(store, write(key, { segment: segment(0, 0) }))).toMatchObject({ kind: "committed" });
  });
});

describe("an asynchronous standby that was promoted without the newest commits", () => {
  test("a run's log has no hole: its writer is fenced, and another attempt continues after the last stored event", async () => {
    const primary = await startPostgres();
    onTestFinished(() => primary.dispose());
    const standby = await startStandby(primary);
    onTestFinished(() => standby.server.dispose());
    const url = joined([primary.url, standby.server.url]);
    const { store } = await openOn({ kind: "postgres", url }, { processId: "p1" });
    let losses = 0;
    store.onLostCommits?.(() => losses++);
    await store.renewProcess("p1", 60_000);
    const [open, ended] = [await create(store, { sessionId: "a" }), await create(store, { sessionId: "b" })];
    for (const key of [open, ended]) await put(store, write(key, { segment: segment(0, 4) }));
    await standby.catchUp();
    await execute(standby.server.url, "alter system set primary_conninfo = ''", "select pg_reload_conf()");
    await expect.poll(async () => (await streams(primary.url)).length).toBe(0);
    const end = { transition: to("COMPLETED"), segment: segment(5, 5) };
    expect(await put(store, write(ended, end))).toMatchObject({ kind: "committed" });
    expect(await put(store, write(open, { segment: segment(5, 9) }))).toMatchObject({ kind: "committed" });
    const created = await create(store, { sessionId: "c" });

    await primary.killHard();
    await standby.promote();

    const outcomes = await store.append([open, created].map((key) => write(key, { segment: segment(10, 10) })));
    expect(outcomes).toEqual([{ kind: "lost" }, { kind: "lost" }]);
    expect(losses).toBe(1);
    expect(await store.head(created)).toBeUndefined();
    await store.renewProcess("p2", 60_000);
    const claimed = await store.claim({ owner: "p2", slots: 9, orphans: true });
    expect(claimed.map(({ key, nextIndex }) => [key, nextIndex])).toEqual([
      [open, 5],
      [ended, 5],
    ]);
    const key = await create(store, { sessionId: "d" });
    expect(key).toBeGreaterThan(created + 64);
    expect(await put(store, write(key, { segment: segment(0, 0) }))).toMatchObject({ kind: "committed" });
    expect(losses).toBe(1);
  });

  test("no run is fenced if the standby has every commit", async () => {
    const primary = await startPostgres();
    onTestFinished(() => primary.dispose());
    const standby = await startStandby(primary);
    onTestFinished(() => standby.server.dispose());
    const { store } = await openOn({ kind: "postgres", url: joined([primary.url, standby.server.url]) });
    const key = await create(store);
    await put(store, write(key, { segment: segment(0, 4) }));
    await standby.catchUp();
    await primary.killHard();
    await standby.promote();
    expect(await put(store, write(key, { segment: segment(5, 5) }))).toMatchObject({ kind: "committed" });
  });
});

/** The standbys that receive the server's log. */
async function streams(url: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("select pid from pg_stat_replication");
  await client.end();
  return rows;
}
