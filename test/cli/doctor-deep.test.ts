/** `troupe doctor --deep`: each planted defect is found, with what to do about it. */
import pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { checkPostgresDeeply, checkSqliteDeeply, type DeepCheck } from "../../src/store/check/deep-check.ts";
import { createDatabase, eachDatabase, type TestDatabase } from "../support/databases.ts";
import { executeSql } from "../support/execute-sql.ts";
import { openServer } from "../support/open-server.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { startStandby } from "../support/postgres-standby.ts";
import { fillFromPrevious } from "../support/previous-release.ts";
import { hosted } from "../upgrade/app.ts";
import { appFile, workplace } from "./support/troupe.ts";

vi.setConfig({ testTimeout: 120_000 });

const quiet = (): void => undefined;

/** Checks a database. The Postgres servers of the tests do not wait for their disks: this finding is left out. */
async function check(database: TestDatabase): Promise<DeepCheck> {
  if (database.kind === "sqlite") return await checkSqliteDeeply(`${database.dataDir}/troupe.sqlite`, quiet);
  const found = await checkPostgresDeeply(database.url, quiet);
  return { ...found, findings: found.findings.filter(({ problem }) => !problem.includes("fsync = off")) };
}

const problems = ({ findings }: DeepCheck): string[] => findings.map(({ problem }) => problem);

/** A migrated database with rows of every kind. Its server has stopped. */
async function fill(database: TestDatabase): Promise<void> {
  await fillFromPrevious(database);
  await using server = await openServer(database, { ...hosted, retention: { events: false } });
  for (const path of ["agents/talker", "teams/desk"]) {
    const { body } = await server.client.post(`/${path}/runs`, {
      message: "hi",
      stream: false,
      session_id: `s-${path}`,
    });
    expect(body.status).toBe("COMPLETED");
  }
  const forked = await server.client.post("/agents/talker/sessions/session-history/fork", { stream: false });
  expect(forked.status).toBeLessThan(300);
}

/** Defects of the rows: a statement that plants each, and what finds it. */
const rowDefects: readonly (readonly [name: string, plant: string, found: RegExp])[] = [
  ["a gap in a log", "delete from segments where run_key = LONG and first_index = 0", /a part of the log is missing/],
  [
    "a log without its end",
    "delete from segments where run_key = ENDED and last_index = (select max(last_index) from segments where run_key = ENDED)",
    /its log ends with|has no events/,
  ],
  [
    "bytes that are no events",
    "update segments set encoding = 0, frames = BYTES where run_key = ENDED",
    /its events from/,
  ],
  [
    "messages without a run",
    "update messages set run_key = 999999 where position = 0 and run_key = ENDED",
    /messages refer to a missing row of runs/,
  ],
  [
    "a run without a session",
    "delete from sessions where key = (select session_key from runs where key = ENDED)",
    /runs refer to a missing row of sessions/,
  ],
  ["a fire without a schedule", "delete from schedules", /schedule_fires refer to a missing row of schedules/],
  ["a missing index", "drop index runs_listed", /the index runs_listed.* is missing/],
  [
    "a changed index",
    "drop index runs_id; create index runs_id on runs (run_id)",
    /the index runs_id is not that of the migrations/,
  ],
];

