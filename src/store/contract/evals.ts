/** Stored evals and their iterations. */
import type { EvalStatus, EvalType, EvaluatedComponent } from "../../model/eval.ts";
import type { Principal } from "../../model/principal.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import type { ClaimedJob, NewJob } from "./jobs.ts";
import type { BackgroundUsage } from "./usage-days.ts";

/** A new eval. */
export interface NewEval {
  readonly id: string;
  /** The user of the caller; null without one. Isolated callers see only evals of their user. */
  readonly userId: string | null;
  readonly component: EvaluatedComponent;
  readonly componentName: string;
  readonly version: number | null;
  readonly type: EvalType;
  readonly name: string | null;
  readonly model: string | null;
  readonly modelProvider: string | null;
  /** Iterations and warm-ups. */
  readonly total: number;
  /** JSON text of an `EvalRequest`. */
  readonly request: string;
}

/** An eval without its texts. */
export interface EvalPlace extends Omit<NewEval, "request"> {
  /** Ascends in the order of creation. */
  readonly key: number;
  readonly status: EvalStatus;
  /** Finished iterations and warm-ups. */
  readonly done: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** An eval. */
export interface StoredEval extends EvalPlace {
  readonly request: string;
  /** JSON text; null until the eval has ended. */
  readonly result: string | null;
}

/** An eval of a listing. Its texts are null if they do not fit into the page. */
export interface ListedEval extends EvalPlace {
  readonly request: string | null;
  readonly result: string | null;
}

/** Filters and order of a listing. */
export interface EvalQuery {
  readonly kind?: ComponentKind | undefined;
  readonly componentIds?: Readonly<Partial<Record<ComponentKind, string | undefined>>> | undefined;
  readonly model?: string | undefined;
  readonly types?: readonly EvalType[] | undefined;
  readonly sortBy: "createdAt" | "updatedAt" | "name";
  readonly descending: boolean;
  readonly limit: number;
  readonly offset: number;
  /** Key of the last eval of the page before; only in the order of creation. */
  readonly after?: number | undefined;
  /** Max bytes of the texts of a page. */
  readonly maxBytes: number;
}

/** A page of evals. */
export interface EvalPage {
  readonly rows: readonly ListedEval[];
  /** At most 10,000 are counted. */
  readonly total: number;
}

/** The result of an iteration, with the usage of the model requests that judged it. */
export interface NewIteration {
  readonly number: number;
  /** JSON text of an `EvalIteration`. */
  readonly body: string;
  readonly usage: readonly BackgroundUsage[];
}

/** The evals of a database. */
export interface EvalStore {
  /** Stores an eval and its job, unless the eval exists. False: the job's share has `maxOpen` evals that have not ended. */
  create(given: NewEval, job: NewJob & { readonly share: string }, maxOpen: number): Promise<boolean>;
  /** Lists evals that the caller may see; filters and orders other than that of creation consider the latest 10,000. */
  list(caller: Principal, query: EvalQuery): Promise<EvalPage>;
  find(caller: Principal, id: string): Promise<StoredEval | undefined>;
  /** Whether the eval exists and has not ended. */
  isOpen(id: string): Promise<boolean>;
  /** Returns whether the caller may see the eval. */
  rename(caller: Principal, id: string, name: string): Promise<boolean>;
  /** Deletes evals that the caller may see, with their jobs; ignores others. */
  remove(caller: Principal, ids: readonly string[]): Promise<void>;
  /** JSON texts of the finished iterations, in the order of their numbers. */
  iterations(key: number): Promise<readonly string[]>;
  /** Stores the result of an iteration once. Returns false if the job is not this process's any more. */
  addIteration(job: ClaimedJob, key: number, iteration: NewIteration): Promise<boolean>;
  /** Ends the eval and its job. Returns false if the job is not this process's any more. */
  finish(job: ClaimedJob, key: number, end: { readonly status: EvalStatus; readonly result: string }): Promise<boolean>;
}
