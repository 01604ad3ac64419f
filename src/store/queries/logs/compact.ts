/** Compacts the logs of finished runs, stores their traces, queues their usage, and deletes expired events. */
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { sql } from "kysely";
import { isTerminal } from "../../../model/run/run.ts";
import { TraceBuilder } from "../../../model/trace/derive.ts";
import { type LoggedUsage, LogUsage } from "../../../model/usage/log-usage.ts";
import type { Segment, Store } from "../../contract/store.ts";
import type { Database } from "../../database.ts";
import { encodings, sealFrames } from "../../encryption/frames.ts";
import { matchesIndex } from "../../rows/index-predicates.ts";
import type { Transaction } from "../../transaction.ts";
import { bind, first, run } from "../../transaction.ts";
import { insertTrace, type TraceValues, toTracedRun, toTraceValues, tracedColumns } from "../trace/trace-writes.ts";
import { usageQueue } from "../usage/queue.ts";
import { logReads } from "./heads.ts";
import type { FrameRange } from "./rechunk.ts";
import { rechunk } from "./rechunk.ts";
import { storedBytes } from "./stored-bytes.ts";

/** Methods of the store for finished logs. */
export type Compaction = Pick<Store, "uncompacted" | "compact" | "expireEvents">;

/** Bytes of frames that one transaction rewrites. */
const batchBytes = 4 * 1024 * 1024;

const compress = promisify(zlib.zstdCompress);
const level = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 3 } };

interface Row extends FrameRange {
  readonly encoding: number;
  readonly size: number;
}

/** Data that is derived from the log of a run. */
interface Derived {
  readonly trace: TraceValues;
  readonly usage: readonly LoggedUsage[];
}

/** Makes the compaction of a database. */
export function compaction(database: Database): Compaction {
  const { db, locked } = database.dialect;
  const { head, segments } = logReads(database);
  const queue = usageQueue(database);
  const dueQuery = db
    .selectFrom("run_heads as h")
    .innerJoin("runs as r", "r.key", "h.run_key")
    .innerJoin("sessions as s", "s.key", "r.session_key")
    .select(tracedColumns)
    .where("h.run_key", "=", 0)
    .where(sql<boolean>`h.compacted = 0`)
    .compile();
  const storeTrace = insertTrace(database);

  function* isFinished(key: number): Transaction<boolean> {
    const head = yield* first(db.selectFrom("run_heads").select("status").where("run_key", "=", key).modifyEnd(locked));
    return head !== undefined && isTerminal(head.status);
  }

  function* isDue(key: number): Transaction<boolean> {
    const head = yield* first(
      db.selectFrom("run_heads").select(["status", "compacted"]).where("run_key", "=", key).modifyEnd(locked),
    );
    return head !== undefined && isTerminal(head.status) && head.compacted === 0;
  }

  /**
   * Rewrites one batch of a log. The last batch also stores the trace, queues the usage and marks the log compacted. Usually a log is one batch.
   */
  function* rewrite(
    key: number,
    old: readonly Segment[],
    rows: readonly Row[],
    derived: Derived | undefined,
  ): Transaction<boolean> {
    if (!(yield* isDue(key))) return false;
    if (old.length > 0 && !(yield* replace(key, old, rows))) return false;
    if (derived) {
      yield* storeTrace(derived.trace);
      yield* queue.add(key, derived.usage);
      const compacted = { compacted: 1, counted: 1, log_bytes: storedBytes("run_heads.run_key") };
      yield* run(db.updateTable("run_heads").set(compacted).where("run_key", "=", key));
    }
    return true;
  }

  /** Replaces stored rows with new ones, if they are still the rows that were read: a log's bytes never change, only its row boundaries do. */
  function* replace(key: number, old: readonly Segment[], rows: readonly Row[]): Transaction<boolean> {
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

  function* expire(key: number, firstKept: number): Transaction<void> {
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
    yield* run(db.updateTable("run_heads").set({ first_kept }).where("run_key", "=", key));
  }

  return {
    async uncompacted(limit, after = -1) {
      const query = db
        .selectFrom("run_heads")
        .select("run_key")
        .where(matchesIndex("heads_uncompacted"))
        .where("run_key", ">", after)
        .orderBy("run_key")
        .limit(limit);
      const rows = await database.read(query.compile());
      return rows.map((row) => row.run_key);
    },

    async compact(key, rowBytes) {
      // Several processes compact: another one has often finished a log by the time this one reaches it.
      const [row] = await database.read(bind(dueQuery, [key]));
      if (row === undefined) return undefined;
      const traced = toTracedRun(row);
      const trace = new TraceBuilder(traced);
      const log = new LogUsage();
      const { nextIndex } = (await head(key)) ?? { nextIndex: 0 };
      for (let cursor = -1, isLast = false; !isLast; ) {
        const old = await segments(key, cursor, batchBytes);
        isLast = (old.at(-1)?.lastIndex ?? nextIndex) + 1 >= nextIndex;
        for (const { frames } of old) {
          trace.take(frames);
          log.take(frames);
        }
        const rows = (await Promise.all(rechunk(old, rowBytes).map(encode))).map((each) => ({
          ...each,
          ...sealFrames(database.encryption, { ...each, runKey: key }),
        }));
        const derived = isLast
          ? { trace: toTraceValues(key, row, trace, database.encryption), usage: await queue.complete(key, log) }
          : undefined;
        // Another process compacts or has compacted this log. Rows that it wrote stay, and a later round compacts the rest.
        if (!(await database.write(() => rewrite(key, old, rows, derived)))) return undefined;
        cursor = old.at(-1)?.lastIndex ?? cursor;
      }
      return { key, run: traced, spans: () => trace.spans() };
    },

    async expireEvents(key, firstKept) {
      await database.write(() => expire(key, firstKept));
    },
  };
}

async function encode(chunk: FrameRange): Promise<Row> {
  const size = chunk.frames.length;
  const compressed = await compress(chunk.frames, level);
  return compressed.length < size
    ? { ...chunk, encoding: encodings.zstd, size, frames: compressed }
    : { ...chunk, encoding: encodings.plain, size };
}
