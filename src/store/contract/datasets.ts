/** Stored datasets and their rows. */
import type { Principal } from "../../model/principal.ts";
import type { TrialRow } from "../../model/trial.ts";

/** A dataset without its rows. */
export interface StoredDataset {
  /** Ascends in the order of creation. */
  readonly key: number;
  readonly id: string;
  readonly owner: string;
  /** The user who created it. */
  readonly userId: string | null;
  readonly name: string;
  readonly description: string | null;
  readonly rows: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A row that is added. */
export interface NewDatasetRow extends TrialRow {
  readonly id: string;
  /** The run from which it is made. */
  readonly runId: string | null;
  /** The user of that run: an erasure of this user removes the row. */
  readonly runUser: string | null;
}

/** A stored row. */
export interface DatasetRow extends TrialRow {
  /** Ascends in the order of creation. */
  readonly key: number;
  readonly id: string;
  readonly runId: string | null;
  readonly createdAt: number;
}

/** A page. `next`: the key after which the next page begins. */
export interface KeyedPage<Row> {
  readonly rows: readonly Row[];
  readonly next: number | undefined;
}

/** A page of rows, bounded by number and by bytes. A page has at least one row if there is one. */
export interface RowPage {
  readonly after?: number | undefined;
  readonly limit: number;
  readonly maxBytes: number;
}

/** Reads and writes datasets. A caller whose data is isolated sees its own datasets. */
export interface DatasetStore {
  /** Stores a dataset with its rows, unless it exists. */
  create(
    dataset: Pick<StoredDataset, "id" | "owner" | "userId" | "name" | "description">,
    rows: readonly NewDatasetRow[],
  ): Promise<void>;
  /** The newest first. */
  list(
    caller: Principal,
    query: { readonly limit: number; readonly before?: number | undefined },
  ): Promise<KeyedPage<StoredDataset>>;
  find(caller: Principal, id: string): Promise<StoredDataset | undefined>;
  /** False: it does not exist any more. */
  change(id: string, change: Pick<StoredDataset, "name" | "description">): Promise<boolean>;
  /** Removes a dataset with its rows, experiments and their results. False: it does not exist. */
  remove(id: string): Promise<boolean>;
  /** Adds rows in their order, all or none. `full`: the dataset would have more than `maxRows`; `gone`: it does not exist any more. */
  addRows(id: string, rows: readonly NewDatasetRow[], maxRows: number): Promise<"added" | "full" | "gone">;
  /** Rows in the order in which they were added. */
  rows(id: string, page: RowPage): Promise<KeyedPage<DatasetRow>>;
  /** Removes a row with its results in experiments. False: it does not exist. */
  removeRow(id: string, rowId: string): Promise<boolean>;
}
