import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type PostgresOptions, type PostgresServer, startOnFolder } from "./postgres-server.ts";

const replicationTimeout = 30_000;

export interface StandbyOptions extends PostgresOptions {
  /** Whether a commit on the primary waits for this standby (`synchronous_standby_names`). Default: false. */
  synchronous?: boolean;
}

export interface PostgresStandby {
  /** The standby's server, with the primary's password. */
  readonly server: PostgresServer;
  /** Makes the standby a primary. Resolves when it accepts writes. The old primary is not stopped. */
  promote(): Promise<void>;
  /** Stops the replay of received records: reads return old rows. A synchronous commit does not wait for the replay, except with `remote_apply`. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  /** Resolves when the standby has replayed everything that the primary has written so far. */
  catchUp(): Promise<void>;
}

/** Starts a standby of a running primary on a free port: a copy made by `pg_basebackup`, with streaming replication. */
export async function startStandby(primary: PostgresServer, options: StandbyOptions = {}): Promise<PostgresStandby> {
  const { synchronous = false, ...rest } = options;
  const server = await startOnFolder(new URL(primary.url).password, rest, async ({ data, run }) => {
    const copy = ["--checkpoint=fast", "--wal-method=stream", "--write-recovery-conf", "--no-sync"];
    await run("pg_basebackup", [`--dbname=${primary.url}`, `--pgdata=${data}`, ...copy]);
    // The copy has the primary's setting: after a promotion, commits would wait for a standby that does not exist.
    appendFileSync(join(data, "postgresql.auto.conf"), "synchronous_standby_names = ''\n");
  });
  const streaming = "select count(*) > 0 as done from pg_stat_replication where state = 'streaming'";
  await untilDone(primary.url, streaming);
  if (synchronous) {
    await query(primary.url, "alter system set synchronous_standby_names = '*'");
    await query(primary.url, "select pg_reload_conf()");
    await untilDone(primary.url, `${streaming} and sync_state = 'sync'`);
  }
  return {
    server,
    async promote() {
      await query(server.url, "select pg_promote(true, 60)");
      await untilDone(server.url, "select not pg_is_in_recovery() as done");
    },
    async pauseReplay() {
      await query(server.url, "select pg_wal_replay_pause()");
      await untilDone(server.url, "select pg_get_wal_replay_pause_state() = 'paused' as done");
    },
    async resumeReplay() {
      await query(server.url, "select pg_wal_replay_resume()");
    },
    async catchUp() {
      const [row] = await query(primary.url, "select pg_current_wal_lsn()::text as position");
      await untilDone(server.url, `select pg_last_wal_replay_lsn() >= '${row?.position}'::pg_lsn as done`);
    },
  };
}

/** Repeats a query until its column `done` is true. */
async function untilDone(url: string, text: string): Promise<void> {
  const deadline = Date.now() + replicationTimeout;
  while ((await query(url, text))[0]?.done !== true) {
    if (Date.now() > deadline) throw new Error(`Replication: still not true after ${replicationTimeout} ms: ${text}`);
    await sleep(20);
  }
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
