/**
 * A write buffer for live logs on SQLite. While a model streams, each flush contains one small event per run. A row
 * with an index entry for each event would cost ten times as much as the event, because index entries are scattered
 * over the file. So each flush writes the events of all runs as one row of the table
 * `tails`, and keeps them in memory, by run. A run's buffer becomes a row of `segments` when it is large enough, or when the run leaves RUNNING.
 * `tails` is read only after a crash: no other process reads this database, so memory and tables together are the log.
 */
import type { Statement } from "better-sqlite3";
import type { Segment, SegmentWrite } from "../contract/store.ts";
import type { Encryption } from "../encryption/encryption.ts";
import { encodings, sealFrames } from "../encryption/frames.ts";
import type { SqliteConnection } from "./connection.ts";

const KiB = 1024;

/** Sizes at which buffers become rows of `segments`, in bytes of frames. */
export interface WriteBufferLimits {
  /** Limit for one run's buffer. */
  readonly run: number;
  /** Limit for all rows of `tails`, which bounds all buffers. */
  readonly all: number;
}

const defaultLimits: WriteBufferLimits = { run: 32 * KiB, all: 8 * 1024 * KiB };

/** A part of a run's log on its way into the tables. */
export interface BufferedSegment extends SegmentWrite {
  readonly key: number;
  readonly attempt: number;
}

interface RunBuffer {
  readonly segments: BufferedSegment[];
  bytes: number;
  /** Id of the row of `tails` that contains its first piece. */
  readonly firstRow: number;
}

interface JournalRow {
  readonly id: number;
  readonly bytes: number;
}

/** Key, attempt, first and last index and byte length of each part of a row. */
type Part = readonly [key: number, attempt: number, firstIndex: number, lastIndex: number, size: number];

/** The write buffers of one database. */
export class WriteBuffer {
  readonly #connection: SqliteConnection;
  readonly #limits: WriteBufferLimits;
  readonly #encryption: Encryption | undefined;
  /** Oldest first. */
  readonly #buffers = new Map<number, RunBuffer>();
  #rows: JournalRow[] = [];
  #bytes = 0;
  #lastId = 0;
  readonly #insertSegment: Statement;
  readonly #insertRow: Statement;
  readonly #deleteRows: Statement;

