/** Reads from a standby, on a primary with streaming replication. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { noMeasurements, type StandbyOutcome } from "../../src/model/measurements.ts";
import type { OpenedStore } from "../../src/store/open.ts";
import { createDatabase } from "../support/databases.ts";
import { querySql } from "../support/execute-sql.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { type PostgresStandby, startStandby } from "../support/postgres-standby.ts";
import { testRuntime } from "../support/runtime.ts";
import { create, createEnded, everybody, isolated, openOn, put, segment, to, write } from "./store-fixtures.ts";

let primary: PostgresServer;
let standby: PostgresStandby;
beforeAll(async () => {
  primary = await startPostgres();
  standby = await startStandby(primary, { settings: { max_standby_streaming_delay: "100ms" } });
});
afterAll(async () => {
  await standby.server.dispose();
  await primary.dispose();
});

const component = { kind: "agent", componentId: "agent-1" } as const;
/** Longer than the pause after a read that the standby could not serve. */
const afterPause = 1_100;

interface Opened extends OpenedStore {
  readonly url: string;
  readonly reads: NonNullable<OpenedStore["reads"]>;
  /** Returns the outcomes since the last call. */
  outcomes(): readonly StandbyOutcome[];
  renew(): Promise<unknown>;
}

/** Opens a store on a fresh database of the primary. The standby has caught up, and has this process's lease. */
async function openBoth(readUrl: (url: string) => string = onStandby): Promise<Opened> {
  const { url, drop } = await createDatabase(primary.url);
  onTestFinished(drop);
  const opened = await openStoreOn(url, readUrl(url));
  await standby.catchUp();
  return opened;
}

async function openStoreOn(url: string, readDatabase: string): Promise<Opened> {
  const seen: StandbyOutcome[] = [];
  const measurements = { ...noMeasurements, standbyRead: (outcome: StandbyOutcome) => seen.push(outcome) };
  const processId = randomUUID();
  const runtime = { ...testRuntime, measurements };
  const opened = await openOn({ kind: "postgres", url }, { runtime, processId, readDatabase });
  const { store, reads } = opened;
  if (reads === undefined) throw new Error("There are no reads from the standby.");
  const renew = () => store.renewProcess(processId, 60_000);
  await renew();
  // The first read learns the primary's timeline; the next renewal is the token of this process.
  await reads.read(async () => undefined);
  expect(seen.splice(0)).toEqual(["behind"]);
  await renew();
  return { ...opened, url, reads, outcomes: () => seen.splice(0), renew };
}

/** The database of a URL, on the standby. */
function onStandby(url: string): string {
  return Object.assign(new URL(standby.server.url), { pathname: new URL(url).pathname }).href;
}

function execute(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  return querySql({ kind: "postgres", url }, text);
}

/** Ids of the listed runs, as a caller sees them. */
function listed({ reads }: Opened, caller = everybody): Promise<readonly string[]> {
  return reads.read(async ({ store }) => {
    const runs = await store.listRuns(caller, component);
    const rows = await store.listedRuns(
      runs.map(({ key }) => key),
      "roots",
    );
    return rows.map(({ runId, status }) => `${runId} ${status}`);
  });
}

/** Creates an ended run with events 0 to 9. */
async function createLogged({ store }: Opened, runId: string): Promise<number> {
  const key = await create(store, { runId, sessionId: runId });
  await put(store, write(key, { segment: segment(0, 4) }));
  await put(store, write(key, { segment: segment(5, 9), transition: to("COMPLETED") }));
  return key;
}

function textOf(segments: readonly { readonly frames: Buffer }[]): string {
  return Buffer.concat(segments.map(({ frames }) => frames)).toString();
}

const log = segment(0, 9).frames.toString();
const tail = segment(7, 9).frames.toString();

test("a standby that is up to date serves listings and logs of ended runs", async () => {
  const both = await openBoth();
  const runId = randomUUID();
  const key = await createLogged(both, runId);
  await standby.catchUp();

  expect(await listed(both)).toEqual([`${runId} COMPLETED`]);
  expect(textOf(await both.store.segments(key, -1, 1e6, true))).toBe(log);
  expect(textOf(await both.store.segments(key, 6, 1e6, true))).toContain(tail);

  expect(both.outcomes()).toEqual(["served", "served", "served"]);
  const name = new URL(both.url).pathname.slice(1);
  const last = `select query from pg_stat_activity where datname = '${name}' and application_name = 'troupe'`;
  expect(await execute(standby.server.url, last)).toEqual([{ query: expect.stringContaining("from segments") }]);
});

test("logs of unfinished runs are read from the primary", async () => {
  const both = await openBoth();
  const key = await create(both.store);
  await put(both.store, write(key, { segment: segment(0, 9) }));

  expect(textOf(await both.store.segments(key, -1, 1e6, false))).toBe(log);
  expect(textOf(await both.store.segments(key, -1, 1e6))).toBe(log);

  expect(both.outcomes()).toEqual([]);
});

