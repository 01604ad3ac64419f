/** Encryption with real server processes: rotation under live runs, kill -9 during re-encryption, and what files and dumps contain. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { create, everybody, openOn, put, to, write } from "../contract/store-fixtures.ts";
import { keysOf, keyText } from "../encryption/stored.ts";
import { databaseKinds, openDatabaseOf, type TestDatabase } from "../support/databases.ts";
import { executeSql, querySql } from "../support/execute-sql.ts";
import { findPostgresBinaries } from "../support/postgres-binaries.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import type { EventStream } from "../support/stream-client.ts";

vi.setConfig({ testTimeout: 500_000 });

const brief = { leaseDuration: 2_000, leaseRenewInterval: 400, sweepInterval: 500, shutdownTimeout: 500 };

/** Starts a server with the operator's keys of these ids, the current one first. */
const startWith = (database: TestDatabase, ...ids: readonly string[]): Promise<ServerProcess> =>
  startServerProcess(database, brief, { env: { TROUPE_ENCRYPTION_KEYS: keyText(...ids) } });

/** The number of messages that are encrypted with a data key. */
async function messagesOf(database: TestDatabase, dataKey: number): Promise<number> {
  const header = Buffer.from([10, 0, 0, 0, dataKey, 0]);
  const beginning = `~e1.${header.toString("base64").slice(0, 6)}`;
  const rows = await querySql<{ n: number }>(
    database,
    `select count(*) as n from messages where substr(body, 1, ${beginning.length}) = '${beginning}'`,
  );
  return Number(rows[0]?.n);
}

test("the operator's key is replaced in three rolling restarts under live runs: every run completes, and every client's bytes equal the log", async () => {
  await using database = await openDatabaseOf("postgres");
  let servers = await Promise.all([startWith(database, "k1"), startWith(database, "k1")]);
  const streams: EventStream[] = [];
  const begin = async ({ client }: ServerProcess): Promise<void> => {
    const stream = await client.start(
      "agents/parallel",
      { deltas: 250, delay: 20 },
      { session_id: `s${streams.length}` },
    );
    await stream.until(3);
    streams.push(stream);
  };
  try {
    for (const ids of [["k1", "k2"], ["k2", "k1"], ["k2"]]) {
      for (const place of [0, 1]) {
        const [old, other] = [servers[place]!, servers[1 - place]!];
        const next = await startWith(database, ...ids);
        await Promise.all([begin(old), begin(other), begin(next)]);
        old.signal("SIGTERM");
        servers = servers.with(place, next) as typeof servers;
        await old.exited;
      }
    }
    const [row] = await querySql<{ n: number }>(
      database,
      "select count(*) as n from encryption_keys where operator_key <> 'k2'",
    );
    expect(Number(row?.n)).toBe(0);
    for (const stream of streams) {
      const logs: string[] = [];
      for (const { client } of servers) {
        const resumed = await client.resume("agents/parallel", stream.runId);
        expect(await resumed.closed).toBe("ended");
        expect(resumed.ending?.event).toBe("RunCompleted");
        expect(resumed.events.map(({ id }) => id)).toEqual(resumed.events.map((_, index) => index));
        logs.push(resumed.events.map(({ raw }) => raw).join(""));
        const rest = await client.resume("agents/parallel", stream.runId, stream.cursor);
        await rest.closed;
        expect([...stream.events, ...rest.events].map(({ raw }) => raw).join("")).toBe(logs.at(-1));
      }
      expect(logs[0]).toBe(logs[1]);
    }
  } finally {
    await Promise.all(servers.map((server) => server.crash()));
  }
});

