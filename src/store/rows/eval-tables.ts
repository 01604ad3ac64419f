/** The tables of evals. Times are milliseconds since the epoch. */
import type { Generated } from "kysely";
import type { EvalStatus, EvalType } from "../../model/eval.ts";

/** An eval. */
export interface EvalRunsTable {
  /** Ascends in the order of creation. */
  key: Generated<number>;
  id: string;
  user_id: string | null;
  kind: "agent" | "team";
  component_id: string;
  component_name: string;
  version: number | null;
  type: EvalType;
  name: string | null;
  model: string | null;
  model_provider: string | null;
  status: EvalStatus;
  total: number;
  done: number;
  /** JSON text of an `EvalRequest`. */
  request: string;
  /** JSON text; null until the eval has ended. */
  result: string | null;
  created_at: number;
  updated_at: number;
}

/** A finished iteration. */
export interface EvalIterationsTable {
  eval_key: number;
  /** Below 0 for a warm-up. */
  number: number;
  /** JSON text of an `EvalIteration`. */
  body: string;
  created_at: number;
}
