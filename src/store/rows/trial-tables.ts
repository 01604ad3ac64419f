/** The tables of feedback, datasets and experiments. Times are milliseconds since the epoch, by the database's clock. */
import type { Generated } from "kysely";
import type { ComponentKind } from "../../model/run/run.ts";
import type { ExperimentStatus, Side } from "../../model/trial.ts";

/** What a user thinks of a root run. */
export interface RunFeedbackTable {
  run_key: number;
  /** Empty for a caller without a user. */
  user_id: string;
  /** 1 or -1. */
  rating: number;
  /** JSON string. */
  note: string | null;
  created_at: number;
  updated_at: number;
}

/** A list of inputs with expected answers. */
export interface DatasetsTable {
  /** Ascends in the order of creation. */
  key: Generated<number>;
  id: string;
  owner: string;
  /** The user who created it. */
  user_id: string | null;
  /** JSON text: `{name, description}`. */
  body: string;
  row_count: number;
  created_at: number;
  updated_at: number;
}

/** A row of a dataset. It never changes. */
export interface DatasetRowsTable {
  /** Ascends in the order of creation. */
  key: Generated<number>;
  id: string;
  dataset_id: string;
  /** JSON text: `{input, expected, metadata}`. */
  body: string;
  /** The run from which it was made. */
  run_id: string | null;
  /** The user of that run. */
  run_user: string | null;
  created_at: number;
}

/** A comparison of two versions of a component, row by row. */
export interface ExperimentsTable {
  /** Ascends in the order of creation. */
  key: Generated<number>;
  id: string;
  owner: string;
  /** The user who created it. */
  user_id: string | null;
  dataset_id: string;
  kind: ComponentKind;
  component_id: string;
  /** JSON text of an `ExperimentDefinition`. */
  definition: string;
  status: ExperimentStatus;
  /** The key of its last row: it has the rows of the dataset up to this key. */
  last_row: number;
  /** Results that it will have: two for each row. */
  total: number;
  /** Results that it has. */
  finished: number;
  /** JSON text, once it has ended. */
  summary: string | null;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
}

/** The result of one row on one side. */
export interface ExperimentResultsTable {
  experiment_id: string;
  row_id: string;
  side: Side;
  run_id: string;
  status: string;
  /** JSON text: a list of scores. */
  scores: string;
  /** JSON text: `{output, error}`. */
  body: string;
  /** Cost in billionths of a US dollar; null if it is not known. */
  nanos: number | null;
  /** Duration of the run; null if it is not known. */
  milliseconds: number | null;
  created_at: number;
}
