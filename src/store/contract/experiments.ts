/** Stored experiments and their results. */
import type { Principal } from "../../model/principal.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import type { ExperimentDefinition, ExperimentStatus, ExperimentSummary, Side, TrialScore } from "../../model/trial.ts";
import type { DatasetRow, KeyedPage, RowPage } from "./datasets.ts";
import type { ClaimedJob } from "./jobs.ts";
import type { BackgroundUsage } from "./usage-days.ts";

/** An experiment without its results. */
export interface StoredExperiment {
  /** Ascends in the order of creation. */
  readonly key: number;
  readonly id: string;
  readonly owner: string;
  /** The user who created it. */
  readonly userId: string | null;
  readonly datasetId: string;
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly definition: ExperimentDefinition;
  readonly status: ExperimentStatus;
  /** Results that it will have: two for each row. */
  readonly total: number;
  /** Results that it has. */
  readonly finished: number;
  /** Null until it has ended. */
  readonly summary: ExperimentSummary | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

/** An experiment that is created. `maxRows`: its first rows of the dataset. */
export type NewExperiment = Pick<
  StoredExperiment,
  "id" | "owner" | "userId" | "datasetId" | "kind" | "componentId" | "definition"
> & { readonly maxRows: number; readonly share: string };

/** The result of a row on one side. */
export interface ExperimentResult {
  readonly side: Side;
  readonly runId: string;
  /** State of the run at its end or its pause. */
  readonly status: string;
  readonly scores: readonly TrialScore[];
  /** The answer; null without one. */
  readonly output: string | null;
  readonly error: string | null;
  /** Cost in billionths of a US dollar; null if it is not known. */
  readonly nanos: number | null;
  /** Duration of the run; null if it is not known. */
  readonly milliseconds: number | null;
}

/** The part of a result that a summary needs. */
export type ScoredResult = Pick<ExperimentResult, "side" | "status" | "scores" | "nanos" | "milliseconds">;

/** A row with the results that it has. */
export interface ComparedRow extends DatasetRow {
  readonly results: readonly ExperimentResult[];
}

/** A row with the sides that have results. */
export interface PendingRow extends DatasetRow {
  readonly finished: readonly Side[];
}

/** Filters and page of a listing. */
export interface ExperimentQuery {
  readonly datasetId?: string | undefined;
  readonly kind?: ComponentKind | undefined;
  readonly componentId?: string | undefined;
  readonly limit: number;
  readonly before?: number | undefined;
}

/** Reads and writes experiments. A caller whose data is isolated sees its own experiments. */
export interface ExperimentStore {
  /** Stores an experiment with its job, unless it exists. `empty`: the dataset does not exist, or has no rows. `full`: the share has `maxOpen` experiments that have not ended. */
  create(experiment: NewExperiment, maxOpen: number): Promise<"created" | "empty" | "full">;
  /** The newest first. */
  list(caller: Principal, query: ExperimentQuery): Promise<KeyedPage<StoredExperiment>>;
  find(caller: Principal, id: string): Promise<StoredExperiment | undefined>;
  /** Marks the experiment of a claimed job as running. Undefined: it was cancelled or deleted. */
  begin(id: string): Promise<StoredExperiment | undefined>;
  /** Whether it is running. */
  isRunning(id: string): Promise<boolean>;
  /** Its rows in order, with the sides that have results. */
  pending(id: string, page: RowPage): Promise<KeyedPage<PendingRow>>;
  /**
   * Stores the first result of a row and side, and the usage of the model requests of its scorers. False: the experiment is not running, or the row
   * was deleted.
   */
  put(id: string, rowId: string, result: ExperimentResult, usage: readonly BackgroundUsage[]): Promise<boolean>;
  /** Ends a running experiment and its job in one transaction. False: another claim holds the job, or the job is gone. */
  end(
    job: ClaimedJob,
    status: Extract<ExperimentStatus, "completed" | "failed" | "cancelled">,
    summary: ExperimentSummary,
  ): Promise<boolean>;
  /** Cancels an experiment that has not ended, and deletes its job. False: it has ended, or does not exist. */
  cancel(id: string, summary: ExperimentSummary): Promise<boolean>;
  /** All results without their outputs, in the order of their rows. */
  scores(id: string): Promise<readonly ScoredResult[]>;
  /** Its rows in order, with their results. */
  results(id: string, page: RowPage): Promise<KeyedPage<ComparedRow>>;
  /** Removes an experiment with its results and its job. False: it does not exist. */
  remove(id: string): Promise<boolean>;
}
