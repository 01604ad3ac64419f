/** Model requests of a run that are not turns: their answers are marks of the run, so that a later attempt does not repeat them. */
import type { AnsweringModel, RequestPurpose, TurnMetrics } from "./message.ts";
import { requestPrefix } from "./run-marks.ts";

/** An answered request. */
export interface RecordedRequest {
  readonly purpose: RequestPurpose;
  readonly model: AnsweringModel;
  readonly metrics: TurnMetrics;
  readonly text: string;
}

const none: readonly RecordedRequest[] = [];

/** The answered requests among the marks of a run. */
export function recordedRequests(marks: ReadonlyMap<string, unknown>): readonly RecordedRequest[] {
  if (marks.size === 0) return none;
  return [...marks].flatMap(([name, value]) => (name.startsWith(requestPrefix) ? [value as RecordedRequest] : []));
}