eachDatabase(
  "a deep check",
  (openDatabase, kind) => {
    test("finds nothing in a sound database, with a live server and an empty one", async () => {
      const database = await openDatabase();
      await fill(database);
      {
        await using server = await openServer(database, { ...hosted, retention: { events: false } });
        const live = await server.client.stream("/agents/talker/runs", { message: "slow", session_id: "s-live" });
        await live.until(5);
        const found = await check(database);
        expect([found.lost, found.findings]).toEqual([[], []]);
        expect(found.runs).toBeGreaterThan(20);
        live.cut();
      }
    });

    test.each(rowDefects)("finds %s", async (_, plant, found) => {
      const database = await openDatabase();
      await fill(database);
      const ended =
        "(select min(r.key) from runs r join run_heads h on h.run_key = r.key where h.status = 'COMPLETED' and r.session_seq is not null)";
      const long = "(select run_key from segments group by run_key having count(*) > 1 limit 1)";
      await executeSql(
        database,
        plant
          .replaceAll("ENDED", ended)
          .replaceAll("LONG", long)
          .replaceAll("BYTES", kind === "sqlite" ? "x'78'" : "'x'"),
      );
      const result = await check(database);
      const all = [...result.lost, ...problems(result)];
      expect(all).toContainEqual(expect.stringMatching(found));
      // One defect may leave rows behind, and no other kind of finding.
      expect(all.filter((text) => !found.test(text) && !text.includes("refer to a missing row"))).toEqual([]);
      for (const { remedy } of result.findings) expect(remedy).toMatch(/^[A-Z].*[.;]$/);
    });

    test(`reports an older schema without further findings on ${kind}`, async () => {
      const database = await openDatabase();
      await fillFromPrevious(database);
      const { migration, findings } = await check(database);
      expect(migration.applied).toBeLessThan(migration.known);
      expect(findings).toEqual([]);
    });
  },
  "empty",
);

test("a deep check of Postgres finds an invalid index, a table without statistics, and statements without an index", async () => {
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  const database = { kind: "postgres", url } as const;
  await (await openServer(database, hosted)).end(0);
  await executeSql(
    database,
    `alter table messages set (autovacuum_enabled = off);
     insert into messages (run_key, position, id, created_at, body) select i, 0, 'm', 0, '{}' from generate_series(1, 20000) i;
     alter table messages drop constraint messages_pkey;
     update pg_index set indisvalid = false where indexrelid = 'runs_id'::regclass`,
  );
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("select pg_stat_force_next_flush()").catch(() => undefined);
  await client.end();
  const found = problems(await check(database));
  for (const expected of [
    /the index runs_id of runs is invalid/,
    /the index messages_pkey of messages is missing/,
    /the table messages has about 20000 rows, and was never analyzed/,
    /frequent statements read the whole table messages/,
  ])
    expect(found).toContainEqual(expect.stringMatching(expected));
});

test("a deep check of Postgres lists standbys, and finds a missing synchronous standby and a server that is one", async () => {
  const primary = await startPostgres();
  onTestFinished(() => primary.dispose());
  const database = { kind: "postgres", url: primary.url } as const;
  await (await openServer(database, hosted)).end(0);
  expect((await check(database)).replication).toBe("no standby");
  const standby = await startStandby(primary, { synchronous: true });
  const sound = await check(database);
  expect(sound.replication).toMatch(/^standbys: \S+ \(streaming, sync\)$/);
  expect(problems(sound)).toEqual([]);
  await standby.catchUp();
  const both = standby.server.url.replace(/@[^/]*/, (host) => `${host},${new URL(primary.url).host}`);
  for (const parameters of ["", "?target_session_attrs=read-write"])
    expect((await check({ kind: "postgres", url: both + parameters })).replication).toBe(sound.replication);
  expect(problems(await check({ kind: "postgres", url: standby.server.url }))).toContainEqual(
    expect.stringMatching(/^the server is a standby/),
  );
  await standby.server.dispose();
  await vi.waitFor(
    async () =>
      expect(problems(await check(database))).toContainEqual(expect.stringMatching(/no such standby is connected/)),
    { timeout: 30_000 },
  );
});

test("doctor --deep on Postgres prints the findings with remedies and exits with 1", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  await place.troupe(`migrate --database ${url}`);
  const command = `doctor --deep --port 0 --database ${url}`;
  const fine = await place.troupe(command);
  // The server of the tests does not wait for its disk, which is a finding.
  expect(fine.stdout).toMatch(
    /^PROBLEM +data +0 runs and 0 events read; migration \d+; no standby\n +the server runs with fsync = off/m,
  );
  await executeSql({ kind: "postgres", url }, "drop index runs_listed");
  const { code, stdout } = await place.troupe(command);
  expect(stdout).toMatch(
    /^ +the index runs_listed of runs is missing\. Create it: create index runs_listed on runs \(/m,
  );
  expect(code).toBe(1);
});
