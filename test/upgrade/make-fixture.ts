/**
 * Writes the fixture of the upgrade tests: `npm run fixture -- <commit>`. Run it at each release, with the
 * release's commit. The release's own server writes rows of every kind to both databases, and is killed. Needs git, tar, gzip and pg_dump.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import Sqlite from "better-sqlite3";
import pg from "pg";
import type { TestDatabase } from "../support/databases.ts";
import { findPostgresBinaries } from "../support/postgres-binaries.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { previousFolder, unpackPreviousRelease } from "../support/previous-release.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import type { EventStream, Fields, StreamClient } from "../support/stream-client.ts";
import { asOperator, digest, type FixtureRecords, type Recorded, type RecordedRun, sendJson } from "./fixture.ts";

const app = fileURLToPath(new URL("./app.ts", import.meta.url));
const securityKey = "key-of-the-fixture";
const headers = asOperator(securityKey);

/** Tables that may be empty when a server was killed. */
const mayBeEmpty = ["rate_limits", "usage_pending"];

type Started = Omit<RecordedRun, "status" | "events" | "sha256">;

/** Starts a run and waits until its stream ends or has a number of events. */
async function begin(
  client: StreamClient,
  name: string,
  component: string,
  message: string,
  fields: Fields = {},
  events?: number,
): Promise<{ readonly run: Started; readonly stream: EventStream }> {
  const session = String(fields.session_id ?? `session-${name.replaceAll(" ", "-")}`);
  const whole = { message, stream: true, session_id: session, user_id: "ada", ...fields };
  const stream = await client.stream(`/${component}/runs`, whole, {
    ...headers,
    "idempotency-key": `key-${name.replaceAll(" ", "-")}`,
  });
  if (stream.status !== 200) throw new Error(`The run ${name} was not started: ${stream.status}.`);
  if (events === undefined) await stream.closed;
  else await stream.until(events);
  return { run: { name, component, runId: stream.runId, sessionId: session }, stream };
}

/** Rows that belong to the first server: their logs are compacted before it is stopped. */
async function fillFirst(client: StreamClient): Promise<readonly Started[]> {
  const runs: Started[] = [];
  const add = async (...of: [name: string, component: string, message: string, fields?: Fields]): Promise<string> => {
    const { run } = await begin(client, ...of);
    runs.push(run);
    return run.runId;
  };
  await add("completed", "agents/talker", "hello", { session_id: "session-history" });
  await add("with history", "agents/talker", "hello again", { session_id: "session-history" });
  await add("with a tool", "agents/talker", "weather");
  await add("of a team", "teams/desk", "weather for the desk");
  await add("large", "agents/talker", "torrent");
  await add("failed", "agents/talker", "explode");
  const picture = new FormData();
  picture.set("message", "a picture");
  picture.set("stream", "false");
  picture.set("session_id", "session-media");
  picture.set("files", new Blob([Buffer.alloc(40_000, 7)], { type: "image/png" }), "picture.png");
  const media = await fetch(new URL("/agents/talker/runs", client.address), { method: "POST", headers, body: picture });
  const { run_id: runId } = (await media.json()) as { run_id: string };
  runs.push({ name: "with media", component: "agents/talker", runId, sessionId: "session-media" });
  return runs;
}

/** Rows that belong to the second server: their logs are not compacted, and some runs are live when it is killed. */
async function fillSecond(
  client: StreamClient,
): Promise<{ readonly runs: readonly Started[]; readonly live: EventStream }> {
  const runs: Started[] = [];
  const add = async (
    ...of: Parameters<typeof begin> extends [unknown, ...infer R] ? R : never
  ): Promise<EventStream> => {
    const { run, stream } = await begin(client, ...of);
    runs.push(run);
    return stream;
  };
  await add("uncompacted", "agents/talker", "hello");
  await add("paused", "agents/talker", "email");
  await add("waiting for an approval", "agents/talker", "money");
  await add("paused member", "teams/desk", "email of the desk");
  await add("with a deadline", "workflows/flow", "hello");
  const cancelled = await add("cancelled", "agents/talker", "slow", {}, 6);
  await client.post(`/agents/talker/runs/${cancelled.runId}/cancel`, {}, headers);
  await cancelled.closed;
  const live = await add("live", "agents/talker", "slow", { session_id: "session-live" }, 12);
  const waiting = { message: "hello", stream: false, background: true, session_id: "session-live" };
  const { body } = await client.post("/agents/talker/runs", waiting, headers);
  runs.push({ name: "waiting", component: "agents/talker", runId: body.run_id, sessionId: "session-live" });
  return { runs, live };
}

