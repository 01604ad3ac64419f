/** The hooks of one run. Each outcome is durable before the run depends on it. */
import { redactValue } from "../../define/guardrails/redact.ts";
import type { HookedCall, HookPoint, ModelRequest, PromptMessage, RunStart } from "../../define/hooks.ts";
import { inputRefusedType, outputRefusedType } from "../../model/run/failure.ts";
import type { Message, ToolCall } from "../../model/run/message.ts";
import type { RunOutput } from "../../model/run/record.ts";
import { RunFailure, type RunScope } from "../loops/contract.ts";
import { reasoningOf, textOfPieces } from "../model-call/answer-parts.ts";
import type { ModelTurn } from "../model-call/model-turn.ts";
import type { PromptParts } from "../model-call/prompt.ts";
import type { ToolResult } from "../tool-call/callable.ts";
import { callHook, type HookPlace, outcomeName } from "./call-hook.ts";
import { requireApproval } from "./hook-approval.ts";
import { describeOutcome, type Outcome } from "./outcome.ts";
import { type HookPlan, hookPlanOf, type PointFacts, type PointFunction, type TextDisplay } from "./plan.ts";
import { SentenceStream } from "./sentence-stream.ts";
import { redactRest, replaceText } from "./turn-text.ts";

/** The decision of hooks about a tool call. */
export interface CallDecision {
  /** The call with the arguments that hooks changed. */
  readonly call: ToolCall;
  /** The result in place of a call. */
  readonly result: ToolResult | undefined;
  /** The question to an approver. */
  readonly question: string | undefined;
}

/** How the functions of a point before an action run. */
interface BeforeOptions<Given> {
  /** Default: all functions of the point. */
  readonly functions?: readonly PointFunction[];
  /** Further fields of the events. */
  readonly fieldsOf?: (given: Given) => object;
  /** Returns the data for the next function. */
  readonly apply?: (given: Given, outcome: Outcome) => Given;
  /** Whether no further function is called. */
  readonly isDecided?: (given: Given) => boolean;
  readonly facts?: PointFacts;
}

/** How the functions of a point after an action run. */
interface AfterOptions {
  readonly functions?: readonly PointFunction[];
  readonly fields?: object;
  readonly facts?: PointFacts;
  /** Whether the outcome is stored under a name of its own, because no message contains it. */
  readonly isStored?: boolean;
}

/** Returns the hooks of a run; undefined for a component without hooks. */
export function runHooksOf(scope: RunScope): RunHooks | undefined {
  const plan = hookPlanOf(scope.component);
  return plan && new RunHooks(scope, plan);
}

export class RunHooks {
  readonly #scope: RunScope;
  readonly #plan: HookPlan;
  /** The message of the caller as hooks changed it. */
  #input: string;

  constructor(scope: RunScope, plan: HookPlan) {
    this.#scope = scope;
    this.#plan = plan;
    this.#input = scope.input.message;
  }

  /** When clients receive the text of a turn. */
  get display(): TextDisplay {
    return this.#plan.display;
  }

  /** Returns the stream that redacts a turn while it arrives; undefined if its text is shown otherwise. */
  sentenceStream(): SentenceStream | undefined {
    const { display, redact } = this.#plan;
    return display === "sentences" && redact ? new SentenceStream(redact) : undefined;
  }

  has(point: HookPoint): boolean {
    return this.#plan.points[point].length > 0;
  }

