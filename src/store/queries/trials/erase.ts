/** Removes feedback, datasets, rows and experiments of a user. */
import type { ErasedRows } from "../../contract/user-data.ts";
import type { Database } from "../../database.ts";
import { all, run, type Transaction } from "../../transaction.ts";
import { deletionSteps } from "../delete.ts";
import { trialRemoval } from "./removal.ts";

/** Rows per transaction. */
const maxRows = 200;

/** Runs per transaction. */
const maxRuns = 20;

/** The erasure of a database. */
interface TrialErasure {
  /** Removes the user's experiments, which start runs. */
  eraseExperiments(userId: string): AsyncGenerator<ErasedRows>;
  /** Removes feedback, datasets, and rows that were made from the user's runs. */
  eraseData(userId: string): AsyncGenerator<ErasedRows>;
}

/** Makes the erasure of a database. */
export function trialErasure(database: Database): TrialErasure {
  const { db, locked } = database.dialect;
  const removal = trialRemoval(database);
  const { deleteRuns, deleteEmptySession } = deletionSteps(database);

  function removed(counts: ErasedRows["removed"]): ErasedRows {
    return { removed: counts, anonymized: {} };
  }

  function* removeFeedback(userId: string): Transaction<number> {
    const mine = db.selectFrom("run_feedback").select("run_key").where("user_id", "=", userId).limit(maxRows);
    const keys = (yield* all(mine)).map(({ run_key }) => run_key);
    if (keys.length === 0) return 0;
    return yield* run(db.deleteFrom("run_feedback").where("user_id", "=", userId).where("run_key", "in", keys));
  }

  /** Removes the runs of all experiments whose input is a row of the user. A run that has not ended stays. */
  function* removeRuns(rowIds: readonly string[]): Transaction<number> {
    const results = db.selectFrom("experiment_results").select("run_id").where("row_id", "in", rowIds);
    const ended = yield* all(
      db
        .selectFrom("runs as r")
        .innerJoin("run_heads as h", "h.run_key", "r.key")
        .select(["r.key", "r.session_key as session"])
        .where("r.run_id", "in", results)
        .where("h.status", "in", ["COMPLETED", "CANCELLED", "ERROR"])
        .orderBy("r.key")
        .limit(maxRuns),
    );
    if (ended.length === 0) return 0;
    // Sessions are locked before runs, as in a flush.
    const sessions = [...new Set(ended.map(({ session }) => session))].sort((a, b) => a - b);
    yield* all(db.selectFrom("sessions").select("key").where("key", "in", sessions).orderBy("key").modifyEnd(locked));
    if ((yield* deleteRuns(ended.map(({ key }) => key))) !== "done") return 0;
    for (const session of sessions) yield* deleteEmptySession(session);
    return ended.length;
  }

  /** Rows that were made from the user's runs, in datasets of any user. */
  async function* eraseRows(userId: string): AsyncGenerator<ErasedRows> {
    const mine = db.selectFrom("dataset_rows").select(["id", "dataset_id as datasetId"]).where("run_user", "=", userId);
    for (;;) {
      const rows = await database.read(mine.where("run_user", "is not", null).orderBy("key").limit(maxRows).compile());
      if (rows.length === 0) return;
      const ids = rows.map(({ id }) => id);
      for (let runs = 1; runs > 0; ) {
        runs = await database.write(() => removeRuns(ids));
        if (runs > 0) yield removed({ runs });
      }
      yield removed({ datasetRows: await database.write(() => removal.removeRows(rows)) });
    }
  }

  async function* eraseExperiments(userId: string): AsyncGenerator<ErasedRows> {
    const experiments = db.selectFrom("experiments").select("id").where("user_id", "=", userId);
    for (const { id } of await database.read(experiments.where("user_id", "is not", null).compile()))
      if (await removal.removeExperiment(id)) yield removed({ experiments: 1 });
  }

  async function* eraseData(userId: string): AsyncGenerator<ErasedRows> {
    for (let feedback = maxRows; feedback > 0; ) {
      feedback = await database.write(() => removeFeedback(userId));
      if (feedback > 0) yield removed({ feedback });
    }
    const datasets = db.selectFrom("datasets").select("id").where("user_id", "=", userId);
    for (const { id } of await database.read(datasets.where("user_id", "is not", null).compile()))
      if (await removal.removeDataset(id)) yield removed({ datasets: 1 });
    yield* eraseRows(userId);
  }

  return { eraseExperiments, eraseData };
}