/** Sessions, schedules, accounts, tasks and push targets. */
async function fillRest(client: StreamClient) {
  const send = (method: string, path: string, body?: unknown) => sendJson(client, method, path, body, headers);
  const account = await send("POST", "/service-accounts", { name: "robot" });
  const plan = {
    cron_expr: "* * * * *",
    endpoint: "/agents/talker/runs",
    method: "POST",
    payload: { message: "tick" },
  };
  const schedule = await send("POST", "/schedules", { name: "every minute", catch_up: "last", ...plan });
  await send("POST", `/schedules/${schedule.id}/trigger`);
  const off = await send("POST", "/schedules", { name: "off", ...plan });
  await send("POST", `/schedules/${off.id}/disable`);
  await send("POST", "/sessions/session-history/rename?type=agent", { session_name: "A name" });
  const original = await begin(client, "regenerated", "agents/talker", "hello");
  const again = { session_id: original.run.sessionId, regenerate: true, stream: false };
  await client.post(`/agents/talker/runs/${original.run.runId}/continue`, again, headers);
  const gone = await begin(client, "deleted", "agents/talker", "hello");
  await send("DELETE", `/sessions/${gone.run.sessionId}?type=agent`);
  // No server listens on this port: the notification stays due.
  const message = { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "a task" }] };
  const configuration = { taskPushNotificationConfig: { url: "http://127.0.0.1:59999/" } };
  const params = { message, configuration };
  const sent = await send("POST", "/a2a/agents/talker", { jsonrpc: "2.0", id: "1", method: "SendMessage", params });
  if (!sent.result) throw new Error(`The message was not sent: ${JSON.stringify(sent)}`);
  const { data } = await send("GET", `/schedules/${schedule.id}/runs`);
  return {
    scheduleId: schedule.id as string,
    fires: data.length as number,
    accountToken: account.token as string,
    deletedSession: gone.run.sessionId,
    regenerated: original.run.runId,
  };
}

async function recordRuns(client: StreamClient, runs: readonly Started[], live: EventStream): Promise<RecordedRun[]> {
  const recorded: RecordedRun[] = [];
  for (const run of runs) {
    const record = await sendJson(
      client,
      "GET",
      `/${run.component}/runs/${run.runId}?session_id=${run.sessionId}`,
      undefined,
      headers,
    );
    const isOpen = record.status === "RUNNING" || record.status === "PENDING";
    const stream = isOpen ? undefined : await client.resume(run.component, run.runId, undefined, headers);
    await stream?.closed;
    const frames = stream?.events ?? (run.runId === live.runId ? live.events : []);
    recorded.push({ ...run, status: record.status, ...digest(frames) });
  }
  return recorded;
}

async function fill(database: TestDatabase, launcher: string): Promise<Omit<Recorded, "rows">> {
  const serve = (compactionInterval: number): Promise<ServerProcess> =>
    startServerProcess(database, { compactionInterval }, { app, launcher, env: { OS_SECURITY_KEY: securityKey } });
  const first = await serve(50);
  const before = await fillFirst(first.client);
  await sleep(1_000);
  first.signal("SIGTERM");
  await first.exited;
  const second = await serve(3_600_000);
  const rest = await fillRest(second.client);
  const { runs, live } = await fillSecond(second.client);
  const recorded = await recordRuns(second.client, [...before, ...runs], live);
  await second.crash();
  const liveRun = recorded.find(({ runId }) => runId === live.runId);
  if (liveRun?.status !== "RUNNING") throw new Error("The live run ended before the server was killed.");
  return { runs: recorded, ...rest };
}

