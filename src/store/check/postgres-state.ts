/** The state of a Postgres server: its settings for durability, its replication, and the statistics of Troupe's tables. */
import type { Finding, ReadRows } from "./finding.ts";

/** Rows from which a table without statistics is reported. */
const minRows = 10_000;

/** Bytes of write-ahead log that an unused slot may keep before it is reported: a full disk stops the server. */
const maxRetained = 1024 ** 3;

/** Milliseconds by which a standby may be behind before it is reported. */
const maxLag = 30_000;

interface Standby {
  readonly name: string;
  readonly state: string;
  readonly sync_state: string;
  readonly lag: number;
}

/** Describes the replication, and returns what endangers data or availability. */
export async function checkReplication(
  read: ReadRows,
): Promise<{ readonly summary: string; readonly findings: readonly Finding[] }> {
  const [server] = await read<Record<"recovery" | "fsync" | "pages" | "names" | "commit", string>>(
    `select pg_is_in_recovery()::text as recovery, current_setting('fsync') as fsync, current_setting('full_page_writes') as pages,
       current_setting('synchronous_standby_names') as names, current_setting('synchronous_commit') as commit`,
  );
  const findings: Finding[] = [];
  const { recovery, fsync, pages, names = "" } = server ?? {};
  if (fsync === "off" || pages === "off")
    findings.push({
      problem: `the server runs with fsync = ${fsync} and full_page_writes = ${pages}: a power cut loses acknowledged events`,
      remedy: "Set both to on.",
    });
  if (recovery === "true") {
    const [lag] = await read<{ lag: number | null }>(
      "select extract(epoch from now() - pg_last_xact_replay_timestamp())::float8 as lag",
    );
    findings.push({
      problem: `the server is a standby, and its last replayed commit is ${Math.round(lag?.lag ?? 0)} s old`,
      remedy: "Name the primary in DATABASE_URL, or several hosts of which one accepts writes.",
    });
    return { summary: "a standby", findings };
  }
  const standbys = await read<Standby>(
    `select application_name as name, state, sync_state, coalesce(extract(epoch from replay_lag) * 1000, 0)::float8 as lag
       from pg_stat_replication order by 1`,
  );
  const isSynchronous = standbys.some(({ sync_state }) => sync_state === "sync" || sync_state === "quorum");
  if (names !== "" && !isSynchronous)
    findings.push({
      problem: `synchronous_standby_names is "${names}", and no such standby is connected: every commit waits`,
      remedy: "Start the standby, or clear the setting and reload the server.",
    });
  for (const { name, state, lag } of standbys) {
    if (state !== "streaming" || lag > maxLag)
      findings.push({
        problem: `the standby ${name} is ${state}, ${Math.round(lag / 1000)} s behind`,
        remedy: "Check its log, its disk and its connection.",
      });
  }
  const slots = await read<{ name: string; bytes: number }>(
    `select slot_name as name, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::float8 as bytes from pg_replication_slots
       where not active and restart_lsn is not null`,
  );
  for (const { name, bytes } of slots.filter((slot) => slot.bytes > maxRetained))
    findings.push({
      problem: `the unused replication slot ${name} keeps ${Math.round(bytes / 1e6)} MB of write-ahead log`,
      remedy: `Start its standby, or drop it: select pg_drop_replication_slot('${name}');`,
    });
  const described = standbys.map(({ name, state, sync_state }) => `${name} (${state}, ${sync_state})`);
  return { summary: described.length === 0 ? "no standby" : `standbys: ${described.join(", ")}`, findings };
}

/** Finds tables that were never analyzed, and switched-off autovacuum. */
export async function checkStatistics(read: ReadRows): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const [setting] = await read<{ autovacuum: string }>("select current_setting('autovacuum') as autovacuum");
  if (setting?.autovacuum === "off")
    findings.push({ problem: "autovacuum is off: tables grow, and plans get old", remedy: "Set autovacuum to on." });
  const rows = await read<{ table: string; rows: number }>(
    `select s.relname as table, greatest(s.n_live_tup, c.reltuples)::float8 as rows from pg_stat_user_tables s join pg_class c on c.oid = s.relid
       where s.schemaname = current_schema() and s.last_analyze is null and s.last_autoanalyze is null
         and not exists (select 1 from pg_statistic p where p.starelid = s.relid)`,
  );
  for (const { table, rows: count } of rows.filter((row) => row.rows >= minRows))
    findings.push({
      problem: `the table ${table} has about ${count} rows, and was never analyzed`,
      remedy: `Run: analyze ${table};`,
    });
  return findings;
}
