/** Deletes finished runs and sessions. */
import { type Kysely, type RawBuilder, sql } from "kysely";
import { isTerminal } from "../../model/run/run.ts";
import type { Store } from "../contract/store.ts";
import { sessionPeriod } from "../contract/usage.ts";
import type { Database } from "../database.ts";
import { matchesIndex } from "../rows/index-predicates.ts";
import type { Tables } from "../rows/tables.ts";
import type { Transaction } from "../transaction.ts";
import { all, first, run } from "../transaction.ts";
import { type Usages, usageQueue } from "./usage/queue.ts";

/** Deletes of the store. */
export type Deletions = Pick<Store, "deleteRun" | "deleteSession">;

/** Max root runs per transaction. */
const maxRuns = 20;

/** Milliseconds for which a deleted run's key is remembered: longer than a creation is retried. */
const deletedKeyRetention = 24 * 3_600_000;

/** Values of a session whose summary is removed. A run that extends the earlier version then stores nothing. */
export const noSummary: {
  readonly [Column in "summary" | "summary_seq" | "summary_by"]: null;
} & { readonly summary_version: RawBuilder<number> } = {
  ...{ summary: null, summary_seq: null, summary_by: null },
  summary_version: sql<number>`summary_version + 1`,
};

/** Tables with rows of runs, in the order of their deletion. */
const tablesOfRuns = [
  "segments",
  "traces",
  "marks",
  "approvals",
  "answer_deadlines",
  "push_targets",
  "webhook_deliveries",
  "run_feedback",
  "knowledge_citations",
  "messages",
] as const;

/** Tables whose rows are deleted with runs, and the summaries of sessions. */
export type DeletedTable = (typeof tablesOfRuns)[number] | "starts" | "runs" | "summaries";

/** Steps of transactions that delete runs and sessions. */
export interface DeletionSteps {
  /**
   * Deletes ended runs. A missing run counts as deleted. `uncounted`: a run's usage is not counted yet, and `usages` does not have it.
   * @param usages the usage of the runs that are not counted yet; undefined counts the usage in their outputs
   * @param onDeleted receives the number of deleted rows of a table
   */
  deleteRuns(
    keys: readonly number[],
    usages?: Usages,
    onDeleted?: (table: DeletedTable, rows: number) => void,
  ): Transaction<"done" | "unfinished" | "uncounted">;
  /** Deletes a session unless it has runs; returns whether it did. */
  deleteEmptySession(key: number): Transaction<boolean>;
}

/** Makes these steps for a database. */
export function deletionSteps(database: Database): DeletionSteps {
  const { db, locked, now } = database.dialect;
  const queue = usageQueue(database);

  function* deleteRuns(
    keys: readonly number[],
    usages?: Usages,
    onDeleted: (table: DeletedTable, rows: number) => void = () => undefined,
  ): Transaction<"done" | "unfinished" | "uncounted"> {
    const heads = yield* all(
      db
        .selectFrom("run_heads")
        .select(["run_key as key", "status", "counted"])
        .where("run_key", "in", keys)
        .orderBy("run_key")
        .modifyEnd(locked),
    );
    if (heads.some((head) => !isTerminal(head.status))) return "unfinished";
    const uncounted = heads.filter(({ counted }) => counted === 0);
    if (usages && uncounted.some(({ key }) => !usages.has(key))) return "uncounted";
    for (const { key } of uncounted) {
      const usage = usages ? usages.get(key) : yield* queue.ofOutput(key);
      if (usage) yield* queue.add(key, usage);
    }
    onDeleted("summaries", yield* clearSummaries(keys));
    const members = yield* all(
      db.selectFrom("runs").select("key").where("root_key", "in", keys).where("parent_key", "is not", null),
    );
    const every = [...keys, ...members.map((member) => member.key)];
    // Deletes in parts, because the members of many runs would exceed the parameters of one statement.
    for (let start = 0; start < every.length; start += 500) {
      const part = every.slice(start, start + 500);
      for (const table of tablesOfRuns) onDeleted(table, yield* run(db.deleteFrom(table).where("run_key", "in", part)));
      // Deletes the idempotency keys: a repeated start creates another run, never one with the id of a deleted run.
      const ids = db.selectFrom("runs").select("run_id").where("key", "in", part);
      onDeleted("starts", yield* run(db.deleteFrom("starts").where("run_id", "in", ids)));
      // Runs that the deleted ones had replaced become valid again.
      const standing = db.updateTable("runs").set({ replaced_by: null }).where("replaced_by", "is not", null);
      yield* run(standing.where("replaced_by", "in", ids));
      yield* run(db.deleteFrom("run_heads").where("run_key", "in", part));
      onDeleted("runs", yield* run(db.deleteFrom("runs").where("key", "in", part)));
    }
    yield* remember(keys);
    return "done";
  }

  /** Clears the summaries that contain deleted runs. Later runs make new ones from the runs that are left. */
  function* clearSummaries(keys: readonly number[]): Transaction<number> {
    const runs = db
      .selectFrom("runs")
      .select(["session_key as session", "session_seq as seq"])
      .where("key", "in", keys);
    const firsts = new Map<number, number>();
    for (const { session, seq } of yield* all(runs)) {
      if (seq !== null) firsts.set(session, Math.min(seq, firsts.get(session) ?? seq));
    }
    let summaries = 0;
    for (const [key, seq] of firsts) {
      const update = db.updateTable("sessions").set(noSummary).where("key", "=", key);
      summaries += yield* run(update.where("summary_seq", ">=", seq));
    }
    return summaries;
  }

  function* remember(keys: readonly number[]): Transaction<void> {
    // The clock is read first: Postgres uses no index to compare a column with a volatile function.
    const time = yield* first(db.selectNoFrom(now.as("at")));
    const deleted_at = Number(time?.at);
    const rows = keys.map((run_key) => ({ run_key, deleted_at }));
    yield* run(db.deleteFrom("deleted_runs").where("deleted_at", "<", deleted_at - deletedKeyRetention));
    yield* run(
      db
        .insertInto("deleted_runs")
        .values(rows)
        .onConflict((conflict) => conflict.doNothing()),
    );
  }

  function* deleteEmptySession(key: number): Transaction<boolean> {
    // A run that is being created locks the session's row until it is visible.
    yield* all(db.selectFrom("sessions").select("key").where("key", "=", key).modifyEnd(locked));
    if ((yield* all(rootRuns(db, key, 1))).length > 0) return false;
    yield* run(db.deleteFrom("usage_counters").where("period", "=", sessionPeriod(key)));
    yield* run(db.deleteFrom("sessions").where("key", "=", key));
    return true;
  }

  return { deleteRuns, deleteEmptySession };
}