  constructor(connection: SqliteConnection, limits: WriteBufferLimits = defaultLimits, encryption?: Encryption) {
    this.#connection = connection;
    this.#encryption = encryption;
    this.#limits = limits;
    this.#insertSegment = connection.prepare(
      `insert into segments (run_key, last_index, first_index, attempt, encoding, size, frames)
        values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
    );
    this.#insertRow = connection.prepare("insert into tails (id, parts, frames) values (?, ?, ?)");
    this.#deleteRows = connection.prepare("delete from tails where id < ?");
    this.#recover();
  }

  /** Index of the run's next event; undefined when the run has nothing buffered. */
  nextIndex(key: number): number | undefined {
    const last = this.#buffers.get(key)?.segments.at(-1);
    return last === undefined ? undefined : last.lastIndex + 1;
  }

  /** Buffered pieces of a run with events after `cursor`. */
  after(key: number, cursor: number): readonly Segment[] {
    const segments = this.#buffers.get(key)?.segments ?? [];
    return segments.filter((segment) => segment.lastIndex > cursor);
  }

  /**
   * Writes pieces in the caller's transaction. Runs that are `leaving` have no buffer afterwards. Call the returned function after the commit: until
   * then memory is unchanged.
   */
  write(segments: readonly BufferedSegment[], leaving: ReadonlySet<number>): () => void {
    const added = new Map<number, BufferedSegment[]>();
    for (const segment of segments) {
      const known = added.get(segment.key);
      if (known === undefined) added.set(segment.key, [segment]);
      else known.push(segment);
    }
    const stored = this.#runsToStore(added, leaving);
    for (const key of stored) this.#insert([...(this.#buffers.get(key)?.segments ?? []), ...(added.get(key) ?? [])]);
    const kept = segments.filter((segment) => !stored.has(segment.key));
    const id = this.#lastId + 1;
    if (kept.length > 0) {
      const parts = kept.map(({ key, attempt, firstIndex, lastIndex, frames }): Part => {
        return [key, attempt, firstIndex, lastIndex, frames.length];
      });
      const frames = kept.map((segment) => segment.frames);
      const all = frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames);
      const stored = this.#encryption?.sealBytes("tails.frames", [id], all) ?? all;
      this.#insertRow.run(id, JSON.stringify(parts), stored);
    }
    const needed = this.#oldestNeeded(stored, id);
    if ((this.#rows[0]?.id ?? needed) < needed) this.#deleteRows.run(needed);
    return () => this.#commit(stored, kept, id, needed);
  }

  /** Writes every buffer into `segments` and empties the table `tails`. */
  drain(): void {
    const commit = this.#connection.transact(() => this.write([], new Set(this.#buffers.keys())));
    commit();
  }

  /** Runs whose buffer becomes a row of `segments` now: the run is leaving, its buffer is large enough, or its row of `tails` must be freed. */
  #runsToStore(
    added: ReadonlyMap<number, readonly BufferedSegment[]>,
    leaving: ReadonlySet<number>,
  ): ReadonlySet<number> {
    const stored = new Set<number>();
    for (const key of leaving) if (this.#buffers.has(key) || added.has(key)) stored.add(key);
    for (const [key, segments] of added) {
      let bytes = this.#buffers.get(key)?.bytes ?? 0;
      for (const segment of segments) bytes += segment.frames.length;
      if (bytes >= this.#limits.run) stored.add(key);
    }
    const cutoff = this.#cutoff();
    for (const [key, buffer] of this.#buffers) {
      if (buffer.firstRow > cutoff) break;
      stored.add(key);
    }
    return stored;
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
  #oldestNeeded(stored: ReadonlySet<number>, next: number): number {
    for (const [key, buffer] of this.#buffers) if (!stored.has(key)) return buffer.firstRow;
    return next;
  }

  #commit(stored: ReadonlySet<number>, kept: readonly BufferedSegment[], id: number, needed: number): void {
    for (const key of stored) this.#buffers.delete(key);
    if (kept.length > 0) {
      let bytes = 0;
      for (const segment of kept) {
        bytes += segment.frames.length;
        const buffer = this.#buffers.get(segment.key);
        if (buffer === undefined) {
          this.#buffers.set(segment.key, { segments: [segment], bytes: segment.frames.length, firstRow: id });
        } else {
          buffer.segments.push(segment);
          buffer.bytes += segment.frames.length;
        }
      }
      this.#rows.push({ id, bytes });
      this.#bytes += bytes;
      this.#lastId = id;
    }
    const firstKept = this.#rows.findIndex((row) => row.id >= needed);
    for (const row of firstKept === -1 ? this.#rows : this.#rows.slice(0, firstKept)) this.#bytes -= row.bytes;
    if (firstKept !== 0) this.#rows = firstKept === -1 ? [] : this.#rows.slice(firstKept);
  }

  #insert(segments: readonly BufferedSegment[]): void {
    const first = segments[0];
    const last = segments.at(-1);
    if (first === undefined || last === undefined) return;
    const frames = segments.length === 1 ? first.frames : Buffer.concat(segments.map((segment) => segment.frames));
    const row = { runKey: last.key, firstIndex: first.firstIndex, lastIndex: last.lastIndex };
    const stored = sealFrames(this.#encryption, { ...row, encoding: encodings.plain, frames });
    this.#insertSegment.run(
      ...[row.runKey, row.lastIndex, row.firstIndex, last.attempt],
      ...[stored.encoding, frames.length, stored.frames],
    );
  }

  /** After a crash: moves the events that only the table `tails` holds into `segments`. */
  #recover(): void {
    const rows = this.#connection.prepare("select id, parts, frames from tails order by id");
    const next = this.#connection.prepare(
      `select coalesce((select last_index + 1 from segments where run_key = h.run_key order by last_index desc limit 1), first_kept) as next
        from run_heads h where run_key = ?`,
    );
    this.#connection.transact(() => {
      const found = new Map<number, BufferedSegment[]>();
      for (const row of rows.all() as { id: number; parts: string; frames: Buffer }[]) {
        const parts = JSON.parse(row.parts) as Part[];
        const all = this.#framesOf(row, parts);
        let start = 0;
        for (const [key, attempt, firstIndex, lastIndex, size] of parts) {
          const frames = all.subarray(start, start + size);
          start += size;
          const segments = found.get(key) ?? [];
          found.set(key, [...segments, { key, attempt, firstIndex, lastIndex, frames }]);
        }
      }
      for (const [key, segments] of found) {
        const head = next.get(key) as { next: number } | undefined;
        if (head !== undefined) this.#insert(segments.filter((segment) => segment.firstIndex >= head.next));
      }
      this.#connection.prepare("delete from tails").run();
    });
  }

  /** The frames of a row. Encrypted ones are longer than their parts together. */
  #framesOf({ id, frames }: { readonly id: number; readonly frames: Buffer }, parts: readonly Part[]): Buffer {
    const bytes = parts.reduce((sum, [, , , , size]) => sum + size, 0);
    if (frames.length === bytes || this.#encryption === undefined) return frames;
    return this.#encryption.openBytes("tails.frames", [id], frames);
  }
}
