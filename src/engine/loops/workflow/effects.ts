/** What the interpreter of steps asks for: everything that touches the world goes through here. */
import type { StepFunction } from "../../../define/workflow/types.ts";
import type { CallPlaces } from "../../../model/record.ts";
import type { StepOutcome, StepRecord, StepRequirement } from "../../../model/workflow.ts";
import type { Place } from "./places.ts";

/** What a step is given of those before it. */
export interface Flow {
  /** What the workflow was started with: content for the first step. */
  readonly input: unknown;
  /** The step before; undefined for the first. */
  readonly previous: StepOutcome | undefined;
  /** Contents of finished steps by name, those inside containers among them. */
  readonly outputs: ReadonlyMap<string, unknown>;
  /** Records of the finished steps of this list and of those around it, as the wire shows them: a container's holds its steps'. */
  readonly records: ReadonlyMap<string, StepRecord>;
}

/** What a person said to a step. */
export interface Said {
  readonly userInput: Readonly<Record<string, unknown>>;
  readonly feedback: string | undefined;
}

/** One try of a step that does something. `attempt` is different for each. */
export interface Try extends Said {
  readonly attempt: string;
}

/** The name under which it is settled that a try's executor waits for somebody. */
export function waitsName({ attempt }: Pick<Try, "attempt">): string {
  return `waits:${attempt}`;
}

export interface Effects {
  readonly workflowId: string;
  /** Of the workflow's run: questions are named after it. */
  readonly runId: string;
  /** What was settled under a name, in this attempt of the run or an earlier one. */
  settled(name: string): unknown;
  /** Settles it: durable with the next event that is told, or with the next commit. */
  settle(name: string, value: unknown): void;
  /** Tells an event of a step. */
  tell(place: Place, event: string, fields?: Readonly<Record<string, unknown>>): void;
  /** The wall clock, in milliseconds. */
  now(): number;
  /** Resolves when all that was settled and told is durable. */
  commit(): Promise<void>;
  /** Calls a function of the definition. @throws StepFailure */
  call<Result>(place: Place, flow: Flow, said: Said, of: StepFunction<Result>): Promise<Result>;
  /** Does what a step does, once. @throws StepFailure */
  perform(place: Place, flow: Flow, one: Try): Promise<StepOutcome>;
  /** Waits between two tries. */
  rest(milliseconds: number): Promise<void>;
  /** Ends the run as cancelled. */
  cancel(): never;
}

/** A step that failed; everything else that is thrown ends the run. */
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
  /** Of executors: whose calls wait, and what their answers are called, by requirement. */
  readonly calls: CallPlaces;

  constructor(requirements: readonly StepRequirement[], kind: "step" | "executor" = "step", calls: CallPlaces = {}) {
    super("Steps wait for a person.");
    this.requirements = requirements;
    this.kind = kind;
    this.calls = calls;
  }
}

/** A step is left out: nobody answered in time what it asked. */
export class StepLeftOut extends Error {
  override readonly name = "StepLeftOut";
}

/** Nobody said anything. */
export const nothingSaid: Said = { userInput: {}, feedback: undefined };
