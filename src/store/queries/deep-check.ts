/** Reads everything that an SQLite file holds about its runs, to find out what a damaged file has lost. Changes nothing. */
import Sqlite from "better-sqlite3";
import { eachFrame, frameData } from "../../model/frame.ts";
import { decode } from "./heads.ts";

/** A run with unreadable parts. */
export interface DamagedRun {
  /** The run's id, or its key in the tables if the id itself cannot be read. */
  readonly name: string;
  /** Descriptions of what is lost. */
  readonly lost: readonly string[];
}

/** The result of checking a file. */
export interface DeepCheck {
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

interface SegmentRow {
  readonly firstIndex: number;
  readonly lastIndex: number;
  readonly encoding: number;
  readonly size: number;
  readonly frames: Buffer;
}

/** Checks a file. A server may have the file open: the check then covers live logs only up to their last stored row. */
export function checkDeeply(file: string): DeepCheck {
  const database = new Sqlite(file, { readonly: true });
  try {
    const keys = new Set([...readableKeys(database, "run_heads", "run_key"), ...readableKeys(database, "runs", "key")]);
    const damaged: DamagedRun[] = [];
    let events = 0;
    for (const key of [...keys].sort((a, b) => a - b)) {
      const run = checkRun(database, key);
      events += run.events;
      if (run.lost.length > 0) damaged.push(run);
    }
    return { runs: keys.size, events, damaged, findings: findingsOf(database) };
  } finally {
    database.close();
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

function checkRun(database: Sqlite.Database, key: number): DamagedRun & { readonly events: number } {
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
    | { readonly first_kept: number }
    | undefined;
  if (lost.length === 0 && (row === undefined || head === undefined))
    lost.push(row === undefined ? "its record (there is no row)" : "its state (there is no row)");
  read("its messages", () => database.prepare("select * from messages where run_key = ?").all(key));
  read("its marks", () => database.prepare("select * from marks where run_key = ?").all(key));
  const log = checkLog(database, key, head?.first_kept ?? 0);
  if (log.fault !== undefined) lost.push(`its events from ${log.next} on (${log.fault})`);
  return { name: row?.run_id ?? `run with the key ${key}`, lost, events: log.events };
}

/** Reads a log from its first stored event to its end, or to the first unreadable event. */
function checkLog(
  database: Sqlite.Database,
  key: number,
  firstKept: number,
): { readonly events: number; readonly next: number; readonly fault?: string } {
  let next = firstKept;
  const rows = database.prepare(
    `select first_index as firstIndex, last_index as lastIndex, encoding, size, frames from segments
      where run_key = ? and last_index >= ? order by last_index limit ${segmentsPerRead}`,
  );
  try {
    for (;;) {
      const segments = rows.all(key, next) as SegmentRow[];
      for (const segment of segments) {
        if (segment.firstIndex > next) throw new Error("a part of the log is missing");
        let index = segment.firstIndex;
        for (const frame of eachFrame(decode(segment).frames)) {
          const { event_index } = JSON.parse(frameData(frame)) as { readonly event_index: unknown };
          if (event_index !== index) throw new Error("not the bytes of an event");
          index++;
        }
        if (index !== segment.lastIndex + 1) throw new Error("not the bytes of an event");
        next = index;
      }
      if (segments.length < segmentsPerRead) return { events: next - firstKept, next };
    }
  } catch (error) {
    return { events: next - firstKept, next, fault: (error as Error).message };
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
