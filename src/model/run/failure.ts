/** The machine-readable part of a failure. */
import type { ShownLimit } from "../usage/limits.ts";
import type { RunOutput } from "./record.ts";

/** The machine-readable fields of a failure in events and records; empty when the run did not fail. */
export function failureFields(failure: RunOutput["error"]): FailureFields {
  if (!failure) return {};
  const { type, id, limit, details } = failure;
  return {
    error_type: type,
    error_id: id,
    ...(details && { additional_data: details }),
    ...(limit && { error_code: "LIMIT_EXCEEDED", limit }),
  };
}

/** See `failureFields`. */
export interface FailureFields {
  /** An error type listed in docs/errors.md. */
  readonly error_type?: string | undefined;
  /** The id under which the log has the error. */
  readonly error_id?: string | undefined;
  /** Set if a hook or a guardrail refused: its name as `hook`, and its `hook_point`. */
  readonly additional_data?: Readonly<Record<string, unknown>> | undefined;
  /** Set if the run reached a limit. */
  readonly error_code?: "LIMIT_EXCEEDED" | undefined;
  readonly limit?: ShownLimit | undefined;
}

/** `error_type` of a run whose input, prompt or call a hook or a guardrail refused. */
export const inputRefusedType = "input_check_error";

/** `error_type` of a run whose answer or result a hook or a guardrail refused. */
export const outputRefusedType = "output_check_error";