test.for(databaseKinds)(
  "a server that is killed during re-encryption on %s continues it after a restart, and no value is lost",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    const count = 1_500;
    const before = await openOn(database, { keyProvider: undefined });
    const key = await create(before.store, { runId: "r", sessionId: "s" });
    await put(before.store, write(key, { transition: to("COMPLETED") }));
    await before.signals.close();
    await before.store.close();
    const numbers =
      kind === "sqlite"
        ? `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${count - 1})`
        : `with n(i) as (select generate_series(0, ${count - 1}))`;
    await executeSql(
      database,
      `insert into messages (run_key, position, id, created_at, body)
      ${numbers} select ${key}, i, 'm' || i, 1, '{"role":"user","content":"text ' || i || '"}' from n`,
    );
    {
      await using server = await startWith(database, "k1");
      await vi.waitFor(async () => expect(await messagesOf(database, 1)).toBeGreaterThan(0), {
        timeout: 120_000,
        interval: 20,
      });
      await server.crash();
    }
    const begun = await messagesOf(database, 1);
    expect(begun).toBeLessThan(count);
    {
      await using server = await startWith(database, "k1");
      expect((await server.client.get("/health")).status).toBe(200);
      await vi.waitFor(
        async () => expect(await querySql(database, "select complete from encryption_keys")).toEqual([{ complete: 1 }]),
        { timeout: 300_000, interval: 100 },
      );
    }
    expect(await messagesOf(database, 1)).toBe(count);
    const after = await openOn(database, { keyProvider: keysOf("k1") });
    const bodies = (await after.store.messages([key])).map(({ body }) => body);
    expect(bodies).toEqual(bodies.map((_, index) => `{"role":"user","content":"text ${index}"}`));
    expect(bodies).toHaveLength(count);
    expect(await after.store.findRun(everybody, "r")).toMatchObject({ status: "COMPLETED" });
  },
);

const canary = "CANARY-e41b";

/** Whether a text is in a file of a folder or of its subfolders. */
function isInFiles(folder: string, text: string): boolean {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(text));
}

/** Runs a server, kills it during a run, and returns what `read` returns before and after a restart. */
async function placesOf<T>(
  database: TestDatabase,
  env: Readonly<Record<string, string>>,
  read: () => Promise<T>,
): Promise<readonly T[]> {
  const found: T[] = [];
  const fields = { session_id: canary.toLowerCase(), session_state: JSON.stringify({ canary }) };
  for (const order of [
    { deltas: 4_000, delay: 5, canary },
    { deltas: 50, canary },
  ]) {
    await using server = await startServerProcess(database, brief, { env });
    const stream = await server.client.start("agents/parallel", order, fields);
    await (order.deltas === 50 ? stream.closed : stream.until(100));
    found.push(await read());
    await server.crash();
    found.push(await read());
  }
  return found;
}

test("the files of SQLite with its write-ahead log, during a run and after kill -9, contain no text of a run; without keys they do", async () => {
  for (const [env, wanted] of [
    [{ TROUPE_ENCRYPTION_KEYS: keyText("k1") }, false],
    [{}, true],
  ] as const) {
    await using database = await openDatabaseOf("sqlite");
    const { dataDir } = database as Extract<TestDatabase, { kind: "sqlite" }>;
    const read = async () => {
      expect(readdirSync(dataDir)).toContain("troupe.sqlite-wal");
      return isInFiles(dataDir, canary);
    };
    expect(await placesOf(database, env, read)).toEqual([wanted, wanted, wanted, wanted]);
  }
});

test("pg_dump, and the data folder of Postgres with its write-ahead log, contain no text of a run; without keys they do", async ({
  skip,
}) => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-binaries-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const dump = join(findPostgresBinaries(folder), "pg_dump");
  if (!existsSync(dump)) skip("this machine has no pg_dump");
  const postgres = await startPostgres();
  onTestFinished(() => postgres.dispose());
  for (const [env, wanted] of [
    [{ TROUPE_ENCRYPTION_KEYS: keyText("k1") }, false],
    [{}, true],
  ] as const) {
    const name = wanted ? "clear" : "encrypted";
    await executeSql({ kind: "postgres", url: postgres.url }, `create database ${name}`);
    const url = new URL(postgres.url);
    url.pathname = `/${name}`;
    const database = { kind: "postgres", url: url.href } as const;
    const [{ data_directory: data }] = (await querySql<{ data_directory: string }>(
      database,
      "show data_directory",
    )) as [{ data_directory: string }];
    const read = async () => {
      await executeSql(database, "checkpoint");
      const { stdout } = await promisify(execFile)(dump, [url.href], { maxBuffer: 2 ** 28 });
      expect(stdout).toContain("encryption_keys");
      return [stdout.includes(canary), isInFiles(data, canary)];
    };
    const both = [wanted, wanted];
    expect(await placesOf(database, env, read)).toEqual([both, both, both, both]);
  }
});
