/** Rows that refer to rows which do not exist. Rows of a run are deleted in one transaction, so no snapshot has such rows. */
import type { Finding, OnProgress, ReadRows } from "./finding.ts";

/** A column of a table and the column that has its values; only rows that match the condition count. */
type Reference = readonly [table: string, column: string, of: string, key: string, condition?: string];

const references: readonly Reference[] = [
  ["run_heads", "run_key", "runs", "key"],
  ["runs", "key", "run_heads", "run_key"],
  ["runs", "session_key", "sessions", "key"],
  ["runs", "root_key", "runs", "key"],
  ["runs", "parent_key", "runs", "key", "parent_key is not null"],
  ["segments", "run_key", "run_heads", "run_key"],
  ["messages", "run_key", "runs", "key"],
  ["marks", "run_key", "runs", "key"],
  ["approvals", "run_key", "runs", "key"],
  ["answer_deadlines", "run_key", "run_heads", "run_key"],
  ["push_targets", "run_key", "run_heads", "run_key"],
  ["traces", "run_key", "runs", "key"],
  ["schedule_fires", "schedule_id", "schedules", "id"],
];

/** Rows that one finding counts at most. */
const maxCounted = 1_000;

const remedy =
  "Nothing reads these rows. They are left of a restore or a change by hand: restore a complete backup, or delete them after a backup.";

/** Finds rows whose run, session or schedule is missing. */
export async function checkReferences(read: ReadRows, onProgress: OnProgress): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [place, [table, column, of, key, condition = "true"]] of references.entries()) {
    onProgress("references", place / references.length);
    const [row] = await read<{ orphans: number | string; example: number | string | null }>(
      `select count(*) as orphans, min(reference) as example from (
         select c.${column} as reference from ${table} c
           where ${condition} and not exists (select 1 from ${of} p where p.${key} = c.${column}) limit ${maxCounted + 1}) as found`,
    );
    const orphans = Number(row?.orphans ?? 0);
    if (orphans === 0) continue;
    const number = orphans > maxCounted ? `more than ${maxCounted}` : String(orphans);
    const problem = `${number} rows of ${table} refer to a missing row of ${of}, for example ${column} = ${row?.example}`;
    findings.push({ problem, remedy });
  }
  return findings;
}
