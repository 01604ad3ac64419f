/** Hooks: functions of a definition that run at fixed points of a run. See docs/guardrails.md. */
import { ConfigurationError } from "../errors.ts";
import type { Media } from "../model/run/message.ts";
import { type Known, positive, refuseUnknown } from "./checks.ts";
import type { RunContext } from "./context.ts";

/** The point of a run at which a hook runs. */
export type HookPoint = "beforeRun" | "afterRun" | "beforeModel" | "afterModel" | "beforeTool" | "afterTool";

/** The context of a hook. */
export interface HookContext<
  State extends object = Record<string, unknown>,
  Dependencies extends object = Readonly<Record<string, unknown>>,
> extends RunContext<State, Dependencies> {
  readonly point: HookPoint;
  /** Aborts when the run is cancelled, or when the time-out of the run or of the hook expires. */
  readonly signal: AbortSignal;
  /** The same for every attempt of this call of the hook, so that the hook can apply a side effect only once. */
  readonly idempotencyKey: string;
}

/** Ends the run with this message for the caller, and with the error type `input_check_error` or, after the model, `output_check_error`. */
export interface Refusal {
  readonly refuse: string;
}

/** Pauses the run until a caller with the scope `approvals:write` approves it. The text tells the approver what to decide. */
export interface ApprovalRequest {
  readonly askApproval: string;
}

/** Nothing changes. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook without a return statement returns void.
type Unchanged = void | undefined;

/** The run before its first model request. */
export interface RunStart {
  /** The message of the caller; for a member of a team, its task. */
  readonly input: string;
  readonly media: readonly Media[];
}

/** A message of a prompt, as hooks see it. */
export interface PromptMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly content: string;
}

/** A model request before it is sent. */
export interface ModelRequest {
  readonly model: string;
  /** The system message; empty if there is none. */
  readonly system: string;
  /** Messages of earlier runs, then of this run. */
  readonly messages: readonly PromptMessage[];
  /** Names of the tools that the model can call. */
  readonly tools: readonly string[];
}

/** Changes of a prompt, for one request. They are stored with the run. */
export interface PromptChange {
  readonly system?: string;
  /** New contents of messages, by their index in `messages`. */
  readonly contents?: Readonly<Record<number, string>>;
}

/** The answer of one model request. */
export interface ModelAnswer {
  readonly text: string;
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
}

/** A tool call before it is announced. */
export interface HookedCall {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
}

/** A tool call with its result, before the result is stored. */
export interface HookedResult extends HookedCall {
  readonly result: string;
  readonly isError: boolean;
}

/** A run with its answer. */
export interface RunEnd {
  readonly input: string;
  /** The answer: a text, or the value of a structured answer. */
  readonly content: unknown;
}

type Hook<Given, Returned, State extends object, Dependencies extends object> = (
  given: Given,
  context: HookContext<State, Dependencies>,
) => Returned | Unchanged | Promise<Returned | Unchanged>;

/** One hook, or several in their order: each receives what the hook before it has changed. */
type OneOrMore<Item> = Item | readonly Item[];

/**
 * The hooks of an agent or a team. Each result is stored before the run depends on it: a process that takes over the run does not call the hook again.
 * A hook that throws, or takes too long, ends the run with the error type `hook_failed`; one that throws `RunRejected` ends it with `rejected`.
 *
 * @example
 * ```ts
 * defineAgent({
 *   id: "clerk",
 *   model: "openai:gpt-5.2",
 *   hooks: {
 *     beforeRun: ({ input }) => (input.length > 10_000 ? { refuse: "Please write less." } : undefined),
 *     beforeTool: ({ tool }) => (tool === "pay" ? { askApproval: "The agent wants to pay." } : undefined),
 *   },
 * });
 * ```
 */
export interface Hooks<
  State extends object = Record<string, unknown>,
  Dependencies extends object = Readonly<Record<string, unknown>>,
> {
  /** Runs once, before the first model request. `input` replaces the message for the models of this run; records keep the original. */
  readonly beforeRun?: OneOrMore<
    Hook<RunStart, { readonly input: string } | Refusal | ApprovalRequest, State, Dependencies>
  >;
  /** Runs before each model request. */
  readonly beforeModel?: OneOrMore<Hook<ModelRequest, PromptChange | Refusal | ApprovalRequest, State, Dependencies>>;
  /** Runs after each model request. `text` replaces the text of the answer. With such a hook, clients receive the text when the hook has returned. */
  readonly afterModel?: OneOrMore<Hook<ModelAnswer, { readonly text: string } | Refusal, State, Dependencies>>;
  /** Runs before each tool call. `input` replaces the arguments; `result` is the result in place of a call. */
  readonly beforeTool?: OneOrMore<
    Hook<
      HookedCall,
      | { readonly input: Readonly<Record<string, unknown>> }
      | { readonly result: string; readonly isError?: boolean }
      | Refusal
      | ApprovalRequest,
      State,
      Dependencies
    >
  >;
  /** Runs after each tool call. `result` replaces the text of the result. */
  readonly afterTool?: OneOrMore<Hook<HookedResult, { readonly result: string } | Refusal, State, Dependencies>>;
  /** Runs once, after the answer. It cannot change the answer, because clients have received it: use `afterModel`. */
  readonly afterRun?: OneOrMore<Hook<RunEnd, Refusal, State, Dependencies>>;
  /** Maximum duration of one call of a hook, in milliseconds. Default: the setting `toolTimeout`. */
  readonly timeout?: number;
}

const hookOptions: Known<Hooks> = {
  ...{ beforeRun: true, afterRun: true, beforeModel: true, afterModel: true, beforeTool: true, afterTool: true },
  timeout: true,
};

/** Rejects hooks that are not functions. The error names the component and the fix. */
export function checkHooks(title: string, hooks: unknown): void {
  if (hooks === undefined) return;
  if (typeof hooks !== "object" || hooks === null || Array.isArray(hooks))
    throw new ConfigurationError(`${title}: hooks must be an object, for instance { beforeRun: checkInput }.`);
  refuseUnknown(`${title}: its hooks`, hooks, hookOptions);
  for (const [name, value] of Object.entries(hooks)) {
    if (value === undefined) continue;
    if (name === "timeout") {
      const fault = positive(value);
      if (fault) throw new ConfigurationError(`${title}: hooks.timeout ${fault}.`);
    } else if (!(Array.isArray(value) ? value : [value]).every((one) => typeof one === "function")) {
      throw new ConfigurationError(`${title}: hooks.${name} must be a function or a list of functions.`);
    }
  }
}
