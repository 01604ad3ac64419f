/** The machine-readable part of a failure. */
import type { RunOutput } from "./record.ts";

/** The machine-readable fields of a failure in events and records; empty when the run did not fail. */
export function failureFields(failure: RunOutput["error"]): FailureFields {
  return failure ? { error_type: failure.type, error_id: failure.id } : {};
}

/** See `failureFields`. */
export interface FailureFields {
  /** An error type listed in docs/errors.md. */
  readonly error_type?: string | undefined;
  /** The id under which the log has the error. */
  readonly error_id?: string | undefined;
}
