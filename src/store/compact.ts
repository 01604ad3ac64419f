/** Finished logs, made small, and forgotten in time. */
import { promisify } from "node:util";
import { constants, zstdCompress } from "node:zlib";
import { sql } from "kysely";
import { isTerminal } from "../model/run.ts";
import type { Database } from "./database.ts";
import { encodings, logReads } from "./heads.ts";
import type { FrameRange } from "./recut.ts";
import { recut } from "./recut.ts";
import type { Segment, Store } from "./seam.ts";
import type { Work } from "./work.ts";
import { first, run } from "./work.ts";

/** What the store does to finished logs. */
export type Compaction = Pick<Store, "uncompacted" | "compact" | "expireEvents">;

/** Bytes of frames that one transaction rewrites. */
const batchBytes = 4 * 1024 * 1024;

const compress = promisify(zstdCompress);
const level = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

interface Row extends FrameRange {
  readonly encoding: number;
  readonly size: number;
}

/** Makes it for a database. */
export function compaction(database: Database): Compaction {
  const { db, now, locked, lockedOrSkipped } = database.dialect;
  const { segments } = logReads(database);

  function* isFinished(key: number): Work<boolean> {
    const head = yield* first(db.selectFrom("run_heads").select("status").where("run_key", "=", key).modifyEnd(locked));
    return head !== undefined && isTerminal(head.status);
  }

  function* isDue(key: number, lock = locked): Work<boolean> {
    const head = yield* first(
      db.selectFrom("run_heads").select(["status", "compacted"]).where("run_key", "=", key).modifyEnd(lock),
    );
    return head !== undefined && isTerminal(head.status) && head.compacted === 0;
  }

  /** Puts new rows in the place of stored ones, if these still are what was read: a log's bytes never change, only where rows begin. */
  function* replace(key: number, old: readonly Segment[], rows: readonly Row[]): Work<boolean> {
    if (!(yield* isDue(key))) return false;
    const from = old[0]?.firstIndex ?? 0;
    const to = old.at(-1)?.lastIndex ?? 0;
    const stored = yield* first(
      db
        .selectFrom("segments")
        .select((eb) => [
          eb.fn.min("first_index").as("first"),
          eb.fn.max("last_index").as("last"),
          eb.fn.max("attempt").as("attempt"),
        ])
        .where("run_key", "=", key)
        .where("last_index", ">=", from)
        .where("last_index", "<=", to),
    );
    if (stored?.first !== from || stored.last !== to) return false;
    const { attempt } = stored;
    yield* run(
      db
        .deleteFrom("segments")
        .where("run_key", "=", key)
        .where("last_index", ">=", from)
        .where("last_index", "<=", to),
    );
    for (const { firstIndex, lastIndex, encoding, size, frames } of rows) {
      yield* run(
        db
          .insertInto("segments")
          .values({ run_key: key, last_index: lastIndex, first_index: firstIndex, attempt, encoding, size, frames }),
      );
    }
    return true;
  }

  function* markCompacted(key: number): Work<void> {
    if (!(yield* isDue(key))) return;
    yield* run(db.updateTable("run_heads").set({ compacted: 1, updated_at: now }).where("run_key", "=", key));
  }

  function* expire(key: number, firstKept: number): Work<void> {
    if (!(yield* isFinished(key))) return;
    const last = yield* first(
      db.selectFrom("segments").select("last_index").where("run_key", "=", key).orderBy("last_index", "desc").limit(1),
    );
    if (last === undefined) return;
    yield* run(db.deleteFrom("segments").where("run_key", "=", key).where("last_index", "<", firstKept));
    const kept = yield* first(
      db.selectFrom("segments").select("first_index").where("run_key", "=", key).orderBy("last_index").limit(1),
    );
    const first_kept = kept?.first_index ?? last.last_index + 1;
    yield* run(db.updateTable("run_heads").set({ first_kept, updated_at: now }).where("run_key", "=", key));
  }

  return {
    async uncompacted(limit, after = -1) {
      const query = db
        .selectFrom("run_heads")
        .select("run_key")
        .where(
          sql<boolean>`status in ('COMPLETED', 'CANCELLED', 'ERROR') and compacted = 0 and session_seq is not null`,
        )
        .where("run_key", ">", after)
        .orderBy("run_key")
        .limit(limit);
      const rows = await database.read(query.compile());
      return rows.map((row) => row.run_key);
    },

    async compact(key, rowBytes) {
      // Nothing is compressed for a log that another process has finished, or has locked to replace its rows.
      if (!(await database.write(() => isDue(key, lockedOrSkipped)))) return;
      let cursor = -1;
      for (;;) {
        const old = await segments(key, cursor, batchBytes);
        if (old.length === 0) break;
        const rows = await Promise.all(recut(old, rowBytes).map(encode));
        // Somebody else was here in between: begin again where the log now begins.
        if (!(await database.write(() => replace(key, old, rows)))) return;
        cursor = old.at(-1)?.lastIndex ?? cursor;
      }
      await database.write(() => markCompacted(key));
    },

    async expireEvents(key, firstKept) {
      await database.write(() => expire(key, firstKept));
    },
  };
}

async function encode(piece: FrameRange): Promise<Row> {
  const size = piece.frames.length;
  const packed = await compress(piece.frames, level);
  return packed.length < size
    ? { ...piece, encoding: encodings.zstd, size, frames: packed }
    : { ...piece, encoding: encodings.plain, size };
}
