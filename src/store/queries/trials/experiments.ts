/** Stores experiments and their results. */
import { type SqlBool, sql } from "kysely";
import { visibleOwner } from "../../../model/principal.ts";
import {
  type ExperimentDefinition,
  type ExperimentStatus,
  type ExperimentSummary,
  experimentJob,
  type TrialScore,
} from "../../../model/trial.ts";
import type { KeyedPage, RowPage } from "../../contract/datasets.ts";
import type {
  ExperimentResult,
  ExperimentStore,
  NewExperiment,
  PendingRow,
  StoredExperiment,
} from "../../contract/experiments.ts";
import type { Database } from "../../database.ts";
import { sealText } from "../../encryption/encryption.ts";
import type { ExperimentResultsTable, ExperimentsTable } from "../../rows/trial-tables.ts";
import { all, first, run, type Transaction } from "../../transaction.ts";
import { jobSteps } from "../jobs/jobs.ts";
import { backgroundUsage } from "../usage/background.ts";
import { fitting, pageOf, toRow } from "./datasets.ts";
import { trialRemoval } from "./removal.ts";

/** Results per read of a summary. */
const scoresAtOnce = 500;

/** Makes the store of experiments of a database. */
export function experimentStore(database: Database): ExperimentStore {
  const { db, now, locked } = database.dialect;
  const { encryption } = database;
  const jobs = jobSteps(database);
  const { removeExperiment } = trialRemoval(database);
  const addUsage = backgroundUsage(database);

  const sealedSummary = (id: string, summary: ExperimentSummary): string =>
    sealText(encryption, "experiments.summary", [id], JSON.stringify(summary));

  function* create(
    { id, maxRows, share, ...given }: NewExperiment,
    maxOpen: number,
  ): Transaction<"created" | "empty" | "full"> {
    if (yield* jobs.isFull(experimentJob, share, maxOpen)) return "full";
    // The dataset's removal locks it, too.
    const dataset = db.selectFrom("datasets").select("key").where("id", "=", given.datasetId).modifyEnd(locked);
    if ((yield* first(dataset)) === undefined) return "empty";
    const firsts = db.selectFrom("dataset_rows").select("key").where("dataset_id", "=", given.datasetId);
    const rows = yield* all(firsts.orderBy("key").limit(maxRows));
    const last = rows.at(-1);
    if (last === undefined) return "empty";
    const insert = db.insertInto("experiments").values({
      ...{ id, owner: given.owner, user_id: given.userId, dataset_id: given.datasetId, kind: given.kind },
      ...{ component_id: given.componentId, status: "pending", last_row: last.key, total: rows.length * 2 },
      definition: sealText(encryption, "experiments.definition", [id], JSON.stringify(given.definition)),
      ...{ finished: 0, summary: null, created_at: now, started_at: null, ended_at: null },
    });
    const added = yield* run(insert.onConflict((same) => same.column("id").doNothing()));
    if (added > 0) yield* jobs.add([{ kind: experimentJob, id, share }]);
    return "created";
  }

  const findAny = (id: string) => db.selectFrom("experiments").selectAll().where("id", "=", id);

  function* begin(id: string): Transaction<StoredExperiment | undefined> {
    const row = yield* first(findAny(id).modifyEnd(locked));
    if (row === undefined || !isOpen(row.status)) return undefined;
    if (row.status === "pending")
      yield* run(db.updateTable("experiments").set({ status: "running", started_at: now }).where("id", "=", id));
    return toExperiment({ ...row, status: "running" });
  }

  function* put(id: string, rowId: string, result: ExperimentResult): Transaction<boolean> {
    // Datasets are locked before experiments: the removal of a row deletes its results.
    const row = yield* first(
      db
        .selectFrom("dataset_rows as r")
        .innerJoin("datasets as d", "d.id", "r.dataset_id")
        .select("r.key")
        .where("r.id", "=", rowId)
        .modifyEnd(lockOf("d")),
    );
    const experiment = yield* first(findAny(id).modifyEnd(locked));
    if (row === undefined || experiment?.status !== "running") return false;
    const { side, runId, status, scores, output, error, nanos, milliseconds } = result;
    const place = [id, rowId, side];
    const insert = db.insertInto("experiment_results").values({
      ...{ experiment_id: id, row_id: rowId, side, run_id: runId, status, nanos, milliseconds, created_at: now },
      scores: sealText(encryption, "experiment_results.scores", place, JSON.stringify(scores)),
      body: sealText(encryption, "experiment_results.body", place, JSON.stringify({ output, error })),
    });
    if ((yield* run(insert.onConflict((same) => same.doNothing()))) > 0)
      yield* run(
        db
          .updateTable("experiments")
          .set({ finished: experiment.finished + 1 })
          .where("id", "=", id),
      );
    return true;
  }

  function lockOf(table: string) {
    return database.dialect.name === "postgres" ? sql`for no key update of ${sql.ref(table)}` : sql``;
  }

  /** The rows of an experiment with the sizes of everything that a page shows of them. */
  async function pageOfRows(id: string, { after = -1, limit, maxBytes }: RowPage, withResults: boolean) {
    const results = sql`(select sum(octet_length(e.body) + octet_length(e.scores)) from experiment_results e
      where e.experiment_id = x.id and e.row_id = r.id)`;
    const bytes = withResults ? sql`octet_length(r.body) + coalesce(${results}, 0)` : sql`octet_length(r.body)`;
    const sizes = sql<{ key: number; bytes: number }>`select r.key, ${bytes} as bytes from experiments x
      join dataset_rows r on r.dataset_id = x.dataset_id
      where x.id = ${id} and r.key <= x.last_row and r.key > ${after} order by r.key limit ${limit + 1}`;
    const { rows, next } = fitting(await database.read(sizes.compile(db)), limit, maxBytes);
    if (rows.length === 0) return { rows: [], next };
    const keys = rows.map(({ key }) => key);
    const full = db.selectFrom("dataset_rows").selectAll().where("key", "in", keys).orderBy("key");
    return { rows: (await database.read(full.compile())).map(toRow), next };
  }

  const resultsOf = (id: string, rowIds: readonly string[]) =>
    db.selectFrom("experiment_results").where("experiment_id", "=", id).where("row_id", "in", rowIds);

  function* end(
    job: Parameters<ExperimentStore["end"]>[0],
    status: ExperimentStatus,
    summary: ExperimentSummary,
  ): Transaction<boolean> {
    // Experiments are locked before jobs, as in a cancel.
    const found = yield* first(findAny(job.id).modifyEnd(locked));
    if (!(yield* jobs.finish(job, { kind: "done" }))) return false;
    if (found?.status !== "running") return true;
    const update = db
      .updateTable("experiments")
      .set({ status, summary: sealedSummary(job.id, summary), ended_at: now });
    yield* run(update.where("id", "=", job.id));
    return true;
  }

  function* cancel(id: string, summary: ExperimentSummary): Transaction<boolean> {
    const found = yield* first(findAny(id).modifyEnd(locked));
    if (found === undefined || !isOpen(found.status)) return false;
    const ended = { status: "cancelled", summary: sealedSummary(id, summary), ended_at: now } as const;
    yield* run(db.updateTable("experiments").set(ended).where("id", "=", id));
    yield* run(db.deleteFrom("jobs").where("kind", "=", experimentJob).where("id", "=", id));
    return true;
  }

  return {
    create: (experiment, maxOpen) => database.write(() => create(experiment, maxOpen)),

    async list(caller, { datasetId, kind, componentId, limit, before }) {
      let rows = db.selectFrom("experiments").selectAll().orderBy("key", "desc");
      const owner = visibleOwner(caller);
      if (owner !== null) rows = rows.where("owner", "=", owner);
      if (datasetId !== undefined) rows = rows.where("dataset_id", "=", datasetId);
      if (kind !== undefined) rows = rows.where("kind", "=", kind);
      if (componentId !== undefined) rows = rows.where("component_id", "=", componentId);
      if (before !== undefined) rows = rows.where("key", "<", before);
      return pageOf((await database.read(rows.limit(limit + 1).compile())).map(toExperiment), limit);
    },

    async find(caller, id) {
      const owner = visibleOwner(caller);
      const found = owner === null ? findAny(id) : findAny(id).where("owner", "=", owner);
      const [row] = await database.read(found.compile());
      return row && toExperiment(row);
    },

    begin: (id) => database.write(() => begin(id)),

    async isRunning(id) {
      const [row] = await database.read(db.selectFrom("experiments").select("status").where("id", "=", id).compile());
      return row?.status === "running";
    },

    async pending(id, page): Promise<KeyedPage<PendingRow>> {
      const { rows, next } = await pageOfRows(id, page, false);
      if (rows.length === 0) return { rows: [], next };
      const ids = rows.map((row) => row.id);
      const done = await database.read(resultsOf(id, ids).select(["row_id", "side"]).compile());
      const byRow = Map.groupBy(done, ({ row_id }) => row_id);
      return {
        rows: rows.map((row) => ({ ...row, finished: (byRow.get(row.id) ?? []).map(({ side }) => side) })),
        next,
      };
    },

    put: (id, rowId, result, usage) =>
      database.write(function* () {
        const isStored = yield* put(id, rowId, result);
        // The requests were made, whatever became of the result.
        for (const one of usage) yield* addUsage(one);
        return isStored;
      }),
    end: (job, status, summary) => database.write(() => end(job, status, summary)),
    cancel: (id, summary) => database.write(() => cancel(id, summary)),

    async scores(id) {
      const found: ReturnType<typeof toScored>[] = [];
      for (let after = -1; ; ) {
        const rows = await database.read(
          db
            .selectFrom("experiment_results as e")
            .innerJoin("dataset_rows as r", "r.id", "e.row_id")
            .select([
              "r.key",
              "e.experiment_id",
              "e.row_id",
              "e.side",
              "e.status",
              "e.scores",
              "e.nanos",
              "e.milliseconds",
            ])
            .where("e.experiment_id", "=", id)
            .where(sql<SqlBool>`r.key > ${after}`)
            .orderBy("r.key")
            .orderBy("e.side")
            .limit(scoresAtOnce)
            .compile(),
        );
        const last = rows.at(-1);
        // The last row of a full page may have its other side on the next page.
        const whole = rows.length < scoresAtOnce ? rows : rows.filter(({ key }) => key !== last?.key);
        found.push(...whole.map(toScored));
        if (last === undefined || rows.length < scoresAtOnce) return found;
        after = whole.at(-1)?.key ?? last.key;
      }
    },

    async results(id, page) {
      const { rows, next } = await pageOfRows(id, page, true);
      if (rows.length === 0) return { rows: [], next };
      const ids = rows.map((row) => row.id);
      const found = await database.read(resultsOf(id, ids).selectAll().orderBy("side").compile());
      const byRow = Map.groupBy(found, ({ row_id }) => row_id);
      return { rows: rows.map((row) => ({ ...row, results: (byRow.get(row.id) ?? []).map(toResult) })), next };
    },

    remove: removeExperiment,
  };
}

function isOpen(status: ExperimentStatus): boolean {
  return status === "pending" || status === "running";
}

function toScored(row: Pick<ExperimentResultsTable, "side" | "status" | "scores" | "nanos" | "milliseconds">) {
  const { side, status, nanos, milliseconds } = row;
  return { side, status, nanos, milliseconds, scores: JSON.parse(row.scores) as readonly TrialScore[] };
}

function toResult(row: ExperimentResultsTable): ExperimentResult {
  const { output, error } = JSON.parse(row.body) as Pick<ExperimentResult, "output" | "error">;
  return { ...toScored(row), runId: row.run_id, output, error };
}

function toExperiment(row: Omit<ExperimentsTable, "key"> & { readonly key: number }): StoredExperiment {
  return {
    ...{ key: row.key, id: row.id, owner: row.owner, userId: row.user_id, datasetId: row.dataset_id, kind: row.kind },
    ...{ componentId: row.component_id, status: row.status, total: row.total, finished: row.finished },
    definition: JSON.parse(row.definition) as ExperimentDefinition,
    summary: row.summary === null ? null : (JSON.parse(row.summary) as ExperimentSummary),
    ...{ createdAt: row.created_at, startedAt: row.started_at, endedAt: row.ended_at },
  };
}
