/** Stores datasets. */
import { visibleOwner } from "../../../model/principal.ts";
import type { TrialRow } from "../../../model/trial.ts";
import type { DatasetRow, DatasetStore, KeyedPage, NewDatasetRow, StoredDataset } from "../../contract/datasets.ts";
import type { Database } from "../../database.ts";
import { sealText } from "../../encryption/encryption.ts";
import type { DatasetRowsTable, DatasetsTable } from "../../rows/trial-tables.ts";
import { first, run, type Transaction } from "../../transaction.ts";
import { trialRemoval } from "./removal.ts";

/** Rows per statement. */
const insertedAtOnce = 200;

type Stored<Table extends { key: unknown }> = Omit<Table, "key"> & { readonly key: number };

/** Makes the store of datasets of a database. */
export function datasetStore(database: Database): DatasetStore {
  const { db, now, locked } = database.dialect;
  const { encryption } = database;
  const removal = trialRemoval(database);

  const bodyOf = ({ id, name, description }: Pick<StoredDataset, "id" | "name" | "description">): string =>
    sealText(encryption, "datasets.body", [id], JSON.stringify({ name, description }));

  function* insertRows(id: string, rows: readonly NewDatasetRow[]): Transaction<void> {
    for (let start = 0; start < rows.length; start += insertedAtOnce) {
      const some = rows.slice(start, start + insertedAtOnce).map((row) => ({
        ...{ id: row.id, dataset_id: id, run_id: row.runId, run_user: row.runUser, created_at: now },
        body: sealText(encryption, "dataset_rows.body", [row.id], JSON.stringify(contentOf(row))),
      }));
      yield* run(db.insertInto("dataset_rows").values(some));
    }
  }

  function* addRows(
    id: string,
    rows: readonly NewDatasetRow[],
    maxRows: number,
  ): Transaction<"added" | "full" | "gone"> {
    const dataset = db.selectFrom("datasets").select("row_count").where("id", "=", id).modifyEnd(locked);
    const found = yield* first(dataset);
    if (found === undefined) return "gone";
    if (found.row_count + rows.length > maxRows) return "full";
    yield* insertRows(id, rows);
    const update = db.updateTable("datasets").set({ row_count: found.row_count + rows.length, updated_at: now });
    yield* run(update.where("id", "=", id));
    return "added";
  }

  function* removeRow(id: string, rowId: string): Transaction<boolean> {
    return (yield* removal.removeRows([{ id: rowId, datasetId: id }])) > 0;
  }

  return {
    create: (dataset, rows) =>
      database.write(function* () {
        const { id, owner, userId } = dataset;
        const times = { created_at: now, updated_at: now };
        const row = { id, owner, user_id: userId, body: bodyOf(dataset), row_count: rows.length, ...times };
        const insert = db.insertInto("datasets").values(row);
        if ((yield* run(insert.onConflict((same) => same.column("id").doNothing()))) > 0) yield* insertRows(id, rows);
      }),

    async list(caller, { limit, before }) {
      let rows = db.selectFrom("datasets").selectAll().orderBy("key", "desc");
      const owner = visibleOwner(caller);
      if (owner !== null) rows = rows.where("owner", "=", owner);
      if (before !== undefined) rows = rows.where("key", "<", before);
      return pageOf((await database.read(rows.limit(limit + 1).compile())).map(toDataset), limit);
    },

    async find(caller, id) {
      const owner = visibleOwner(caller);
      const found = db.selectFrom("datasets").selectAll().where("id", "=", id);
      const [row] = await database.read((owner === null ? found : found.where("owner", "=", owner)).compile());
      return row && toDataset(row);
    },

    async change(id, change) {
      const update = db.updateTable("datasets").set({ body: bodyOf({ id, ...change }), updated_at: now });
      return (await database.write(() => run(update.where("id", "=", id)))) > 0;
    },

    remove: (id) => removal.removeDataset(id),
    addRows: (id, rows, maxRows) => database.write(() => addRows(id, rows, maxRows)),

    async rows(id, { after = -1, limit, maxBytes }) {
      const sizes = db
        .selectFrom("dataset_rows")
        .select(["key", ({ fn }) => fn<number>("octet_length", ["body"]).as("bytes")])
        .where("dataset_id", "=", id)
        .where("key", ">", after)
        .orderBy("key")
        .limit(limit + 1);
      const { rows, next } = fitting(await database.read(sizes.compile()), limit, maxBytes);
      if (rows.length === 0) return { rows: [], next };
      const keys = rows.map(({ key }) => key);
      const full = db.selectFrom("dataset_rows").selectAll().where("key", "in", keys).orderBy("key");
      return { rows: (await database.read(full.compile())).map(toRow), next };
    },

    removeRow: (id, rowId) => database.write(() => removeRow(id, rowId)),
  };
}

/** The first rows that fit a page, at least one, and the key after which the next page begins. */
export function fitting<Row extends { readonly key: number; readonly bytes: number }>(
  rows: readonly Row[],
  limit: number,
  maxBytes: number,
): KeyedPage<Row> {
  let bytes = 0;
  const end = rows.findIndex((row, place) => {
    bytes += Number(row.bytes);
    return place === limit || (place > 0 && bytes > maxBytes);
  });
  const shown = end === -1 ? rows : rows.slice(0, end);
  return { rows: shown, next: end === -1 ? undefined : shown.at(-1)?.key };
}

/** A page of rows of which one more than the limit was read. */
export function pageOf<Row extends { readonly key: number }>(rows: readonly Row[], limit: number): KeyedPage<Row> {
  const shown = rows.slice(0, limit);
  return { rows: shown, next: rows.length > limit ? shown.at(-1)?.key : undefined };
}

export function toRow(
  row: Pick<Stored<DatasetRowsTable>, "key" | "id" | "run_id" | "created_at" | "body">,
): DatasetRow {
  const content = JSON.parse(row.body) as TrialRow;
  return { key: row.key, id: row.id, ...contentOf(content), runId: row.run_id, createdAt: row.created_at };
}

function contentOf({ input, expected, metadata }: TrialRow): TrialRow {
  return { input, expected, metadata };
}

function toDataset(row: Stored<DatasetsTable>): StoredDataset {
  const { name, description } = JSON.parse(row.body) as Pick<StoredDataset, "name" | "description">;
  return {
    ...{ key: row.key, id: row.id, owner: row.owner, userId: row.user_id, name, description, rows: row.row_count },
    ...{ createdAt: row.created_at, updatedAt: row.updated_at },
  };
}
