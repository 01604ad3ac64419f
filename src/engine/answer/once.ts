/** Events that a run emits once, also if a later attempt repeats the step that they report. */
import type { RunScope } from "../loops/contract.ts";

/** Emits an event that the log does not contain yet. Recovery must know it as the end of a step, so that it stays valid. */
export function emitOnce(
  scope: RunScope,
  mark: string,
  name: string,
  fields: Readonly<Record<string, unknown>> = {},
): void {
  if (scope.mark(mark) !== undefined) return;
  scope.setMark(mark, true);
  scope.emit(name, fields);
}
