/** Reads every log of a Postgres database in the order of runs, a few rows at a time. */
import type pg from "pg";
import type { RunStatus } from "../../model/run/run.ts";
import { encodings } from "../encryption/frames.ts";
import type { OnProgress } from "./finding.ts";
import { faultOfEnd, LogReading } from "./log-reading.ts";

/** Runs per batch, and rows of a log that are read at a time. */
const batch = { runs: 500, segments: 64 };

interface HeadRow {
  readonly key: string;
  readonly name: string | null;
  readonly status: RunStatus;
  readonly firstKept: number;
}

interface Row {
  readonly key: string;
  readonly firstIndex: number;
  readonly lastIndex: number;
  readonly encoding: number;
  readonly size: number;
  readonly frames: Buffer;
}

/** Sizes of the logs of a database, and the damaged ones. */
export interface PostgresLogs {
  readonly runs: number;
  readonly events: number;
  readonly damaged: readonly { readonly name: string; readonly lost: string }[];
}

const headColumns = `h.run_key as key, r.run_id as name, h.status, h.first_kept as "firstKept"`;
const segmentColumns = `run_key as key, first_index as "firstIndex", last_index as "lastIndex", encoding, size, frames`;

/** Finds gaps in logs, bytes that are no events, and ended runs without their last event. Servers may write meanwhile. */
export async function checkPostgresLogs(client: pg.ClientBase, onProgress: OnProgress): Promise<PostgresLogs> {
  const damaged: { name: string; lost: string }[] = [];
  const [newest] = (await client.query("select coalesce(max(run_key), 0) as key from run_heads")).rows;
  let [runs, events, after] = [0, 0, "-1"];
  for (;;) {
    const heads = await client.query<HeadRow>(
      `select ${headColumns} from run_heads h left join runs r on r.key = h.run_key
         where h.session_seq is not null and h.run_key > $1 order by h.run_key limit ${batch.runs}`,
      [after],
    );
    const last = heads.rows.at(-1);
    if (last === undefined) return { runs, events, damaged };
    const readings = await readLogs(client, heads.rows, after, last.key);
    for (const head of heads.rows) {
      runs += 1;
      const { reading, fault } = readings.get(String(head.key)) ?? { reading: new LogReading(head.firstKept) };
      events += reading.events;
      if ((fault ?? faultOfEnd(head.status, reading)) === undefined) continue;
      // A server may have changed the log between two reads: one snapshot decides.
      const lost = await checkAgain(client, head.key);
      if (lost !== undefined) damaged.push({ name: head.name ?? `run with the key ${head.key}`, lost });
    }
    after = String(last.key);
    onProgress("logs", Number(last.key) / Math.max(1, Number(newest?.key)));
  }
}

interface Read {
  readonly reading: LogReading;
  fault?: string;
}

async function readLogs(
  client: pg.ClientBase,
  heads: readonly HeadRow[],
  after: string,
  last: string,
): Promise<ReadonlyMap<string, Read>> {
  const readings = new Map<string, Read>();
  for (const { key, firstKept } of heads) readings.set(String(key), { reading: new LogReading(firstKept) });
  let position: readonly [key: string, index: number] = [after, 2_147_483_647];
  for (;;) {
    const { rows } = await client.query<Row>(
      `select ${segmentColumns} from segments where (run_key, last_index) > ($1, $2) and run_key <= $3
         order by run_key, last_index limit ${batch.segments}`,
      [...position, last],
    );
    for (const row of rows) readInto(readings.get(String(row.key)), row);
    const end = rows.at(-1);
    if (end === undefined || rows.length < batch.segments) return readings;
    position = [String(end.key), end.lastIndex];
  }
}

function readInto(read: Read | undefined, row: Row): void {
  if (read === undefined || read.fault !== undefined) return;
  try {
    if (!Object.values(encodings).some((encoding) => encoding === row.encoding))
      throw new Error(`its encoding ${row.encoding} is unknown`);
    read.reading.read(row);
  } catch (error) {
    read.fault = (error as Error).message;
  }
}

/** Reads one run in one snapshot; undefined if it is sound, or deleted. */
async function checkAgain(client: pg.ClientBase, key: string): Promise<string | undefined> {
  await client.query("begin transaction isolation level repeatable read read only");
  try {
    const { rows } = await client.query<HeadRow>(
      `select ${headColumns} from run_heads h left join runs r on r.key = h.run_key where h.run_key = $1`,
      [key],
    );
    const [head] = rows;
    if (head === undefined) return undefined;
    const before = String(BigInt(key) - 1n);
    const read = (await readLogs(client, rows, before, key)).get(String(head.key));
    const fault = read?.fault ?? (read && faultOfEnd(head.status, read.reading));
    return fault && `its events from ${read?.reading.next ?? 0} on (${fault})`;
  } finally {
    await client.query("rollback");
  }
}
