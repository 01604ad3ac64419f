/** Types of workflows and their steps. */
import type { z } from "zod";
import type { Media } from "../../model/run/message.ts";
import type { SessionPolicy } from "../../model/run/run.ts";
import type { Limits } from "../../model/usage/limits.ts";
import type { InputField } from "../../model/workflow.ts";
import type { Agent } from "../agent.ts";
import type { ComponentTypes, Typed } from "../component-types.ts";
import type { RunContext } from "../context.ts";
import type { RemoteAgent, RemoteTeam, RemoteWorkflow } from "../remote.ts";
import type { Runnable } from "../runnable.ts";
import type { Team } from "../team.ts";

/** The types of the run so far, for a step's function. */
export interface StepTypes {
  readonly input: unknown;
  readonly previous: unknown;
  /** Contents of finished steps, by name. */
  readonly outputs: unknown;
  readonly sessionState: object;
  readonly dependencies: object;
}

/** The default types, for steps that are defined outside a chain. */
export interface AnyStepTypes extends StepTypes {
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly sessionState: Record<string, unknown>;
  readonly dependencies: Readonly<Record<string, unknown>>;
}

/** The context of a step's function. */
export interface StepContext<Types extends StepTypes = AnyStepTypes>
  extends RunContext<Types["sessionState"], Types["dependencies"]> {
  /** Input of the workflow: the value that its `input` schema parsed, or the message if there is no schema. */
  readonly input: Types["input"];
  /** The message, unparsed. */
  readonly message: string;
  /** Images, audio, video and documents of the step before, or of the start if the step before passed none on. */
  readonly media: readonly Media[];
  /** Content of the step before; for the first step, the input. */
  readonly previous: Types["previous"];
  /**
   * Returns the content of a finished step by name, including steps inside containers; undefined if the step has not run. For a step in a
   * loop, the content of its last iteration.
   */
  output<Name extends keyof Types["outputs"] & string>(name: Name): Types["outputs"][Name];
  /** Values that a person entered, for a step with `userInput`. */
  readonly userInput: Readonly<Record<string, unknown>>;
  /** Feedback of the person who rejected the previous attempt, for a step with `review`. */
  readonly feedback: string | undefined;
  /** Aborts when the run is cancelled, or when the time-out of the run or of the step expires. */
  readonly signal: AbortSignal;
  /** The same for every attempt of this step in this run, so that a function can apply a side effect only once. */
  readonly idempotencyKey: string;
}

/** Outcome when a person rejects. `else` is for conditions, `retry` for reviews. */
export type OnReject = "skip" | "cancel" | "else" | "retry";

/** Outcome when no answer arrives in time: `approve` continues as if approved, `skip` skips the step, `cancel` cancels the run. */
export type OnTimeout = "approve" | "skip" | "cancel";

/** A function of the run so far. */
export type StepFunction<Result, Types extends StepTypes = AnyStepTypes> = (
  context: StepContext<Types>,
) => Result | Promise<Result>;

/** Options that every step has. */
export interface CommonStepOptions<Rejections extends OnReject = OnReject> {
  /** Unique in its workflow. */
  readonly name: string;
  readonly description?: string;
  /** Asks a person before the step begins: `true`, or the question. */
  readonly confirm?: boolean | string;
  /** Outcome when the person rejects. Default: `skip`; for a review, `retry`. */
  readonly onReject?: Rejections;
  /** Time for a person to answer what the step asks, in milliseconds. Default: unlimited. */
  readonly answerTimeout?: number;
  /** Outcome when no answer arrives within `answerTimeout`. Default: `cancel`. */
  readonly onTimeout?: OnTimeout;
}

/** The work of a step. */
interface Doings {
  readonly agent: Agent | RemoteAgent;
  readonly team: Team | RemoteTeam;
  readonly workflow: Workflow | RemoteWorkflow;
  /** The return value is the step's content; return `stepOutput` for more than content. */
  readonly run: StepFunction<unknown>;
}

/** An object with exactly one of the members. */
export type OneOf<All> = {
  [One in keyof All]: Pick<All, One> & { readonly [Other in Exclude<keyof All, One>]?: undefined };
}[keyof All];

/** Options of a leaf step, with exactly one of `agent`, `team`, `workflow` and `run`. */
export type StepOptions = LeafOptions & OneOf<Doings>;

