/** The names of this protocol: models are components, responses are parts of runs, and calls are questions of paused runs. */
import { TroupeError } from "../../errors.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import type { ComponentName } from "../../runs/find.ts";

/** The model that names a component: `agent:weather`. */
export function modelOf({ kind, componentId }: ComponentName): string {
  return `${kind}:${componentId}`;
}

/** The component that a model names. @throws TroupeError `notFound` */
export function componentOf(model: string): ComponentName {
  const [, kind, componentId] = /^(agent|team|workflow):(.+)$/s.exec(model) ?? [];
  if (kind === undefined || componentId === undefined) throw noModel(model);
  return { kind: kind as ComponentKind, componentId };
}

/** The error for a model that does not exist, or that the caller may not see. */
export function noModel(model: string): TroupeError {
  const name = JSON.stringify(model.slice(0, 100));
  return new TroupeError("notFound", `The model ${name} does not exist. GET /v1/models lists the models.`);
}

/**
 * A part of a run between two pauses. `first` is the index of its first event: 0 for the part from the start of the run to its first pause or its end, otherwise the
 * index after the pause that was answered.
 */
export interface Part {
  readonly runId: string;
  readonly first: number;
}

function partText({ runId, first }: Part): string {
  return first === 0 ? runId : `${runId}.${first}`;
}

/** The id of a part of a run as a response. */
export function responseId(part: Part): string {
  return `resp_${partText(part)}`;
}

/** The id of a part of a run as a chat completion. */
export function completionId(part: Part): string {
  return `chatcmpl-${partText(part)}`;
}

/** The part of a run that a response id names. @throws TroupeError `notFound` */
export function partOf(id: string): Part {
  const [, runId, first = "0"] = /^resp_([^.]+)(?:\.([1-9]\d{0,14}))?$/s.exec(id) ?? [];
  if (runId === undefined) throw noResponse(id);
  return { runId, first: Number(first) };
}

/** The error for a response that does not exist, or that the caller may not see. */
export function noResponse(id: string): TroupeError {
  return new TroupeError("notFound", `The response ${JSON.stringify(id.slice(0, 100))} does not exist.`);
}

/** A question of a paused run. */
export interface QuestionName {
  readonly runId: string;
  /** The id of its requirement. */
  readonly questionId: string;
}

/** The id by which a client answers a question: `call_<run>.<requirement>`, for an approval `mcpr_<run>.<requirement>`. */
export function questionName(prefix: "call" | "mcpr" | "fc", { runId, questionId }: QuestionName): string {
  return `${prefix}_${runId}.${questionId}`;
}

/** The question that an id names; undefined if it is not an id of this server. */
export function questionOf(id: string): QuestionName | undefined {
  const [, runId, questionId] = /^(?:call|mcpr)_([^.]+)\.(.+)$/s.exec(id) ?? [];
  return runId === undefined || questionId === undefined ? undefined : { runId, questionId };
}

/** Frames of one event have consecutive sequence numbers from `event_index * framesPerEvent`. */
export const framesPerEvent = 1000;

/** The sequence number of a frame: its event's index and its number within the event. */
export function sequenceNumber(index: number, frame: number): number {
  return index * framesPerEvent + frame;
}
