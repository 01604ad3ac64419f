/** Reads everything that an SQLite file holds about its runs, to find out what a damaged file has lost. Changes nothing. */
import Sqlite from "better-sqlite3";
import type { RunStatus } from "../../model/run/run.ts";
import { encodings } from "../encryption/frames.ts";
import { faultOfEnd, LogReading, type SegmentRow } from "./log-reading.ts";

/** A run with unreadable parts. */
export interface DamagedRun {
  /** The run's id, or its key in the tables if the id itself cannot be read. */
  readonly name: string;
  /** Descriptions of what is lost. */
  readonly lost: readonly string[];
}

/** The result of checking a file. */
export interface LogCheck {
  /** Root runs and their members. */
  readonly runs: number;
  readonly events: number;
  readonly damaged: readonly DamagedRun[];
  /** SQLite's own findings about the file, at most `maxFindings`. */
  readonly findings: readonly string[];
}

const maxFindings = 20;

/** Segments of a log read at a time. */
const segmentsPerRead = 64;

/** Keys listed at a time, and between two reports of progress. */
const keysPerRead = 1_000;

/**
 * Checks a file. A server may have the file open: each run is read in one snapshot, with the events that are in the write buffer only.
 * @param onProgress receives the share of runs that are checked, from 0 to 1
 */
export function checkLogs(file: string, onProgress: (share: number) => void = () => undefined): LogCheck {
  const database = new Sqlite(file, { readonly: true, timeout: 5_000 });
  try {
    const damaged: DamagedRun[] = [];
    const last = greatestKey(database);
    let [runs, events] = [0, 0];
    for (const key of keysOf(database)) {
      const run = inSnapshot(database, () => checkRun(database, key));
      if (run === undefined) continue;
      runs += 1;
      events += run.events;
      if (run.lost.length > 0) damaged.push(run);
      if (runs % keysPerRead === 0) onProgress(Math.min(1, key / last));
    }
    return { runs, events, damaged, findings: findingsOf(database) };
  } finally {
    database.close();
  }
}

/** Runs a function in one read transaction. If the file is too damaged for one, it runs without. */
function inSnapshot<T>(database: Sqlite.Database, read: () => T): T {
  try {
    database.exec("begin");
  } catch {
    return read();
  }
  try {
    return read();
  } finally {
    if (database.inTransaction) database.exec("rollback");
  }
}

