/** Removes datasets and experiments in small transactions. Each finds what is left, so that a removal that stopped continues. */
import { experimentJob } from "../../../model/trial.ts";
import type { Database } from "../../database.ts";
import { all, first, run, type Transaction } from "../../transaction.ts";

/** Rows per transaction. */
const maxRows = 500;

/** Removals of a database. */
export interface TrialRemoval {
  /** Removes an experiment with its results and its job. False: it does not exist. */
  removeExperiment(id: string): Promise<boolean>;
  /** Removes some results of an experiment, then the experiment. Undefined: it does not exist. True: something is left. */
  someOfExperiment(id: string): Transaction<boolean | undefined>;
  /** Removes a dataset with its rows, its experiments and their results. False: it does not exist. */
  removeDataset(id: string): Promise<boolean>;
  /** Removes rows of a dataset with their results. Returns how many it removed. */
  removeRows(rows: readonly { readonly id: string; readonly datasetId: string }[]): Transaction<number>;
}

/** Makes the removals of a database. */
export function trialRemoval(database: Database): TrialRemoval {
  const { db, now, locked } = database.dialect;

  function* someOfExperiment(id: string): Transaction<boolean | undefined> {
    const found = db.selectFrom("experiments").select("key").where("id", "=", id).modifyEnd(locked);
    if ((yield* first(found)) === undefined) return undefined;
    // From now on no result is added.
    yield* run(db.updateTable("experiments").set({ status: "cancelled" }).where("id", "=", id));
    yield* run(db.deleteFrom("jobs").where("kind", "=", experimentJob).where("id", "=", id));
    const results = db.selectFrom("experiment_results").select(["row_id"]).where("experiment_id", "=", id);
    const rows = yield* all(results.limit(maxRows));
    if (rows.length > 0) {
      const ids = [...new Set(rows.map(({ row_id }) => row_id))];
      yield* run(db.deleteFrom("experiment_results").where("experiment_id", "=", id).where("row_id", "in", ids));
      return true;
    }
    yield* run(db.deleteFrom("starts").where("run_id", "=", id));
    yield* run(db.deleteFrom("experiments").where("id", "=", id));
    return false;
  }

  async function removeExperiment(id: string): Promise<boolean> {
    const left = await database.write(() => someOfExperiment(id));
    if (left === undefined) return false;
    for (let isMore: boolean | undefined = left; isMore; ) isMore = await database.write(() => someOfExperiment(id));
    return true;
  }

  function* removeRows(rows: Parameters<TrialRemoval["removeRows"]>[0]): Transaction<number> {
    if (rows.length === 0) return 0;
    const datasets = [...new Set(rows.map(({ datasetId }) => datasetId))].sort();
    for (const id of datasets)
      yield* all(db.selectFrom("datasets").select("key").where("id", "=", id).modifyEnd(locked));
    let removed = 0;
    for (const id of datasets) {
      const ids = rows.filter(({ datasetId }) => datasetId === id).map((row) => row.id);
      yield* run(db.deleteFrom("experiment_results").where("row_id", "in", ids));
      const gone = yield* run(db.deleteFrom("dataset_rows").where("dataset_id", "=", id).where("id", "in", ids));
      const update = db
        .updateTable("datasets")
        .set((row) => ({ row_count: row("row_count", "-", gone), updated_at: now }));
      yield* run(update.where("id", "=", id));
      removed += gone;
    }
    return removed;
  }

  /** Undefined: it does not exist. True: something is left. */
  function* someOfDataset(id: string): Transaction<boolean | undefined> {
    const found = db.selectFrom("datasets").select("key").where("id", "=", id).modifyEnd(locked);
    if ((yield* first(found)) === undefined) return undefined;
    if ((yield* first(db.selectFrom("experiments").select("id").where("dataset_id", "=", id).limit(1))) !== undefined)
      return true;
    const rows = yield* all(db.selectFrom("dataset_rows").select("id").where("dataset_id", "=", id).limit(maxRows));
    if (rows.length > 0) {
      yield* removeRows(rows.map((row) => ({ id: row.id, datasetId: id })));
      return true;
    }
    yield* run(db.deleteFrom("starts").where("run_id", "=", id));
    yield* run(db.deleteFrom("datasets").where("id", "=", id));
    return false;
  }

  return {
    removeExperiment,
    someOfExperiment,
    removeRows,
    async removeDataset(id) {
      let isFound = false;
      for (;;) {
        const experiments = db.selectFrom("experiments").select("id").where("dataset_id", "=", id).limit(maxRows);
        for (const experiment of await database.read(experiments.compile())) await removeExperiment(experiment.id);
        const left = await database.write(() => someOfDataset(id));
        if (left === undefined) return isFound;
        isFound = true;
        if (!left) return true;
      }
    },
  };
}