/** Rows of each table. @throws Error for a table without rows */
function checkRows(counts: readonly (readonly [table: string, rows: number])[]): Record<string, number> {
  const empty = counts.filter(([table, rows]) => rows === 0 && !mayBeEmpty.includes(table)).map(([table]) => table);
  if (empty.length > 0) throw new Error(`The fixture has no rows of ${empty.join(", ")}.`);
  return Object.fromEntries(counts);
}

async function makeSqlite(launcher: string): Promise<Recorded> {
  const dataDir = mkdtempSync(join(tmpdir(), "troupe-fixture-"));
  const recorded = await fill({ kind: "sqlite", dataDir }, launcher);
  // The write-ahead log has the newest commits. The copy is made before a connection of this process changes the files.
  const names = ["troupe.sqlite", "troupe.sqlite-wal"];
  execFileSync("tar", ["-C", dataDir, "-cf", join(dataDir, "all.tar"), ...names]);
  writeFileSync(join(previousFolder, "sqlite.tar.gz"), gzipSync(readFileSync(join(dataDir, "all.tar")), { level: 9 }));
  const database = new Sqlite(join(dataDir, "troupe.sqlite"), { readonly: true });
  const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").pluck().all();
  const rows = checkRows(
    (tables as string[]).map((table) => [
      table,
      database.prepare(`select count(*) from ${table}`).pluck().get() as number,
    ]),
  );
  database.close();
  rmSync(dataDir, { recursive: true });
  return { ...recorded, rows };
}

async function makePostgres(launcher: string): Promise<Recorded> {
  const postgres = await startPostgres();
  try {
    const recorded = await fill({ kind: "postgres", url: postgres.url }, launcher);
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const tables = await client.query("select tablename from pg_tables where schemaname = 'public' order by 1");
    const counts: [string, number][] = [];
    for (const { tablename } of tables.rows as { tablename: string }[]) {
      const { rows } = await client.query(`select count(*)::int as rows from ${tablename}`);
      counts.push([tablename, rows[0].rows]);
    }
    await client.end();
    const folder = mkdtempSync(join(tmpdir(), "troupe-fixture-"));
    const dump = join(findPostgresBinaries(folder), "pg_dump");
    const text = execFileSync(dump, ["--inserts", "--no-owner", "--no-acl", postgres.url], {
      maxBuffer: 1e9,
    }).toString();
    rmSync(folder, { recursive: true });
    // Commands of psql and settings of newer servers are left out, so that any client can execute the text.
    const sql = text.replaceAll(/^(\\|SET transaction_timeout).*\n/gm, "");
    writeFileSync(join(previousFolder, "postgres.sql.gz"), gzipSync(sql, { level: 9 }));
    return { ...recorded, rows: checkRows(counts) };
  } finally {
    await postgres.dispose();
  }
}

const [commit] = process.argv.slice(2);
if (commit === undefined) throw new Error("Usage: make-fixture.ts <commit of the release>");
const id = execFileSync("git", ["rev-parse", "--short=12", commit], { encoding: "utf8" }).trim();
const parts = ["package.json", "bin", "src", "client"];
const archive = execFileSync("git", ["archive", commit, ...parts], { maxBuffer: 1e9 });
writeFileSync(join(previousFolder, "source.tar.gz"), gzipSync(archive, { level: 9 }));
await using release = await unpackPreviousRelease();
const sqlite = await makeSqlite(release.launcher);
const postgres = await makePostgres(release.launcher);
const records: FixtureRecords = { release: id, securityKey, sqlite, postgres };
writeFileSync(join(previousFolder, "records.json"), `${JSON.stringify(records, null, 2)}\n`);
process.exit(0);
