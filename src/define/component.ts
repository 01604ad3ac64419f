import { ConfigurationError } from "../errors.ts";
import { faultOfId } from "../model/identifiers.ts";
import { durationOf } from "../model/retention.ts";
import type { SessionPolicy } from "../model/run/run.ts";
import { faultOfLimits, type Limits } from "../model/usage/limits.ts";
import { type Check, checkAll, isText, type Known, oneOf, positive, refuseOthers } from "./checks.ts";
import type { RunContext } from "./context.ts";
import { type ContextOptions, checkContext, type HistoryOptions } from "./context-options.ts";
import type { Guardrail } from "./guardrails/guardrail.ts";
import { checkHooks, type Hooks } from "./hooks.ts";
import type { Knowledge } from "./knowledge.ts";
import { checkKnowledge, type KnowledgeUse } from "./knowledge-use.ts";
import { checkLearning, type LearningOptions } from "./learning.ts";
import { checkMemory, type MemoryOptions } from "./memory.ts";
import type { Model } from "./model.ts";

export type { Model } from "./model.ts";

/** Instructions: a text, several texts, or a function of the run. */
export type Instructions<
  State extends object = Record<string, unknown>,
  Dependencies extends object = Readonly<Record<string, unknown>>,
> = string | readonly string[] | ((context: RunContext<State, Dependencies>) => string | Promise<string>);

