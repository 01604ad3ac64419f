/** Removes the events of ended runs in bounded transactions. */
import type { Database } from "../../database.ts";
import { all, run, type Transaction } from "../../transaction.ts";
import { nextIndex } from "./heads.ts";

/** Max uncompressed bytes of events that one transaction removes; at least one row. */
const maxBytes = 4 * 1024 * 1024;

/** Max rows of events that one transaction removes. */
const maxSegments = 500;

/** The removed rows. */
interface RemovedSegments {
  /** Number of cleared runs. */
  readonly items: number;
  readonly events: number;
  /** Uncompressed bytes of these events. */
  readonly bytes: number;
  /** The runs that have none left. */
  readonly cleared: readonly number[];
  /** Whether the bound of the transaction was reached, and some rows are left. */
  readonly isPartial: boolean;
}

/** Makes this step for a database. The transaction must have locked the heads of the runs, and the runs must have ended. */
export function segmentRemoval(database: Database): (keys: readonly number[]) => Transaction<RemovedSegments> {
  const { db } = database.dialect;

  /** Removes rows of events, oldest first, up to the bounds of a transaction. */
  function* removeSegments(keys: readonly number[]): Transaction<RemovedSegments> {
    const rows = yield* all(
      db
        .selectFrom("segments")
        .select(["run_key", "first_index", "last_index", "size"])
        .where("run_key", "in", keys)
        .orderBy("run_key")
        .orderBy("last_index")
        .limit(maxSegments + 1),
    );
    let [count, bytes, events] = [0, 0, 0];
    for (const row of rows.slice(0, maxSegments)) {
      if (count > 0 && bytes + row.size > maxBytes) break;
      count += 1;
      bytes += row.size;
      events += row.last_index - row.first_index + 1;
    }
    // The rows after the bound belong to this run and to later ones.
    const left = rows[count];
    const cleared = [...keys].sort((a, b) => a - b).filter((key) => left === undefined || key < left.run_key);
    if (cleared.length > 0) {
      const heads = db.updateTable("run_heads").set({ first_kept: nextIndex("run_heads"), compacted: 2 });
      yield* run(heads.where("run_key", "in", cleared));
      yield* run(db.deleteFrom("segments").where("run_key", "in", cleared));
    }
    if (left !== undefined && rows[count - 1]?.run_key === left.run_key) {
      const partial = db.deleteFrom("segments").where("run_key", "=", left.run_key);
      yield* run(partial.where("last_index", "<", left.first_index));
      const head = db.updateTable("run_heads").set({ first_kept: left.first_index, log_bytes: null });
      yield* run(head.where("run_key", "=", left.run_key));
    }
    return { cleared, items: cleared.length, events, bytes, isPartial: left !== undefined };
  }

  return removeSegments;
}
