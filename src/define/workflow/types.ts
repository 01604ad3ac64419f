/** What a workflow is made of: types only. */
import type { z } from "zod";
import type { Media } from "../../model/message.ts";
import type { SessionPolicy } from "../../model/run.ts";
import type { InputField } from "../../model/workflow.ts";
import type { Agent } from "../agent.ts";
import type { ComponentTypes, Typed } from "../component-types.ts";
import type { RunContext } from "../context.ts";
import type { RemoteAgent, RemoteTeam, RemoteWorkflow } from "../remote.ts";
import type { Runnable } from "../run-here.ts";
import type { Team } from "../team.ts";

/** What a step's function may use of the run so far, as types. */
export interface StepTypes {
  readonly input: unknown;
  readonly previous: unknown;
  /** Contents of finished steps by name. */
  readonly outputs: unknown;
  readonly sessionState: object;
  readonly dependencies: object;
}

/** The types where a definition says no more: of steps that are written on their own. */
export interface AnyStepTypes extends StepTypes {
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly sessionState: Record<string, unknown>;
  readonly dependencies: Readonly<Record<string, unknown>>;
}

/** What a step's function receives. */
export interface StepContext<Types extends StepTypes = AnyStepTypes>
  extends RunContext<Types["sessionState"], Types["dependencies"]> {
  /** What the workflow was started with: validated by its `input`, else the message. */
  readonly input: Types["input"];
  /** The message as it came. */
  readonly message: string;
  /** Pictures, sound, video and documents: of the start, or of the step before where it handed some on. */
  readonly media: readonly Media[];
  /** Content of the step before; of the first step the input. */
  readonly previous: Types["previous"];
  /** Content of a finished step by its name, also of one inside a container; undefined where it has not run. Of a step in a loop what it gave last. */
  output<Name extends keyof Types["outputs"] & string>(name: Name): Types["outputs"][Name];
  /** What a person entered, for a step with `userInput`. */
  readonly userInput: Readonly<Record<string, unknown>>;
  /** What a person found wrong with the last try, for a step with `review`. */
  readonly feedback: string | undefined;
  /** Aborts on cancel, on the run's time-out and on the step's own. */
  readonly signal: AbortSignal;
  /** The same for every try of this step in this run, so that a side effect can be made once. */
  readonly idempotencyKey: string;
}

/** What happens when a person says no. `else` is for conditions, `retry` for reviews. */
export type OnReject = "skip" | "cancel" | "else" | "retry";

/** What happens when nobody answers in time: the run is cancelled, the step is left out, or it goes on as after a yes. */
export type OnTimeout = "approve" | "skip" | "cancel";

/** A function of the run so far. */
export type StepFunction<Result, Types extends StepTypes = AnyStepTypes> = (
  context: StepContext<Types>,
) => Result | Promise<Result>;

/** What every step may have. */
export interface CommonStepOptions<Rejections extends OnReject = OnReject> {
  /** Unique in its workflow. */
  readonly name: string;
  readonly description?: string;
  /** Asks a person before it begins: `true`, or the question. */
  readonly confirm?: boolean | string;
  /** What happens when the person says no. Default: `skip`; of a review `retry`. */
  readonly onReject?: Rejections;
  /** Milliseconds in which a person is to answer what the step asks. Default: it waits as long as it takes. */
  readonly answerTimeout?: number;
  /** What happens when nobody has answered by then. Default: `cancel`. */
  readonly onTimeout?: OnTimeout;
}

/** What a step does: one of these. */
interface Doings {
  readonly agent: Agent | RemoteAgent;
  readonly team: Team | RemoteTeam;
  readonly workflow: Workflow | RemoteWorkflow;
  /** What it returns is its content; `stepOutput` returns more. */
  readonly run: StepFunction<unknown>;
}

/** Exactly one of its members. */
export type OneOf<All> = {
  [One in keyof All]: Pick<All, One> & { readonly [Other in Exclude<keyof All, One>]?: undefined };
}[keyof All];

/** How a step is described that does something: exactly one of `agent`, `team`, `workflow` and `run`. */
export type StepOptions = LeafOptions & OneOf<Doings>;

/** What a step may have, whatever it does. */
export interface LeafOptions<Types extends StepTypes = AnyStepTypes>
  extends CommonStepOptions<"skip" | "cancel" | "retry"> {
  /** What an agent, a team or a workflow is told. Default: the content of the step before. */
  readonly input?: StepFunction<string, Types>;
  /** Shape of a function's content: it is validated. */
  readonly output?: z.ZodType;
  /** Tries after the first one, milliseconds before the first of them (default 1,000), and what each next wait is multiplied with (default 2). */
  readonly retries?: { readonly times: number; readonly delay?: number; readonly factor?: number };
  /** Milliseconds one try may take. */
  readonly timeout?: number;
  /** What happens when all tries have failed. Default `fail`: the run fails. `pause` asks a person: again, or as `onReject` says. */
  readonly onError?: "fail" | "skip" | "pause";
  /** Asks a person for values before it begins. */
  readonly userInput?: { readonly message?: string; readonly fields: readonly UserField[] };
  /** Asks a person about its output before the next step begins: `true`, or the question. The output can be edited. */
  readonly review?: boolean | string;
}

/** A value that a person is asked for. */
export interface UserField {
  readonly name: string;
  /** Default `str`. */
  readonly type?: InputField["field_type"];
  readonly description?: string;
  /** Default true. */
  readonly required?: boolean;
}

/** What a step can have executed, here or by another server. */
export type Executor = Agent | Team | Workflow | RemoteAgent | RemoteTeam | RemoteWorkflow;

/** Steps, or components that stand for steps. */
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
  /** Undefined where a person chooses. */
  readonly choose: StepFunction<string | readonly string[]> | undefined;
  readonly choices: readonly StepNode[];
  readonly several: boolean;
}

/** How a workflow is described. */
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
  /** Name for people. Default: the id. */
  readonly name?: string;
  readonly description?: string;
  /**
   * Steps in their order: a list, in which an agent, a team or a workflow by itself is a step of its name, or a function that chains them, whose steps
   * know the input and the contents of the steps before them by their types.
   */
  readonly steps: Steps;
  /** Shape of the input: a start's message is read as JSON, unless the shape is that of a text, and refused when it does not fit. */
  readonly input?: Input;
  /** Shape of the answer: the last step's content is validated against it. */
  readonly output?: Output;
  /** State of a new session. */
  readonly sessionState?: Readonly<State>;
  /** Values handed to the steps' functions; a start may add to them. */
  readonly dependencies?: Readonly<Dependencies>;
  /** Milliseconds a run may take, time in which it is paused left out. Default: `runTimeout` of the settings. */
  readonly timeout?: number;
  /** What happens to a run under way when a new version of its definition is deployed, see agents. */
  readonly onDefinitionChange?: "resume" | "fail" | "ask";
  /** What a run does while another of its session is unfinished. Default `queue`. */
  readonly sessionPolicy?: SessionPolicy;
  /** Media types that messages by A2A may have, as for agents. Default: `text/plain` and `application/json`, of which `input` may allow one only. */
  readonly inputModes?: readonly string[];
  /** What a message by A2A that begins something is answered with, as for agents. Default `task`. */
  readonly a2aAnswer?: "task" | "message";
}

/** A workflow: steps that run in an order that is written down. */
export interface Workflow<Types extends ComponentTypes = ComponentTypes>
  extends WorkflowOptions<Types["id"]>,
    Runnable<"workflow", Types>,
    Typed<Types> {
  readonly kind: "workflow";
  readonly name: string;
  readonly steps: readonly StepNode[];
}