/** Parameters of a model call; omitted ones have the provider's defaults. */
export interface ModelSettings {
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly seed?: number;
  readonly stopSequences?: readonly string[];
  /** Options by provider name, passed to the provider unchanged. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A model with instructions of its own. */
export interface InstructedModel {
  readonly model: Model;
  /** Sent in place of the default instructions for its task. */
  readonly instructions?: string;
}

/** Answers of models that equal requests receive again. */
export interface CacheOptions {
  /** How long an answer is stored: `"90m"`, `"12h"`, `"30d"`. */
  readonly ttl: string;
  /** Whether all users receive the same answers. Default: answers to a user's request are for this user only. */
  readonly shared?: boolean;
}

/** Reasoning in steps before the answer. */
export interface ReasoningOptions {
  /** Maximum number of steps, at most 50. Default 10. */
  readonly steps?: number;
}

/** Suggestions for the user's next message. */
export interface FollowupOptions {
  /** The number of suggestions, at most 10. Default 3. */
  readonly count?: number;
  /** Default: the component's model. */
  readonly model?: Model;
}

/** Options that agents and teams share. */
export interface ComponentOptions<
  Id extends string = string,
  State extends object = Record<string, unknown>,
  Dependencies extends object = Readonly<Record<string, unknown>>,
> {
  /** Identifier in URLs: at most 255 characters, no control characters, no slash. */
  readonly id: Id;
  /** Display name. Default: the id. */
  readonly name?: string;
  readonly description?: string;
  /** The purpose of this member, as shown to the leader of a team. */
  readonly role?: string;
  readonly model: Model;
  /**
   * Models that answer when `model` is unavailable, in this order. The next model answers after an outage of a provider or its network, and after a rate
   * limit; not after a rejected request or key. The run keeps the model that answered. See docs/answers.md.
   *
   * @example
   * ```ts
   * defineAgent({ id: "researcher", model: "openai:gpt-5.2", models: ["anthropic:claude-sonnet-5"] });
   * ```
   */
  readonly models?: readonly Model[];
  readonly modelSettings?: ModelSettings;
  /** Converts the answer to the output schema. The component's own model then answers freely, as content that is not the answer. Needs `output`, or a caller's schema. */
  readonly parserModel?: Model | InstructedModel;
  /** Writes the final answer from the run. The text of the component's own model is then content that is not the answer. */
  readonly outputModel?: Model | InstructedModel;
  /**
   * Stores answers of models for requests with the same model, prompt, settings and tools. A stored answer emits the same events, without tokens and cost.
   * Default: none.
   */
  readonly cache?: CacheOptions;
  /** Reasons about the request before the first turn; the component's model receives its reasoning. */
  readonly reasoningModel?: Model;
  /** Reasons in steps before the first turn, by `reasoningModel` or the component's model. `true`: at most 10 steps. Default: none. */
  readonly reasoning?: boolean | ReasoningOptions;
  /**
   * Suggests messages that the user can send after the answer, in the event `FollowupsCompleted` and the run's record. `true`: three, by the component's
   * model. Default: none.
   */
  readonly followups?: boolean | FollowupOptions;
  readonly instructions?: Instructions<State, Dependencies>;
  /** Earlier runs of the session that are included in the model's messages. Default: none. See docs/context.md. */
  readonly history?: HistoryOptions;
  /** The size of the prompt: compaction near the model's context window, and long tool results. See docs/context.md. */
  readonly context?: ContextOptions;
  /** Initial state of a new session. It also types `session.state` in the instructions, where every key may be missing. */
  readonly sessionState?: Readonly<State>;
  /** Values passed to instructions and tools; a start request can add to them. */
  readonly dependencies?: Readonly<Dependencies>;
  /** Maximum number of model turns in one run. Default: the setting `maxSteps`. */
  readonly maxSteps?: number;
  /** Maximum duration of a run, in milliseconds. Default: the setting `runTimeout`. */
  readonly timeout?: number;
  /**
   * Limits on its runs: of each run, of each session, and of each day. The runs under a run count toward it. See docs/limits.md.
   *
   * @example
   * ```ts
   * defineAgent({ id: "researcher", model: "openai:gpt-5.2", limits: { cost: 0.05, perDay: { cost: 20 } } });
   * ```
   */
  readonly limits?: Limits;
  /**
   * Remembers facts about its users across sessions. Default: it remembers nothing. See docs/memory.md.
   *
   * @example
   * ```ts
   * defineAgent({ id: "concierge", model: "openai:gpt-5.2", memory: { model: "openai:gpt-5.2-mini", tools: true } });
   * ```
   */
  readonly memory?: MemoryOptions;
  /**
   * What it learns about users, sessions and things, for later runs. `true`: profile and memories of the user. Default: nothing. See docs/learnings.md.
   *
   * @example
   * ```ts
   * defineAgent({ id: "guide", model: "openai:gpt-5.2", learning: { userProfile: true, entityMemory: { namespace: "global" } } });
   * ```
   */
  readonly learning?: boolean | LearningOptions;
  /**
   * Knowledge bases whose documents its runs search and cite. Default: none. See docs/knowledge.md.
   *
   * @example
   * ```ts
   * const manual = defineKnowledge({ id: "manual", embedder: "openai:text-embedding-3-small" });
   * const support = defineAgent({ id: "support", model: "openai:gpt-5.2", knowledge: [manual] });
   * ```
   */
  readonly knowledge?: readonly Knowledge[] | KnowledgeUse;
  /** Functions at fixed points of a run, which can change what passes, refuse it, or ask for an approval. See docs/guardrails.md. */
  readonly hooks?: Hooks<State, Dependencies>;
  /**
   * Checks of input, answers and results of tools: `piiRedaction`, `promptInjection`, `moderation`, `topics`, `lengthLimits`, `outputSchema`, or of
   * `defineGuardrail`. They run after the hooks of the same point, in their order. See docs/guardrails.md.
   */
  readonly guardrails?: readonly Guardrail[];
  /** Maximum number of attempts of one model call, including the first. Default: the setting `maxModelAttempts`. */
  readonly maxModelAttempts?: number;
  /**
   * Behavior of an unfinished run when a new version of its definition is deployed. `resume` (default): it continues if the parts that
   * it needs next still exist, and fails with a clear message if not. `fail`: it fails. `ask`: it pauses, and a person continues or cancels
   * it.
   */
  readonly onDefinitionChange?: "resume" | "fail" | "ask";
  /** Behavior of a run while another run of its session is unfinished. Default `queue`. */
  readonly sessionPolicy?: SessionPolicy;
  /**
   * Media types that A2A messages may have, as declared in the agent card: `image/png`, `image/*`. Default: `text/plain`,
   * `application/json` and the file types that the model's provider declares. A message of another type is rejected.
   */
  readonly inputModes?: readonly string[];
  /**
   * The response to an A2A message that starts a run. `task` (default). `message`: only the answer, for a component that needs no
   * task. The answer is still a task if the run pauses, fails or has made artifacts, or if the sender does not wait for the run.
   */
  readonly a2aAnswer?: "task" | "message";
}

/** Whether another model than the component's own gives the answer its form. */
export function isShaped({ outputModel, parserModel }: Pick<ComponentOptions, "outputModel" | "parserModel">): boolean {
  return outputModel !== undefined || parserModel !== undefined;
}

/** A model with its instructions, from either form of the option. */
export function instructedModel(given: Model | InstructedModel): InstructedModel {
  const isModel = typeof given === "string" || "specificationVersion" in given;
  return isModel ? { model: given } : given;
}

/** The models of a definition in addition to its first model. Start-up resolves each of them. */
export function otherModels({
  models = [],
  ...options
}: Pick<
  ComponentOptions,
  "models" | "followups" | "parserModel" | "outputModel" | "reasoningModel" | "history" | "guardrails" | "memory"
>): readonly Model[] {
  const { followups, parserModel, outputModel, reasoningModel, history, guardrails = [], memory } = options;
  const own = [
    typeof followups === "object" ? followups.model : undefined,
    parserModel && instructedModel(parserModel).model,
    outputModel && instructedModel(outputModel).model,
    reasoningModel,
    typeof history?.summary === "object" ? history.summary.model : undefined,
    ...guardrails.map(({ model }) => model),
    memory?.model,
  ];
  return [...models, ...own.filter((model) => model !== undefined)];
}

export const componentOptions: Known<ComponentOptions> = {
  id: true,
  name: true,
  description: true,
  role: true,
  model: true,
  models: true,
  followups: true,
  parserModel: true,
  outputModel: true,
  reasoningModel: true,
  reasoning: true,
  cache: true,
  modelSettings: true,
  instructions: true,
  history: true,
  context: true,
  sessionState: true,
  dependencies: true,
  maxSteps: true,
  timeout: true,
  limits: true,
  learning: true,
  memory: true,
  knowledge: true,
  hooks: true,
  guardrails: true,
  maxModelAttempts: true,
  onDefinitionChange: true,
  sessionPolicy: true,
  inputModes: true,
  a2aAnswer: true,
};

const maxFollowups = 10;

const followups: Check = (value) => {
  if (typeof value === "boolean") return undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "must be true or an object";
  const { count } = value as FollowupOptions;
  const isCount = count === undefined || (Number.isInteger(count) && count >= 1 && count <= maxFollowups);
  return isCount ? undefined : `count must be a whole number from 1 to ${maxFollowups}`;
};

const maxReasoningSteps = 50;

const reasoning: Check = (value) => {
  if (typeof value === "boolean") return undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "must be true or an object";
  const { steps } = value as ReasoningOptions;
  const isCount = steps === undefined || (Number.isInteger(steps) && steps >= 1 && steps <= maxReasoningSteps);
  return isCount ? undefined : `steps must be a whole number from 1 to ${maxReasoningSteps}`;
};

/** Milliseconds for which answers are stored. */
export function cacheDuration({ ttl }: CacheOptions): number {
  return durationOf(ttl) ?? 0;
}

const cache: Check = (value) => {
  if (typeof value !== "object" || value === null) return 'must be an object like { ttl: "1h" }';
  const { ttl, shared } = value as Partial<CacheOptions>;
  if (durationOf(ttl) === undefined) return 'ttl must be a duration like "90m", "12h" or "30d"';
  return shared === undefined || typeof shared === "boolean" ? undefined : "shared must be true or false";
};

const instructed: Check = (value) => {
  if (typeof value === "string") return undefined;
  if (typeof value !== "object" || value === null) return "must be a model, or an object with a model";
  if (!("specificationVersion" in value) && !(value as Partial<InstructedModel>).model) return "has no model";
  const { instructions } = value as Partial<InstructedModel>;
  return instructions === undefined || isText(instructions) ? undefined : "instructions must be a text";
};

const runChecks: Readonly<Record<string, Check>> = {
  timeout: positive,
  limits: faultOfLimits,
  onDefinitionChange: oneOf(["resume", "fail", "ask"]),
  sessionPolicy: oneOf(["queue", "parallel"]),
};

/** Rejects an invalid id, name or option. The error names the component and the fix. */
export function checkIdentity(
  kind: "Agent" | "Team" | "Workflow",
  options: { readonly id: string; readonly name?: string | undefined },
): void {
  const title = `${kind} "${options.id}"`;
  const fault = typeof options.id === "string" ? faultOfId(options.id) : "must be a text";
  if (fault) throw new ConfigurationError(`${title}: its id ${fault}.`);
  if (/[/\\?#%]/.test(options.id)) {
    throw new ConfigurationError(
      `${title}: its id must not hold / \\ ? # or %, because it is part of URLs. Use letters, digits and "-".`,
    );
  }
  const { name } = options;
  const isName = typeof name === "string" && name.trim() !== "" && name.isWellFormed() && !name.includes("\0");
  if (name !== undefined && !isName) {
    throw new ConfigurationError(`${title}: its name must be a text that is not empty.`);
  }
  checkAll(title, options, runChecks);
}

/** Rejects invalid A2A options: input modes that are not media types, or an unknown kind of answer. */
export function checkA2aAnswers(
  title: string,
  { inputModes: modes, a2aAnswer = "task" }: Pick<ComponentOptions, "inputModes" | "a2aAnswer">,
): void {
  if (a2aAnswer !== "task" && a2aAnswer !== "message") {
    throw new ConfigurationError(`${title}: a2aAnswer must be "task" or "message".`);
  }
  const isType = (mode: unknown): boolean => typeof mode === "string" && /^[\w.+*-]+\/[\w.+*-]+$/.test(mode);
  if (modes === undefined || (Array.isArray(modes) && modes.length > 0 && modes.every(isType))) return;
  throw new ConfigurationError(
    `${title}: inputModes must be a list of media types, for instance ["text/plain", "image/*"].`,
  );
}

/** Rejects invalid options of an agent or a team. The error names the component and the fix. */
export function checkComponent(kind: "Agent" | "Team", options: ComponentOptions): void {
  const title = `${kind} "${options.id}"`;
  checkIdentity(kind, options);
  if (!options.model) {
    throw new ConfigurationError(
      `${title} has no model: give it one, for instance model: openai("gpt-5.2") or model: "openai:gpt-5.2".`,
    );
  }
  checkAll(title, options, { parserModel: instructed, outputModel: instructed });
  if (options.models !== undefined && !Array.isArray(options.models))
    throw new ConfigurationError(
      `${title}: models must be a list of models, for instance ["anthropic:claude-sonnet-5"].`,
    );
  for (const model of [options.model, ...otherModels(options)]) {
    if (!model)
      throw new ConfigurationError(`${title}: one of its models is ${String(model)}: give a model or remove it.`);
    if (typeof model === "string" && !/^[a-z0-9-]+:.+$/i.test(model)) {
      throw new ConfigurationError(
        `${title}: model "${model}" is not of the form provider:model, for instance "openai:gpt-5.2".`,
      );
    }
  }
  for (const field of ["maxSteps", "maxModelAttempts"] as const) {
    const value = options[field];
    if (value !== undefined && !(Number.isFinite(value) && value > 0)) {
      throw new ConfigurationError(`${title}: ${field} must be a number above 0.`);
    }
  }
  checkA2aAnswers(title, options);
  checkHooks(title, options.hooks);
  refuseOthers(title, "guardrails", options.guardrails, { guardrail: "defineGuardrail or a built-in guardrail" });
  checkLearning(title, options);
  checkMemory(title, options);
  checkKnowledge(title, options);
  checkAll(title, options, { followups, reasoning, cache });
  checkContext(title, options);
}