/** Options of every leaf step. */
export interface LeafOptions<Types extends StepTypes = AnyStepTypes>
  extends CommonStepOptions<"skip" | "cancel" | "retry"> {
  /** The message for the agent, team or workflow. Default: the content of the step before. */
  readonly input?: StepFunction<string, Types>;
  /** Schema that the content of a function is validated against. */
  readonly output?: z.ZodType;
  /**
   * Retries after the first attempt. `delay`: milliseconds before the first retry (default 1,000); `factor`: multiplier of each further
   * delay (default 2).
   */
  readonly retries?: { readonly times: number; readonly delay?: number; readonly factor?: number };
  /** Maximum duration of one attempt, in milliseconds. */
  readonly timeout?: number;
  /**
   * Handling of the error when all attempts have failed. `fail` (default): the run fails. `skip`: the step is skipped. `pause`: a person decides
   * whether to retry or to reject, see `onReject`.
   */
  readonly onError?: "fail" | "skip" | "pause";
  /** Asks a person for values before the step begins. */
  readonly userInput?: { readonly message?: string; readonly fields: readonly UserField[] };
  /** Asks a person to review the output before the next step begins: `true`, or the question. The person can edit the output. */
  readonly review?: boolean | string;
}

/** A value that a person enters. */
export interface UserField {
  readonly name: string;
  /** Default `str`. */
  readonly type?: InputField["field_type"];
  readonly description?: string;
  /** Default true. */
  readonly required?: boolean;
}

/** A component that a step can execute, on this server or on another one. */
export type Executor = Agent | Team | Workflow | RemoteAgent | RemoteTeam | RemoteWorkflow;

/** Steps, or components, each of which becomes a step. */
export type StepList = readonly (StepNode | Executor)[];

/** A step of a workflow. */
export type StepNode = LeafNode | GroupNode | ParallelNode | ConditionNode | LoopNode | RouterNode;

export type LeafNode = StepOptions & { readonly type: "Step" };
export interface GroupNode extends CommonStepOptions<"skip" | "cancel"> {
  readonly type: "Steps";
  readonly steps: readonly StepNode[];
}
export interface ParallelNode extends CommonStepOptions<"skip" | "cancel"> {
  readonly type: "Parallel";
  readonly steps: readonly StepNode[];
}
export interface ConditionNode extends CommonStepOptions<"skip" | "cancel" | "else"> {
  readonly type: "Condition";
  readonly if: StepFunction<boolean>;
  readonly steps: readonly StepNode[];
  readonly else: readonly StepNode[];
}
export interface LoopNode extends CommonStepOptions<"skip" | "cancel"> {
  readonly type: "Loop";
  readonly steps: readonly StepNode[];
  readonly until: StepFunction<boolean> | undefined;
  readonly max: number;
}
export interface RouterNode extends CommonStepOptions<"skip" | "cancel"> {
  readonly type: "Router";
  /** Undefined when a person chooses. */
  readonly choose: StepFunction<string | readonly string[]> | undefined;
  readonly choices: readonly StepNode[];
  readonly several: boolean;
}

/** Options of a workflow. */
export interface WorkflowOptions<
  Id extends string = string,
  State extends object = Record<string, unknown>,
  Dependencies extends object = Readonly<Record<string, unknown>>,
  Input extends z.ZodType | undefined = z.ZodType | undefined,
  Output extends z.ZodType | undefined = z.ZodType | undefined,
  Steps = StepList,
> {
  /** Identifier in URLs: at most 255 characters, no control characters, no slash. */
  readonly id: Id;
  /** Display name. Default: the id. */
  readonly name?: string;
  readonly description?: string;
  /**
   * The steps, in order. Either a list, in which an agent, a team or a workflow becomes a step with its own name. Or a function that chains
   * the steps, which then have types for the input and for the contents of the steps before them.
   */
  readonly steps: Steps;
  /**
   * Schema of the input. The message of a start is parsed as JSON, unless the schema is a string schema; a message that does not match is
   * rejected.
   */
  readonly input?: Input;
  /** Schema of the answer: the content of the last step is validated against it. */
  readonly output?: Output;
  /** Initial state of a new session. */
  readonly sessionState?: Readonly<State>;
  /** Values passed to the functions of the steps; a start request can add to them. */
  readonly dependencies?: Readonly<Dependencies>;
  /** Maximum duration of a run in milliseconds, not counting the time in which it is paused. Default: the setting `runTimeout`. */
  readonly timeout?: number;
  /** Limits on its runs, as for agents: the runs of its steps count toward them. */
  readonly limits?: Limits;
  /** Behavior of an unfinished run when a new version of its definition is deployed; see the option of the same name of agents. */
  readonly onDefinitionChange?: "resume" | "fail" | "ask";
  /** Behavior of a run while another run of its session is unfinished. Default `queue`. */
  readonly sessionPolicy?: SessionPolicy;
  /**
   * Media types that A2A messages may have, as for agents. Default: `text/plain` and `application/json`, or only one of them if `input`
   * accepts only one.
   */
  readonly inputModes?: readonly string[];
  /** The response to an A2A message that starts a run, as for agents. Default `task`. */
  readonly a2aAnswer?: "task" | "message";
}

/** A workflow: steps that run in a defined order. */
export interface Workflow<Types extends ComponentTypes = ComponentTypes>
  extends WorkflowOptions<Types["id"]>,
    Runnable<"workflow", Types>,
    Typed<Types> {
  readonly kind: "workflow";
  readonly name: string;
  readonly steps: readonly StepNode[];
}