test("every listing has the runs that were created, ended or deleted before it, while commits go on", async () => {
  const both = await openBoth();
  const states = new Map<string, string>();
  for (let round = 0; round < 60; round++) {
    const runId = randomUUID();
    const key = await create(both.store, { runId, sessionId: runId });
    states.set(runId, "RUNNING");
    if (round % 2 === 0) {
      await put(both.store, write(key, { transition: to("COMPLETED") }));
      states.set(runId, "COMPLETED");
    }
    if (round % 4 === 0) {
      await both.store.deleteRun(key);
      states.delete(runId);
    }
    expect(new Set(await listed(both))).toEqual(new Set([...states].map(([id, status]) => `${id} ${status}`)));
  }
  // How many depends on the machine: a read waits 100 ms for the standby, and a pause of a second follows.
  expect(both.outcomes()).toContain("served");
});

test("with paused replay, listings and logs come from the primary, and nothing is missing, old or back again", async () => {
  const both = await openBoth();
  const { store } = both;
  const [ended, deleted, moved, late] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const endedKey = await create(store, { runId: ended, sessionId: ended });
  await put(store, write(endedKey, { segment: segment(0, 4) }));
  const deletedKey = await createEnded(store, { runId: deleted, sessionId: deleted });
  await createEnded(store, { runId: moved, sessionId: moved, userId: "ann" });
  await standby.catchUp();
  await standby.pauseReplay();
  onTestFinished(() => standby.resumeReplay());

  await put(store, write(endedKey, { segment: segment(5, 9), transition: to("COMPLETED") }));
  await store.deleteRun(deletedKey);
  await both.access.adoptSessions();
  const lateKey = await createLogged(both, late);

  expect(await listed(both)).toEqual([`${ended} COMPLETED`, `${moved} COMPLETED`, `${late} COMPLETED`]);
  expect(await listed(both, isolated("ann"))).toEqual([`${moved} COMPLETED`]);
  expect(await listed(both, isolated(""))).toEqual([`${late} COMPLETED`]);
  expect(both.outcomes()).toEqual(["behind", "behind", "behind"]);

  // The standby has the first half of one log, and nothing of the other.
  expect(textOf(await store.segments(endedKey, -1, 1e6, true))).toBe(segment(0, 4).frames.toString());
  expect(textOf(await store.segments(endedKey, 4, 1e6, true))).toBe(segment(5, 9).frames.toString());
  expect(textOf(await store.segments(lateKey, -1, 1e6, true))).toBe(log);
  expect(both.outcomes()).toEqual(["served", "missing", "missing"]);

  // A standby without the last lease may have another history.
  await both.renew();
  expect(textOf(await store.segments(endedKey, -1, 1e6, true))).toBe(log);
  expect(both.outcomes()).toEqual(["behind"]);

  await standby.resumeReplay();
  await standby.catchUp();
  await sleep(afterPause);
  expect(await listed(both)).toHaveLength(3);
  expect(textOf(await store.segments(lateKey, -1, 1e6, true))).toBe(log);
  expect(both.outcomes()).toEqual(["served", "served"]);
});

test("while the standby is down, the primary serves; after its restart, the standby serves again", async () => {
  const both = await openBoth();
  const runId = randomUUID();
  const key = await createLogged(both, runId);
  await standby.catchUp();
  expect(await listed(both)).toHaveLength(1);
  expect(both.outcomes()).toEqual(["served"]);

  await standby.server.kill();
  expect(await listed(both)).toEqual([`${runId} COMPLETED`]);
  expect(textOf(await both.store.segments(key, -1, 1e6, true))).toBe(log);
  expect(await listed(both)).toHaveLength(1);
  expect(both.outcomes()).toEqual(["failed", "failed", "failed"]);

  await standby.server.restart();
  await both.renew();
  await standby.catchUp();
  await sleep(afterPause);
  expect(await listed(both)).toEqual([`${runId} COMPLETED`]);
  expect(textOf(await both.store.segments(key, -1, 1e6, true))).toBe(log);
  expect(both.outcomes()).toEqual(["served", "served"]);
});

test("a standby that does not answer delays a read by about a second, and the next reads not at all", async () => {
  const both = await openBoth();
  const runId = randomUUID();
  await createLogged(both, runId);
  expect(await listed(both)).toHaveLength(1);
  both.outcomes();

  standby.server.freeze();
  onTestFinished(() => standby.server.thaw());
  const begun = performance.now();
  expect(await listed(both)).toEqual([`${runId} COMPLETED`]);
  const delayed = performance.now();
  for (let times = 0; times < 10; times++) expect(await listed(both)).toHaveLength(1);
  // Ten reads that each wait for the standby would take ten seconds or more.
  expect(delayed - begun).toBeLessThan(9_000);
  expect(performance.now() - delayed).toBeLessThan(9_000);
  expect(new Set(both.outcomes())).toEqual(new Set(["failed"]));
});