  /** Runs before the first model request. @throws RunFailure or RunPaused */
  async beforeRun(): Promise<void> {
    if (!this.has("beforeRun")) return;
    const { message: input, media = [] } = this.#scope.input;
    const given: RunStart = { input, media };
    this.#input = (
      await this.#before("beforeRun", 0, given, {
        fieldsOf: (now) => ({ run_input: { input_content: now.input } }),
        facts: { redactedBy: this.#scope.input.redactedBy },
      })
    ).input;
  }

  /** Returns a message to the live run as models receive it. @throws RunFailure or RunPaused */
  async checkMessage(content: string, number: number): Promise<string> {
    const { messages: functions } = this.#plan;
    if (functions.length === 0) return content;
    const given: RunStart = { input: content, media: [] };
    const fieldsOf = (now: RunStart): object => ({ run_input: { input_content: now.input }, message_number: number });
    return (await this.#before("beforeRun", `message/${number}`, given, { functions, fieldsOf })).input;
  }

  /** Returns a value for clients without what guardrails on output remove. */
  redactValue<Value>(value: Value): Value {
    const { redact } = this.#plan;
    return redact ? redactValue(value, redact) : value;
  }

  /** Returns an answer that is no text of a turn, as clients receive it. @throws RunFailure */
  async checkAnswer(content: unknown): Promise<unknown> {
    const { answers: functions } = this.#plan;
    if (functions.length === 0 || typeof content !== "string") return content;
    const key = `answer/${this.#scope.messages.length}`;
    return (await this.#after("afterModel", key, { text: content }, { functions, isStored: true })).text;
  }

  /** The caller's message as models receive it. */
  get input(): string {
    return this.#input;
  }

  /** Returns the run's messages with the caller's message as models receive it. */
  withInput(messages: readonly Message[]): readonly Message[] {
    if (this.#input === this.#scope.input.message) return messages;
    const place = questionPlace(messages, this.#scope.copiedMessages);
    return messages.map((message, at) => (at === place ? withContent(message, this.#input) : message));
  }

  /** Returns the prompt of the next model request. @throws RunFailure or RunPaused */
  async beforeModel(parts: PromptParts, request: Pick<ModelRequest, "model" | "tools">): Promise<PromptParts> {
    if (!this.has("beforeModel")) return parts;
    const { system, history, messages } = parts;
    const all = [...history, ...messages];
    const given = { ...request, system, messages: all.map(toView), contents: {} as Record<number, string> };
    const changed = await this.#before("beforeModel", this.#scope.messages.length, given, {
      apply(now, outcome) {
        const contents = (outcome.contents ?? {}) as Record<number, string>;
        const shown = now.messages.map((message, at) => ({ ...message, content: contents[at] ?? message.content }));
        return { ...now, ...outcome, messages: shown, contents: { ...now.contents, ...contents } };
      },
    });
    const replaced = all.map((message, place) => withContent(message, changed.contents[place]));
    return {
      system: changed.system,
      history: replaced.slice(0, history.length),
      messages: replaced.slice(history.length),
    };
  }

  /** Checks a turn before it is stored, and replaces its text if hooks change it. @throws RunFailure */
  async afterModel(turn: ModelTurn, isJson: boolean): Promise<void> {
    if (!this.has("afterModel")) return;
    if (this.#plan.redact) redactRest(turn, this.#plan.redact);
    const text = textOfPieces(turn.pieces);
    const reasoning = reasoningOf(turn.pieces);
    const toolCalls = turn.pieces.flatMap((piece) => (piece.type === "tool-call" ? [piece.call] : []));
    const calls = toolCalls.map(({ id, name, input }) => ({ id, name, input }));
    const changed = await this.#after(
      "afterModel",
      this.#scope.messages.length,
      { text, toolCalls: calls, ...(reasoning !== "" && { reasoning }) },
      { facts: { isJson: isJson && calls.length === 0 } },
    );
    if (changed.text !== text) replaceText(turn, changed.text);
  }

  /** Returns the decisions about calls. They become durable with the start events of the calls. @throws RunFailure */
  async beforeTools(calls: readonly ToolCall[]): Promise<readonly CallDecision[]> {
    return await Promise.all(calls.map((call) => this.#beforeTool(call)));
  }

  async #beforeTool(call: ToolCall): Promise<CallDecision> {
    const { id, name: tool, input } = call;
    type Given = HookedCall & { result?: string; isError?: boolean; askApproval?: string };
    const given: Given = { id, tool, input };
    const {
      result,
      isError = false,
      ...now
    } = await this.#before("beforeTool", id, given, {
      fieldsOf: () => ({ tool_call_id: id }),
      isDecided: (before) => before.result !== undefined,
    });
    return {
      call: now.input === input ? call : { ...call, input: now.input },
      result: result === undefined ? undefined : { text: result, isError },
      question: now.askApproval,
    };
  }

  /** Returns the result of a call as the run stores it. @throws RunFailure */
  async afterTool(call: ToolCall, result: ToolResult): Promise<ToolResult> {
    if (!this.has("afterTool")) return result;
    const { id, name: tool, input } = call;
    const given = { id, tool, input, result: result.text, isError: result.isError };
    const changed = await this.#after("afterTool", id, given, { fields: { tool_call_id: id } });
    if (changed.result === result.text) return result;
    const { output, ...rest } = result;
    const text = changed.result;
    return { ...rest, text, ...(output && { output: { ...output, content: text, contentType: "str" } }) };
  }

  /** Runs after the answer. @throws RunFailure */
  async afterRun({ content }: RunOutput): Promise<void> {
    if (this.has("afterRun"))
      await this.#after("afterRun", this.#scope.messages.length, { input: this.#input, content }, { isStored: true });
  }

  /** Runs the functions of a point before an action. Their outcomes are durable when this returns, except for tool calls. */
  async #before<Given extends object>(
    point: "beforeRun" | "beforeModel" | "beforeTool",
    key: HookPlace["key"],
    given: Given,
    {
      functions = this.#plan.points[point],
      fieldsOf = () => ({}),
      apply = (now, outcome) => ({ ...now, ...outcome }),
      isDecided = () => false,
      facts = {},
    }: BeforeOptions<Given>,
  ): Promise<Given> {
    const scope = this.#scope;
    let now = given;
    let isNew = false;
    for (const [index, hook] of functions.entries()) {
      if (isDecided(now)) break;
      const place = { point, key, index };
      const mark = outcomeName(place);
      let outcome = scope.mark(mark) as Outcome | undefined;
      if (!outcome) {
        const about = { pre_hook_name: hook.name, hook_point: point };
        scope.emit("PreHookStarted", { ...about, ...fieldsOf(now) });
        outcome = await callHook({ scope, hook, place, given: now, facts, timeout: this.#timeout });
        scope.setMark(mark, outcome);
        isNew = true;
        const fields = { ...about, ...fieldsOf(apply(now, outcome)), outcome: describeOutcome(outcome) };
        scope.emit("PreHookCompleted", fields);
      }
      if (outcome.refuse !== undefined) throw refusal(inputRefusedType, outcome.refuse, hook.name, point);
      const { askApproval: text } = outcome;
      if (text !== undefined && point !== "beforeTool")
        requireApproval(scope, { hook: hook.name, point, text, outcome: mark });
      now = apply(now, outcome);
    }
    if (isNew && point !== "beforeTool") await scope.commit();
    return now;
  }

  /** Runs the functions of a point after an action. Their outcomes become durable with the message or the event that follows. */
  async #after<Given extends object>(
    point: "afterModel" | "afterTool" | "afterRun",
    key: HookPlace["key"],
    given: Given,
    { functions = this.#plan.points[point], fields = {}, facts = {}, isStored = false }: AfterOptions,
  ): Promise<Given> {
    const scope = this.#scope;
    let now = given;
    for (const [index, hook] of functions.entries()) {
      const place = { point, key, index };
      const about = { post_hook_name: hook.name, hook_point: point, ...fields };
      const mark = outcomeName(place);
      const stored = isStored ? (scope.mark(mark) as Outcome | undefined) : undefined;
      scope.emit("PostHookStarted", about);
      const outcome = stored ?? (await callHook({ scope, hook, place, given: now, facts, timeout: this.#timeout }));
      if (isStored && !stored) scope.setMark(mark, outcome);
      scope.emit("PostHookCompleted", { ...about, outcome: describeOutcome(outcome) });
      if (outcome.refuse !== undefined) throw refusal(outputRefusedType, outcome.refuse, hook.name, point);
      now = { ...now, ...outcome };
    }
    return now;
  }

  get #timeout(): number {
    return this.#plan.timeout ?? this.#scope.settings.toolTimeout;
  }
}

function refusal(type: string, message: string, hook: string, point: HookPoint): RunFailure {
  return new RunFailure(type, message, undefined, undefined, { hook, point });
}

/** Index of the caller's message among the messages of a run. */
function questionPlace(messages: readonly Message[], copied: number): number {
  return messages.findLastIndex(
    (message, place) => place <= copied && message.role === "user" && !message.steering && !message.isCorrection,
  );
}

function toView({ role, content }: Message): PromptMessage {
  return { role, content };
}

/** A changed text no longer fits the stored order of the pieces. */
function withContent(message: Message, content: string | undefined): Message {
  if (content === undefined || content === message.content) return message;
  if (message.role !== "assistant") return { ...message, content };
  const { providerOptions: _, ...rest } = message;
  return { ...rest, content };
}
