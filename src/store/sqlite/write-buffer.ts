/**
 * A write buffer for live logs on SQLite. At token speed a run writes one small event per flush. A row with an index entry for each costs ten times
 * as much as the event, because the index entries are scattered over the file. So each flush writes the events of all runs as one row of the table
 * `tails`, and keeps them in memory, by run. A run's buffer becomes a row of `segments` when it is large enough, or when the run leaves RUNNING.
 * `tails` is read only after a crash: no other process reads this database, so memory and tables together are the log.
 */
import type { Statement } from "better-sqlite3";
import type { Segment, SegmentWrite } from "../contract/store.ts";
import type { SqliteConnection } from "./connection.ts";

const KiB = 1024;

/** Sizes at which buffers become rows of `segments`, in bytes of frames. */
export interface TailLimits {
  /** Limit for one run's buffer. */
  readonly run: number;
  /** Limit for all rows of `tails`, which bounds all buffers. */
  readonly all: number;
}

const defaultLimits: TailLimits = { run: 32 * KiB, all: 8 * 1024 * KiB };

/** A part of a run's log on its way into the tables. */
export interface TailPiece extends SegmentWrite {
  readonly key: number;
  readonly attempt: number;
}

interface Tail {
  readonly pieces: TailPiece[];
  bytes: number;
  /** Id of the row of `tails` that contains its first piece. */
  readonly since: number;
}

interface TailsRow {
  readonly id: number;
  readonly bytes: number;
}

/** Key, attempt, first and last index and byte length of each part of a row. */
type Part = readonly [key: number, attempt: number, firstIndex: number, lastIndex: number, size: number];

/** The write buffers of one database. */
export class Tails {
  readonly #connection: SqliteConnection;
  readonly #limits: TailLimits;
  /** Oldest first. */
  readonly #tails = new Map<number, Tail>();
  #rows: TailsRow[] = [];
  #bytes = 0;
  #lastId = 0;
  readonly #insertSegment: Statement;
  readonly #insertRow: Statement;
  readonly #deleteRows: Statement;