test("a listing whose connection to the standby ends goes on from the primary", async () => {
  const both = await openBoth();
  const runId = randomUUID();
  await createLogged(both, runId);
  await standby.catchUp();
  const name = new URL(both.url).pathname.slice(1);
  const found = await both.reads.read(async ({ store }) => {
    const [run] = await store.listRuns(everybody, component);
    await execute(
      standby.server.url,
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}' and application_name = 'troupe'`,
    );
    return await store.listedRuns([run!.key], "roots");
  });
  expect(found.map((run) => run.runId)).toEqual([runId]);
  expect(both.outcomes()).toEqual(["failed"]);
});

test("a read that the replay cancels is read from the primary", async () => {
  const both = await openBoth();
  const runId = randomUUID();
  await createLogged(both, runId);
  await standby.catchUp();
  const blockers = [new pg.Client({ connectionString: both.url }), new pg.Client({ connectionString: both.url })];
  const [first, second] = blockers as [pg.Client, pg.Client];
  for (const one of blockers) await one.connect();
  onTestFinished(async () => {
    for (const one of blockers) await one.end();
  });
  // On the standby, the read has a lock on runs and waits for sessions. Then the replay takes the lock on runs.
  await first.query("begin; lock table sessions in access exclusive mode");
  await execute(both.url, "create table flushed ()");
  await standby.catchUp();
  const reading = listed(both);
  const waiting =
    "select count(*)::int as n from pg_stat_activity where application_name = 'troupe' and wait_event_type = 'Lock'";
  await expect.poll(async () => (await execute(standby.server.url, waiting))[0]?.n).toBe(1);
  await second.query("begin; lock table runs in access exclusive mode");
  await execute(both.url, "drop table flushed");
  // The read goes on to the primary, and waits there.
  await expect.poll(async () => (await execute(both.url, waiting))[0]?.n).toBe(1);
  for (const one of blockers) await one.query("rollback");

  expect(await reading).toEqual([`${runId} COMPLETED`]);
  expect(both.outcomes()).toEqual(["failed"]);
  const name = new URL(both.url).pathname.slice(1);
  const conflicts = `select confl_lock::int as n from pg_stat_database_conflicts where datname = '${name}'`;
  await expect.poll(async () => (await execute(standby.server.url, conflicts))[0]?.n).toBe(1);
});

test("of several hosts in its connection string, the standby serves", async () => {
  const both = await openBoth((url) => {
    const { host } = new URL(standby.server.url);
    return url.replace(/@([^/]+)/, `@$1,${host}`);
  });
  await createLogged(both, randomUUID());
  await standby.catchUp();

  expect(await listed(both)).toHaveLength(1);
  expect(both.outcomes()).toEqual(["served"]);
});

test("a server that is not a standby of the primary serves nothing", async () => {
  const itself = await openBoth((url) => url);
  const runId = randomUUID();
  await createLogged(itself, runId);
  expect(await listed(itself)).toEqual([`${runId} COMPLETED`]);
  expect(itself.outcomes()).toEqual(["foreign"]);
});

test("a standby with transactions that the promoted primary lacks serves nothing", async () => {
  const old = await startPostgres();
  onTestFinished(() => old.dispose());
  const next = await startStandby(old);
  onTestFinished(() => next.server.dispose());
  const ahead = await startStandby(old);
  onTestFinished(() => ahead.server.dispose());
  const before = await openStoreOn(old.url, ahead.server.url);
  const kept = randomUUID();
  await createLogged(before, kept);
  await next.catchUp();
  await next.server.stop();
  const lost = randomUUID();
  const key = await createLogged(before, lost);
  // The standby's position is beyond that of the new primary.
  await execute(old.url, "create table filler as select generate_series(1, 200000)");
  await ahead.catchUp();
  expect(await listed(before)).toHaveLength(2);
  expect(before.outcomes()).toEqual(["served"]);
  await old.kill();
  await next.server.restart();
  await next.promote();

  const after = await openStoreOn(next.server.url, ahead.server.url);
  expect(await listed(after)).toEqual([`${kept} COMPLETED`]);
  expect(await after.store.segments(key, -1, 1e6, true)).toEqual([]);
  expect(after.outcomes()).not.toContain("served");
});

test("a standby that is promoted serves nothing more", async () => {
  const old = await startPostgres();
  onTestFinished(() => old.dispose());
  const replica = await startStandby(old);
  onTestFinished(() => replica.server.dispose());
  const both = await openStoreOn(old.url, replica.server.url);
  await createLogged(both, randomUUID());
  await replica.catchUp();
  expect(await listed(both)).toHaveLength(1);
  await replica.promote();
  const runId = randomUUID();
  await createLogged(both, runId);

  expect(await listed(both)).toHaveLength(2);
  expect(both.outcomes()).toEqual(["served", "foreign"]);
});
