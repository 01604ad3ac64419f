/** The steps of workflows, as data parts of the message. */
import type { Chunk } from "./chunks.ts";
import type { LogEvent } from "./log-event.ts";

const stepEvent =
  /^(Step|Parallel|Condition|Loop|Router|Steps)(?:Execution)?(Started|Completed|Error|Paused|Continued)$/;

const stepStatuses: Readonly<Record<string, string>> = {
  Started: "running",
  Continued: "running",
  Completed: "completed",
  Error: "failed",
  Paused: "paused",
};

/** The chunks of an event of a step; none for another event. */
export function stepChunks(base: string, event: LogEvent): readonly Chunk[] {
  const [, type, change] = stepEvent.exec(base) ?? [];
  if (type === undefined || change === undefined) return [];
  return [stepData(type, stepStatuses[change] ?? "running", event)];
}

function stepData(type: string, status: string, { step_id, step_name, step_index, content, error }: LogEvent): Chunk {
  const result = status === "completed" && content !== undefined ? { content } : {};
  const data = {
    type: type.toLowerCase(),
    name: step_name,
    index: step_index,
    status,
    ...result,
    ...(error !== undefined && { error }),
  };
  return { type: "data-step", id: step_id ?? step_name ?? "", data };
}
