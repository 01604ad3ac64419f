/** The backups of Postgres that docs/operating.md describes: a dump, and a base backup with archived write-ahead log. */
import { execFile } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { checkPostgresDeeply } from "../../src/store/check/deep-check.ts";
import { createDatabase } from "../support/databases.ts";
import { querySql } from "../support/execute-sql.ts";
import { openServer } from "../support/open-server.ts";
import { findPostgresBinaries } from "../support/postgres-binaries.ts";
import { makeFolder, unprivilegedUser } from "../support/postgres-folders.ts";
import { startOnFolder, startPostgres } from "../support/postgres-server.ts";
import { hosted } from "../upgrade/app.ts";

vi.setConfig({ testTimeout: 180_000 });

const quiet = (): void => undefined;
const path = "/agents/talker/runs";

function binariesFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "troupe-binaries-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return findPostgresBinaries(folder);
}

async function soundRuns(url: string): Promise<number> {
  const { lost, findings, runs } = await checkPostgresDeeply(url, quiet);
  const others = findings.filter(({ problem }) => !problem.includes("fsync = off"));
  expect([lost, others]).toEqual([[], []]);
  return runs;
}

test("a dump that is made under load is restored, passes the deep check, and its live runs end", async ({ skip }) => {
  const binaries = binariesFolder();
  if (!existsSync(join(binaries, "pg_dump"))) skip("this machine has no pg_dump");
  const source = await createDatabase(inject("postgresUrl"));
  const target = await createDatabase(inject("postgresUrl"));
  onTestFinished(() => Promise.all([source.drop(), target.drop()]).then(() => undefined));
  const folder = mkdtempSync(join(tmpdir(), "troupe-dump-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const before = new Map<string, string>();
  {
    await using server = await openServer({ kind: "postgres", url: source.url }, hosted);
    for (let n = 0; n < 5; n++) {
      const stream = await server.client.stream(path, { message: "hello", session_id: `s-${n}` });
      await stream.closed;
      before.set(stream.runId, stream.events.map(({ raw }) => raw).join(""));
    }
    const live = await server.client.stream(path, { message: "slow", session_id: "s-live" });
    await live.until(10);
    const received = live.events.map(({ raw }) => raw).join("");
    const file = join(folder, "troupe.dump");
    const run = promisify(execFile);
    await run(join(binaries, "pg_dump"), ["--format=custom", `--file=${file}`, source.url]);
    await run(join(binaries, "pg_restore"), ["--no-owner", "--exit-on-error", `--dbname=${target.url}`, file]);
    before.set(live.runId, received);
    live.cut();
  }
  expect(await soundRuns(target.url)).toBe(6);
  const settings = { leaseDuration: 1_000, leaseRenewInterval: 200, sweepInterval: 100 };
  await using restored = await openServer({ kind: "postgres", url: target.url }, { ...hosted, settings });
  for (const [runId, bytes] of before) {
    const log = await restored.client.log("agents/talker", runId);
    expect(
      log
        .map(({ raw }) => raw)
        .join("")
        .slice(0, bytes.length),
    ).toBe(bytes);
    expect(log.at(-1)?.event).toBe("RunCompleted");
  }
});

test("a base backup and archived write-ahead log restore the database as it was at a chosen moment", async ({
  skip,
}) => {
  if (!existsSync(join(binariesFolder(), "pg_basebackup"))) skip("this machine has no pg_basebackup");
  const user = unprivilegedUser();
  const archive = makeFolder(user, tmpdir());
  onTestFinished(() => rmSync(archive, { recursive: true, force: true }));
  const settings = { archive_mode: "on", archive_command: `/bin/cp %p ${archive}/%f`, wal_level: "replica" };
  const primary = await startPostgres({ settings });
  onTestFinished(() => primary.dispose());
  const database = { kind: "postgres", url: primary.url } as const;
  const first: string[] = [];
  let copy = "";
  let moment = "";
  {
    await using server = await openServer(database, hosted);
    const start = async (): Promise<string> =>
      (await server.client.post(path, { message: "hello", stream: false })).body.run_id;
    first.push(await start());
    const restored = await startOnFolder(new URL(primary.url).password, {}, async ({ data, run }) => {
      const options = ["--checkpoint=fast", "--wal-method=none", "--no-sync"];
      await run("pg_basebackup", [`--dbname=${primary.url}`, `--pgdata=${data}`, ...options]);
      first.push(await start());
      await querySql(database, "select pg_sleep(0.2)");
      const [row] = await querySql<{ now: string }>(database, "select now()::text as now");
      moment = row?.now ?? "";
      await querySql(database, "select pg_sleep(0.2)");
      await start();
      await querySql(database, "select pg_switch_wal()");
      await vi.waitFor(
        async () => {
          const [row] = await querySql<{ done: boolean }>(
            database,
            "select last_archived_time > $$MOMENT$$::timestamptz + interval '0.2 s' as done from pg_stat_archiver".replace(
              "MOMENT",
              moment,
            ),
          );
          expect(row?.done).toBe(true);
        },
        { timeout: 30_000 },
      );
      appendFileSync(
        join(data, "postgresql.auto.conf"),
        [
          `restore_command = '/bin/cp ${archive}/%f %p'`,
          `recovery_target_time = '${moment}'`,
          "recovery_target_action = 'promote'",
          "archive_mode = 'off'",
          "",
        ].join("\n"),
      );
      writeFileSync(join(data, "recovery.signal"), "");
      chmodSync(join(data, "recovery.signal"), 0o644);
    });
    onTestFinished(() => restored.dispose());
    copy = restored.url;
  }
  await vi.waitFor(
    async () => {
      const [row] = await querySql<{ recovery: boolean }>(
        { kind: "postgres", url: copy },
        "select pg_is_in_recovery() as recovery",
      );
      expect(row?.recovery).toBe(false);
    },
    { timeout: 30_000 },
  );
  expect(await soundRuns(copy)).toBe(2);
  const rows = await querySql<{ run_id: string }>(
    { kind: "postgres", url: copy },
    "select run_id from runs order by key",
  );
  expect(rows.map(({ run_id }) => run_id)).toEqual(first);
});