/** The oldest root runs of a session. */
function rootRuns(db: Kysely<Tables>, sessionKey: number, limit: number) {
  return db
    .selectFrom("runs")
    .select("key")
    .where("session_key", "=", sessionKey)
    .where("session_seq", "is not", null)
    .orderBy("session_seq")
    .limit(limit);
}

/** Makes these methods for a database. */
export function deletions(database: Database): Deletions {
  const { db } = database.dialect;
  const { deleteRuns, deleteEmptySession } = deletionSteps(database);
  const queue = usageQueue(database);

  /** Uses the indexes of unfinished runs instead of scanning all runs of the session. */
  function* unfinished(sessionKey: number): Transaction<boolean> {
    for (const index of ["heads_unfinished", "heads_paused"] as const) {
      const open = db
        .selectFrom("run_heads")
        .select("run_key")
        .where("session_key", "=", sessionKey)
        .where(matchesIndex(index))
        .limit(1);
      if ((yield* first(open)) !== undefined) return true;
    }
    return false;
  }

  /** Deletes some of the session's runs, and the session itself when none are left. */
  function* deleteSome(
    sessionKey: number,
    usages: Usages,
  ): Transaction<readonly number[] | "more" | "done" | "unfinished"> {
    const runs = yield* all(rootRuns(db, sessionKey, maxRuns));
    if (runs.length > 0) {
      const keys = toKeys(runs);
      const step = yield* deleteRuns(keys, usages);
      if (step === "uncounted") return "more";
      return step === "done" ? keys : "unfinished";
    }
    return (yield* deleteEmptySession(sessionKey)) ? "done" : "more";
  }

  return {
    async deleteRun(key) {
      for (;;) {
        const usages = await queue.readUncounted([key]);
        const step = await database.write(() => deleteRuns([key], usages));
        if (step !== "uncounted") return step === "done";
      }
    },

    async deleteSession(sessionKey, onDeleted = () => undefined) {
      if (await database.write(() => unfinished(sessionKey))) return false;
      for (;;) {
        // Read before the transaction: a log may be long.
        const usages = await queue.readUncounted(
          toKeys(await database.read(rootRuns(db, sessionKey, maxRuns).compile())),
        );
        const step = await database.write(() => deleteSome(sessionKey, usages));
        if (step === "done" || step === "unfinished") return step === "done";
        if (step !== "more") onDeleted(step);
      }
    },
  };
}

/** Keys in the order in which all transactions lock runs. */
function toKeys(rows: readonly { readonly key: number }[]): readonly number[] {
  return rows.map(({ key }) => key).sort((a, b) => a - b);
}
