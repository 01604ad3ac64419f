/** Reads the heads and segments of logs. */

import * as zlib from "node:zlib";
import type { CompiledQuery, Expression, RawBuilder, SqlBool } from "kysely";
import { sql } from "kysely";
import { upgradeFrames } from "../../../model/frame.ts";
import type { RunStatus } from "../../../model/run/run.ts";
import type { RunHead, Segment, Store } from "../../contract/store.ts";
import type { Database, ReadableDatabase } from "../../database.ts";
import type { SegmentRow } from "../../dialect.ts";
import type { Encryption } from "../../encryption/encryption.ts";
import { encodings, openFrames } from "../../encryption/frames.ts";
import type { Transaction } from "../../transaction.ts";
import { bind, first, run } from "../../transaction.ts";

/** Max rows per read, however small they are. */
const maxRows = 1_024;

interface HeadRow extends Omit<RunHead, "cancelRequested"> {
  readonly cancelRequested: number;
}

/** Statuses as literals of a statement, so that partial indexes apply. */
export function isOneOf(column: string, statuses: readonly RunStatus[]): Expression<SqlBool> {
  const list = statuses.map((status) => sql.lit(status));
  return sql<SqlBool>`${sql.ref(column)} in (${sql.join(list)})`;
}

/** Reads of logs. */
export type LogReads = Pick<Store, "head" | "segments">;

/** Changes of a head outside flushes. */
export type HeadChanges = Pick<Store, "release" | "requestCancel" | "watch">;

/** Makes these methods for a database. */
export function logReads(database: ReadableDatabase): LogReads {
  // Followers read often: both statements are built once.
  const headQuery = selectHead(database);
  const segmentsQuery = selectSegments(database);

  return {
    async head(key) {
      const bufferedEnd = database.writeBuffer?.nextIndex(key);
      const rows = await database.read(bind(headQuery, [key]));
      return toHead(rows[0], bufferedEnd);
    },

    async segments(key, cursor, maxBytes) {
      const buffered = database.writeBuffer?.after(key, cursor) ?? [];
      const rows = await database.read(bind(segmentsQuery, [key, cursor, key, cursor, maxRows, maxBytes]));
      const { encryption } = database;
      const decodeAll = (): readonly Segment[] => rows.map((row) => decode(key, row, encryption));
      const stored = encryption ? await encryption.withKeys(decodeAll) : decodeAll();
      return buffered.length === 0 ? stored : withBuffered(stored, buffered, cursor, maxBytes);
    },
  };
}

/** Makes these methods for a database. */
export function headChanges(database: Database): HeadChanges {
  const { db, now } = database.dialect;
  const headQuery = selectHead(database);

  function* requestCancel(key: number): Transaction<HeadRow | undefined> {
    yield* run(
      db
        .updateTable("run_heads")
        .set({ cancel_requested: 1, ready: 1, updated_at: now })
        .where("run_key", "=", key)
        .where(isOneOf("status", ["PENDING", "RUNNING", "PAUSED"])),
    );
    return yield* first({ compile: () => bind(headQuery, [key]) });
  }

  return {
    async watch(key) {
      // The flush that writes the log locks the same row: if it did not see this change, a later read sees the events of that flush.
      const query = db.updateTable("run_heads").set({ watched: 1 }).where("run_key", "=", key).where("watched", "=", 0);
      await database.write(() => run(query));
    },

    async requestCancel(key) {
      const row = await database.write(() => requestCancel(key));
      return toHead(row, database.writeBuffer?.nextIndex(key));
    },

    async release(key, attempt) {
      const query = db
        .updateTable("run_heads")
        .set({ status: "PENDING", owner: null, ready: 1, updated_at: now })
        .where("run_key", "=", key)
        .where("attempt", "=", attempt)
        .where("status", "=", "RUNNING")
        .where("session_seq", "is not", null);
      return (await database.write(() => run(query))) > 0;
    },
  };
}

/** Index of a run's next event: one after the end of its last segment. */
export function nextIndex(head: string): RawBuilder<number> {
  return sql<number>`coalesce((select s.last_index + 1 from segments s where s.run_key = ${sql.ref(`${head}.run_key`)}
    order by s.last_index desc limit 1), ${sql.ref(`${head}.first_kept`)})`;
}

function selectHead({ dialect: { db } }: ReadableDatabase): CompiledQuery<HeadRow> {
  return db
    .selectFrom("run_heads as h")
    .select(["h.status", "h.attempt", "h.first_kept as firstKept", "h.cancel_requested as cancelRequested"])
    .select(nextIndex("h").as("nextIndex"))
    .where("h.run_key", "=", 0)
    .compile();
}

/** Rows after a cursor, as long as the rows before them have less than a number of bytes. One statement, so one snapshot. */
function selectSegments({ dialect: { db, segments } }: ReadableDatabase): CompiledQuery<SegmentRow> {
  const rows = sql`
    select first_index, last_index, encoding, size, frames from segments
    where run_key = ${0} and last_index > ${0} and last_index <= (
      select max(last_index) from (
        select last_index, sum(size) over (order by last_index) - size as bytes_before from segments
        where run_key = ${0} and last_index > ${0} order by last_index limit ${0}
      ) as ahead where bytes_before < ${0}
    )`;
  return segments(rows).compile(db);
}

/**
 * The segment of a row. Decompresses synchronously: handing the work to a thread takes longer than decompressing a quarter of a megabyte (0.1 ms).
 */
export function decode(
  runKey: number,
  { firstIndex, lastIndex, encoding: stored, size, frames: given }: SegmentRow,
  encryption: Encryption | undefined,
): Segment {
  const bytes = typeof given === "string" ? Buffer.from(given, "base64") : given;
  const { encoding, frames } = openFrames(encryption, {
    runKey,
    firstIndex,
    lastIndex,
    encoding: stored,
    frames: bytes,
  });
  const plain =
    encoding === encodings.plain ? frames : zlib.zstdDecompressSync(frames, { chunkSize: Math.max(size, 64) });
  return { firstIndex, lastIndex, frames: upgradeFrames(plain) };
}

/** Appends buffered segments to stored ones, if they are contiguous. A buffer that was stored after `buffered` was read is in both: each event is read once. */
function withBuffered(
  stored: readonly Segment[],
  buffered: readonly Segment[],
  cursor: number,
  maxBytes: number,
): readonly Segment[] {
  const segments = [...stored];
  let end = stored.at(-1)?.lastIndex ?? cursor;
  let bytes = stored.reduce((sum, segment) => sum + segment.frames.length, 0);
  for (const { firstIndex, lastIndex, frames } of buffered) {
    if (lastIndex <= end) continue;
    if (firstIndex > end + 1 || (segments.length > 0 && bytes >= maxBytes)) break;
    segments.push({ firstIndex, lastIndex, frames });
    bytes += frames.length;
    end = lastIndex;
  }
  return segments;
}

function toHead(row: HeadRow | undefined, bufferedEnd: number | undefined): RunHead | undefined {
  if (row === undefined) return undefined;
  return { ...row, nextIndex: Math.max(row.nextIndex, bufferedEnd ?? 0), cancelRequested: row.cancelRequested !== 0 };
}
