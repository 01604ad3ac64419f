import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { startStandby } from "../support/postgres-standby.ts";

async function rows(server: PostgresServer, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test("a synchronous standby has every committed row after the primary is killed, and accepts writes after its promotion", async () => {
  const primary = await startPostgres();
  onTestFinished(() => primary.dispose());
  await rows(primary, "create table t (a int)");
  const standby = await startStandby(primary, { synchronous: true });
  onTestFinished(() => standby.server.dispose());

  await rows(primary, "insert into t select generate_series(1, 1000)");
  await primary.killHard();
  expect(primary.pid).toBeUndefined();
  await expect(rows(standby.server, "insert into t values (1)")).rejects.toThrow("read-only");

  await standby.promote();

  expect(await rows(standby.server, "select count(*)::int as n from t")).toEqual([{ n: 1000 }]);
  await rows(standby.server, "insert into t values (1)");

  const next = await startStandby(standby.server, { synchronous: true });
  onTestFinished(() => next.server.dispose());
  await next.catchUp();
  expect(await rows(next.server, "select count(*)::int as n from t")).toEqual([{ n: 1001 }]);
});

test("a standby with paused replay returns old rows until the replay resumes", async () => {
  const primary = await startPostgres();
  onTestFinished(() => primary.dispose());
  await rows(primary, "create table t (a int)");
  const standby = await startStandby(primary);
  onTestFinished(() => standby.server.dispose());
  await standby.catchUp();

  await standby.pauseReplay();
  await rows(primary, "insert into t values (1)");
  expect(await rows(standby.server, "select a from t")).toEqual([]);

  await standby.resumeReplay();
  await standby.catchUp();
  expect(await rows(standby.server, "select a from t")).toEqual([{ a: 1 }]);
});