function greatestKey(database: Sqlite.Database): number {
  try {
    return (database.prepare("select max(key) from runs").pluck().get() as number | null) ?? 1;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** The keys of both tables in order, each once. */
function* keysOf(database: Sqlite.Database): Generator<number> {
  const lists = [readableKeys(database, "run_heads", "run_key"), readableKeys(database, "runs", "key")];
  const heads = lists.map((list) => list.next());
  for (;;) {
    const next = Math.min(...heads.map((head) => (head.done ? Number.POSITIVE_INFINITY : head.value)));
    if (next === Number.POSITIVE_INFINITY) return;
    yield next;
    for (const [place, head] of heads.entries())
      if (!head.done && head.value === next) heads[place] = (lists[place] as Generator<number>).next();
  }
}

/** Keys of a table's rows, as far as they are readable: after a damaged page it continues with the next readable key. */
function* readableKeys(database: Sqlite.Database, table: string, column: string): Generator<number> {
  const next = database.prepare(`select ${column} as key from ${table} where ${column} > ? order by ${column} limit 1`);
  let cursor = -1;
  for (let skipped = 0; cursor + skipped < Number.MAX_SAFE_INTEGER / 4; ) {
    try {
      const row = next.get(cursor + skipped) as { readonly key: number } | undefined;
      if (row === undefined) return;
      yield row.key;
      cursor = row.key;
      skipped = 0;
    } catch {
      // A page has fewer rows than this: no readable page between two damaged ones is skipped.
      skipped = skipped < 1_000 ? skipped + 1 : skipped * 2;
    }
  }
}

/** Returns undefined for a run that was deleted since its key was read. */
function checkRun(database: Sqlite.Database, key: number): (DamagedRun & { readonly events: number }) | undefined {
  const lost: string[] = [];
  const read = <T>(what: string, query: () => T): T | undefined => {
    try {
      return query();
    } catch (error) {
      lost.push(`${what} (${(error as Error).message})`);
      return undefined;
    }
  };
  const row = read("its record", () => database.prepare("select * from runs where key = ?").get(key)) as
    | { readonly run_id: string; readonly parent_key: number | null }
    | undefined;
  const head = read("its state", () => database.prepare("select * from run_heads where run_key = ?").get(key)) as
    | { readonly first_kept: number; readonly status: RunStatus; readonly session_seq: number | null }
    | undefined;
  if (lost.length === 0 && row === undefined && head === undefined) return undefined;
  if (lost.length === 0 && (row === undefined || head === undefined))
    lost.push(row === undefined ? "its record (there is no row)" : "its state (there is no row)");
  read("its messages", () => database.prepare("select * from messages where run_key = ?").all(key));
  read("its marks", () => database.prepare("select * from marks where run_key = ?").all(key));
  const log = checkLog(database, key, head?.first_kept ?? 0);
  if (log.fault !== undefined) lost.push(`its events from ${log.next} on (${log.fault})`);
  else if (head && head.session_seq !== null) {
    const fault = faultOfEnd(head.status, log);
    if (fault !== undefined) lost.push(`its events from ${log.next} on (${fault})`);
  }
  return { name: row?.run_id ?? `run with the key ${key}`, lost, events: log.events };
}

/** Reads a log from its first stored event to its end, or to the first unreadable event. */
function checkLog(database: Sqlite.Database, key: number, firstKept: number): LogReading & { readonly fault?: string } {
  const reading = new LogReading(firstKept);
  try {
    const rows = database.prepare(
      `select first_index as firstIndex, last_index as lastIndex, encoding, size, frames from segments
        where run_key = ? and last_index >= ? order by last_index limit ${segmentsPerRead}`,
    );
    for (;;) {
      const segments = rows.all(key, reading.next) as SegmentRow[];
      for (const segment of segments) reading.read(segment);
      if (segments.length < segmentsPerRead) break;
    }
    for (const segment of buffered(database, key)) if (segment.lastIndex >= reading.next) reading.read(segment);
    return reading;
  } catch (error) {
    return Object.assign(reading, { fault: (error as Error).message });
  }
}

/** A run's parts of the table `tails`. Most files have few rows in it, and a file that no server uses has none. */
function* buffered(database: Sqlite.Database, key: number): Generator<SegmentRow> {
  const rows = database.prepare(
    "select t.id, t.parts, t.frames from tails t where exists (select 1 from json_each(t.parts) p where p.value ->> 0 = ?) order by t.id",
  );
  for (const { parts, frames } of rows.iterate(key) as Iterable<{ parts: string; frames: Buffer }>) {
    const places = JSON.parse(parts) as [number, number, number, number, number][];
    const bytesOfParts = places.reduce((sum, [, , , , size]) => sum + size, 0);
    const encoding = frames.length === bytesOfParts ? encodings.plain : encodings.sealedPlain;
    let start = 0;
    for (const [of, , firstIndex, lastIndex, size] of places) {
      const bytes = frames.subarray(start, start + size);
      start += size;
      if (of === key) yield { firstIndex, lastIndex, encoding, size, frames: bytes };
    }
  }
}

function findingsOf(database: Sqlite.Database): readonly string[] {
  try {
    const rows = database.pragma(`integrity_check(${maxFindings})`) as { readonly integrity_check: string }[];
    return rows.map((row) => row.integrity_check).filter((text) => text !== "ok");
  } catch (error) {
    return [(error as Error).message];
  }
}
