/** The interface between the interpreter of steps and its surroundings: all I/O passes through it. */
import type { StepFunction } from "../../../define/workflow/types.ts";
import type { CallPlaces } from "../../../model/run/record.ts";
import type { StepOutcome, StepRecord, StepRequirement } from "../../../model/workflow.ts";
import type { Place } from "./places.ts";

/** The values that a step receives from the steps before it. */
export interface Flow {
  /** The workflow's input: the content for the first step. */
  readonly input: unknown;
  /** The previous step's output; undefined for the first step. */
  readonly previous: StepOutcome | undefined;
  /** Contents of finished steps by name, including steps inside containers. */
  readonly outputs: ReadonlyMap<string, unknown>;
  /** Wire records of the finished steps of this list and its enclosing lists; a container's record contains its steps' records. */
  readonly records: ReadonlyMap<string, StepRecord>;
}

/** A person's answer to a step. */
export interface HumanInput {
  readonly userInput: Readonly<Record<string, unknown>>;
  readonly feedback: string | undefined;
}

/** One attempt of a step without inner steps. `id` is unique. */
export interface LeafAttempt extends HumanInput {
  readonly id: string;
}

/** The name of the record which states that an attempt's executor waits for a person. */
export function waitMarkName({ id }: Pick<LeafAttempt, "id">): string {
  return `waits:${id}`;
}

export interface Effects {
  readonly workflowId: string;
  /** The workflow's run id, which prefixes the ids of questions. */
  readonly runId: string;
  /** The value recorded under a name by this or an earlier attempt of the run. */
  mark(name: string): unknown;
  /** Records a value; durable with the next event or the next commit. */
  setMark(name: string, value: unknown): void;
  /** Emits an event of a step. */
  emit(place: Place, event: string, fields?: Readonly<Record<string, unknown>>): void;
  /** The wall clock, in milliseconds. */
  now(): number;
  /** Resolves when all recorded values and emitted events are durable. */
  commit(): Promise<void>;
  /** Calls a function of the definition. @throws StepFailure */
  call<Result>(place: Place, flow: Flow, human: HumanInput, of: StepFunction<Result>): Promise<Result>;
  /** Executes a step once. @throws StepFailure */
  executeStep(place: Place, flow: Flow, attempt: LeafAttempt): Promise<StepOutcome>;
  /** Waits between two attempts. */
  sleep(milliseconds: number): Promise<void>;
  /** Ends the run as cancelled. */
  cancel(): never;
}

/** A step that failed; any other error ends the run. */
export class StepFailure extends Error {
  override readonly name = "StepFailure";
  readonly type: string;

  constructor(message: string, type = "step_failed", cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.type = type;
  }
}

/** Steps wait for a person. */
export class StepsPaused extends Error {
  override readonly name = "StepsPaused";
  readonly requirements: readonly StepRequirement[];
  readonly kind: "step" | "executor";
  /** For executors: the runs whose calls wait and the names of their answers, by requirement. */
  readonly calls: CallPlaces;

  constructor(requirements: readonly StepRequirement[], kind: "step" | "executor" = "step", calls: CallPlaces = {}) {
    super("Steps wait for a person.");
    this.requirements = requirements;
    this.kind = kind;
    this.calls = calls;
  }
}

/** Thrown to skip a step whose question was not answered in time. */
export class StepSkipped extends Error {
  override readonly name = "StepLeftOut";
}

/** The state before a person has answered. */
export const noHumanInput: HumanInput = { userInput: {}, feedback: undefined };