  constructor(connection: SqliteConnection, limits: TailLimits = defaultLimits) {
    this.#connection = connection;
    this.#limits = limits;
    this.#insertSegment = connection.prepare(
      `insert into segments (run_key, last_index, first_index, attempt, encoding, size, frames)
        values (?, ?, ?, ?, 0, ?, ?) on conflict do nothing`,
    );
    this.#insertRow = connection.prepare("insert into tails (id, parts, frames) values (?, ?, ?)");
    this.#deleteRows = connection.prepare("delete from tails where id < ?");
    this.#recover();
  }

  /** Index of the run's next event; undefined when the run has nothing buffered. */
  nextIndex(key: number): number | undefined {
    const last = this.#tails.get(key)?.pieces.at(-1);
    return last === undefined ? undefined : last.lastIndex + 1;
  }

  /** Buffered pieces of a run with events after `cursor`. */
  after(key: number, cursor: number): readonly Segment[] {
    const pieces = this.#tails.get(key)?.pieces ?? [];
    return pieces.filter((piece) => piece.lastIndex > cursor);
  }

  /**
   * Writes pieces in the caller's transaction. Runs that are `leaving` have no buffer afterwards. Call the returned function after the commit: until
   * then memory is unchanged.
   */
  write(pieces: readonly TailPiece[], leaving: ReadonlySet<number>): () => void {
    const fresh = new Map<number, TailPiece[]>();
    for (const piece of pieces) {
      const known = fresh.get(piece.key);
      if (known === undefined) fresh.set(piece.key, [piece]);
      else known.push(piece);
    }
    const settled = this.#settled(fresh, leaving);
    for (const key of settled) this.#insert([...(this.#tails.get(key)?.pieces ?? []), ...(fresh.get(key) ?? [])]);
    const unsettled = pieces.filter((piece) => !settled.has(piece.key));
    const id = this.#lastId + 1;
    if (unsettled.length > 0) {
      const parts = unsettled.map(({ key, attempt, firstIndex, lastIndex, frames }): Part => {
        return [key, attempt, firstIndex, lastIndex, frames.length];
      });
      const frames = unsettled.map((piece) => piece.frames);
      this.#insertRow.run(id, JSON.stringify(parts), frames.length === 1 ? frames[0] : Buffer.concat(frames));
    }
    const needed = this.#oldestNeeded(settled, id);
    if ((this.#rows[0]?.id ?? needed) < needed) this.#deleteRows.run(needed);
    return () => this.#commit(settled, unsettled, id, needed);
  }

  /** Writes every buffer into `segments` and empties the table `tails`. */
  settle(): void {
    const commit = this.#connection.transact(() => this.write([], new Set(this.#tails.keys())));
    commit();
  }

  /** Runs whose buffer becomes a row of `segments` now: the run is leaving, its buffer is large enough, or its row of `tails` must be freed. */
  #settled(fresh: ReadonlyMap<number, readonly TailPiece[]>, leaving: ReadonlySet<number>): ReadonlySet<number> {
    const settled = new Set<number>();
    for (const key of leaving) if (this.#tails.has(key) || fresh.has(key)) settled.add(key);
    for (const [key, pieces] of fresh) {
      let bytes = this.#tails.get(key)?.bytes ?? 0;
      for (const piece of pieces) bytes += piece.frames.length;
      if (bytes >= this.#limits.run) settled.add(key);
    }
    const cutoff = this.#cutoff();
    for (const [key, tail] of this.#tails) {
      if (tail.since > cutoff) break;
      settled.add(key);
    }
    return settled;
  }

  /** Id of the last row that must be freed to keep the table within its limit; 0 for none. */
  #cutoff(): number {
    let bytes = this.#bytes;
    let cutoff = 0;
    for (const row of this.#rows) {
      if (bytes <= this.#limits.all) break;
      bytes -= row.bytes;
      cutoff = row.id;
    }
    return cutoff;
  }

  /** Id of the first row that a buffer still needs after these runs are written. */
  #oldestNeeded(settled: ReadonlySet<number>, next: number): number {
    for (const [key, tail] of this.#tails) if (!settled.has(key)) return tail.since;
    return next;
  }

  #commit(settled: ReadonlySet<number>, unsettled: readonly TailPiece[], id: number, needed: number): void {
    for (const key of settled) this.#tails.delete(key);
    if (unsettled.length > 0) {
      let bytes = 0;
      for (const piece of unsettled) {
        bytes += piece.frames.length;
        const tail = this.#tails.get(piece.key);
        if (tail === undefined) {
          this.#tails.set(piece.key, { pieces: [piece], bytes: piece.frames.length, since: id });
        } else {
          tail.pieces.push(piece);
          tail.bytes += piece.frames.length;
        }
      }
      this.#rows.push({ id, bytes });
      this.#bytes += bytes;
      this.#lastId = id;
    }
    const kept = this.#rows.findIndex((row) => row.id >= needed);
    for (const row of kept === -1 ? this.#rows : this.#rows.slice(0, kept)) this.#bytes -= row.bytes;
    if (kept !== 0) this.#rows = kept === -1 ? [] : this.#rows.slice(kept);
  }

  #insert(pieces: readonly TailPiece[]): void {
    const first = pieces[0];
    const last = pieces.at(-1);
    if (first === undefined || last === undefined) return;
    const frames = pieces.length === 1 ? first.frames : Buffer.concat(pieces.map((piece) => piece.frames));
    this.#insertSegment.run(last.key, last.lastIndex, first.firstIndex, last.attempt, frames.length, frames);
  }

  /** After a crash: moves the events that only the table `tails` holds into `segments`. */
  #recover(): void {
    const rows = this.#connection.prepare("select id, parts, frames from tails order by id");
    const next = this.#connection.prepare(
      `select coalesce((select last_index + 1 from segments where run_key = h.run_key order by last_index desc limit 1), first_kept) as next
        from run_heads h where run_key = ?`,
    );
    this.#connection.transact(() => {
      const found = new Map<number, TailPiece[]>();
      for (const row of rows.all() as { parts: string; frames: Buffer }[]) {
        let start = 0;
        for (const [key, attempt, firstIndex, lastIndex, size] of JSON.parse(row.parts) as Part[]) {
          const frames = row.frames.subarray(start, start + size);
          start += size;
          const pieces = found.get(key) ?? [];
          found.set(key, [...pieces, { key, attempt, firstIndex, lastIndex, frames }]);
        }
      }
      for (const [key, pieces] of found) {
        const head = next.get(key) as { next: number } | undefined;
        if (head !== undefined) this.#insert(pieces.filter((piece) => piece.firstIndex >= head.next));
      }
      this.#connection.prepare("delete from tails").run();
    });
  }
}
