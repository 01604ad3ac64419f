/** Outcomes of steps that contain other steps. */
import type { StepOutcome, StepRecord } from "../../../model/workflow.ts";
import type { Flow } from "./effects.ts";
import type { Place } from "./places.ts";

/** Media are part of the run's record, not of its steps' records. */
export const noMedia = { images: null, videos: null, audio: null, files: null };

/** Returns a step's record from its own fields and the defaults. */
export function recordOf(place: Place, own: Partial<StepRecord>): StepRecord {
  return {
    content: null,
    step_name: place.name,
    step_id: place.stepId,
    step_type: place.node.type,
    executor_type: null,
    executor_name: null,
    step_run_id: null,
    ...noMedia,
    metrics: null,
    success: true,
    error: null,
    stop: false,
    is_paused: false,
    ...own,
  };
}

/** A container's outcome is its last step's outcome; if no step was executed, it is the outcome before the container. */
export function containerOutcome(
  place: Place,
  inner: {
    readonly outcomes: readonly StepOutcome[];
    readonly flow: Pick<Flow, "input" | "previous">;
    readonly stops: boolean;
  },
  text: string,
  steps: readonly StepRecord[] = inner.outcomes.map(({ record }) => record),
): StepOutcome {
  const record = recordOf(place, { content: text, stop: inner.stops, steps, success: steps.every(isWell) });
  const { input, previous } = inner.flow;
  return { record, content: previous ? previous.content : input, ...(previous?.media && { media: previous.media }) };
}

/** A parallel block's outcome is a text with a heading for each of its steps, and the media of all of them. */
export function parallelOutcome(place: Place, outcomes: readonly StepOutcome[]): StepOutcome {
  const parts = outcomes.map(({ record, content }) => {
    const sign = record.success ? "✅ SUCCESS" : "❌ FAILURE";
    return `### ${sign}: ${record.step_name}\n${toText(record.success ? content : (record.error ?? ""))}`;
  });
  const content = `## Parallel Execution Results\n\n${parts.join("\n\n")}`;
  const media = outcomes.flatMap((outcome) => outcome.media ?? []);
  const steps = outcomes.map(({ record }) => record);
  const record = recordOf(place, {
    content,
    executor_type: "parallel",
    executor_name: place.name,
    success: steps.every(isWell),
    stop: steps.some(({ stop }) => stop),
    steps,
  });
  return { record, content, ...(media.length > 0 && { media }) };
}

/** Returns the flow after a step. Outputs come from the step's record, so that a recovered run reads the same values. */
export function flowAfter({ input, previous, outputs, records }: Flow, outcome: StepOutcome): Flow {
  const { record } = outcome;
  const known = new Map(outputs);
  collect(known, record, previous ? previous.content : input);
  return { input, previous: outcome, outputs: known, records: new Map(records).set(record.step_name, record) };
}

/** Adds the outputs of a step and its inner steps; for a repeated step, the last output. Returns the step's outcome for the next step. */
function collect(outputs: Map<string, unknown>, { steps, ...record }: StepRecord, before: unknown): unknown {
  const isParallel = record.step_type === "Parallel";
  let last = before;
  for (const inner of steps ?? []) last = collect(outputs, inner, isParallel ? before : last);
  const content = steps && !isParallel ? last : record.content;
  outputs.set(record.step_name, content);
  return content;
}

function isWell({ success }: StepRecord): boolean {
  return success;
}

/** Content as text for a model or a person. */
export function toText(content: unknown): string {
  if (content === undefined || content === null) return "";
  return typeof content === "string" ? content : JSON.stringify(content);
}
