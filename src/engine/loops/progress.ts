/** A run's output so far; complete when its loop has ended. */
import { joinCitations } from "../../model/run/citations.ts";
import type { AssistantMessage, Media, Message } from "../../model/run/message.ts";
import type { RunOutput, ToolExecution } from "../../model/run/record.ts";
import { rejectionOf } from "../connections/requirements.ts";
import { referencesOf } from "../knowledge/sources.ts";
import { reasoningOf, separator, textOfPieces } from "../model-call/answer-parts.ts";
import { currentModel } from "../model-call/fallback.ts";
import type { CallableModel } from "../model-call/model-adapter.ts";
import type { ModelTurn } from "../model-call/model-turn.ts";
import { toRunMetrics } from "../model-call/usage.ts";
import { finishedExecution } from "../pause/answered-calls.ts";
import { restoredExecution } from "../tool-call/tool-execution.ts";
import { RunFailure, type RunScope } from "./contract.ts";

export class Progress {
  /** Finished tool calls, in the order in which they ended. */
  readonly executions: ToolExecution[] = [];
  /** An answer that differs from the text of the model's turns. */
  answer: { readonly content: unknown; readonly contentType: string } | undefined;
  /** Steps of reasoning before the first turn. */
  reasoningSteps: RunOutput["reasoningSteps"];
  reasoningText = "";
  /** Suggested messages of the user after the answer. */
  followups: readonly string[] | undefined;
  /** The turn that streams now. */
  turn: ModelTurn | undefined;
  readonly #scope: RunScope;
  readonly #model: CallableModel;
  readonly #members: RunOutput["memberResponses"];
  readonly #begun: number;
  readonly #media: Media[] = [];
  #firstToken: number | undefined;

  /** @param members results of a team's members; delegation appends to it */
  constructor(scope: RunScope, model: CallableModel, members: RunOutput["memberResponses"]) {
    this.#scope = scope;
    this.#model = model;
    this.#members = members;
    this.#begun = scope.runtime.clock.monotonic();
    for (const { message, createdAt } of scope.messages.slice(scope.copiedMessages)) {
      if (message.role !== "tool") continue;
      const wasRefused = rejectionOf(scope, { id: message.toolCallId }) !== undefined;
      this.executions.push(restoredExecution(message, createdAt, wasRefused));
    }
  }

  /** The finished calls as records show them; calls that waited include their answers. */
  #finishedCalls(): readonly ToolExecution[] {
    const { answered, context } = this.#scope;
    const own = (answered?.requirements ?? []).filter(
      ({ member_run_id: id }) => id === undefined || id === context.runId,
    );
    const calls = own.map(({ tool_execution }) => tool_execution);
    return this.executions.map((over) =>
      finishedExecution(
        over,
        calls.find(({ tool_call_id }) => tool_call_id === over.tool_call_id),
      ),
    );
  }

  /** The turns whose text is part of the answer. */
  #answersAmong(turns: readonly AssistantMessage[]): readonly AssistantMessage[] {
    const first = turns.findLastIndex(({ isToolAnswer }) => isToolAnswer);
    const last = first < 0 ? turns : turns.slice(first);
    if (!this.#scope.component.outputModel) return last;
    return last.filter(({ purpose, isToolAnswer }) => purpose === "output_model" || isToolAnswer);
  }

  /** Adds a finished turn. */
  endTurn(turn: ModelTurn): void {
    this.#media.push(...turn.media);
    this.#firstToken ??= turn.firstToken;
    this.turn = undefined;
  }

  /** Seconds since a monotonic time. */
  secondsSince(start: number): number {
    return (this.#scope.runtime.clock.monotonic() - start) / 1000;
  }

  /** Returns the run's current output. */
  output(): RunOutput {
    const { copiedMessages } = this.#scope;
    const all = this.#scope.messages.map(({ message }) => message);
    const messages = all.slice(copiedMessages);
    const own = messages.filter((message) => message.role === "assistant");
    // A run that copied an answer and made no model turn returns the copied answer.
    const turns = own.length > 0 || this.turn ? own : all.slice(0, copiedMessages).filter(isAnswer).slice(-1);
    const pieces = this.turn?.pieces ?? [];
    const reasoning = joined([
      this.reasoningText,
      ...turns.map((message) => message.reasoning ?? ""),
      reasoningOf(pieces),
    ]);
    const providerData = this.turn?.providerData ?? lastProviderData(turns);
    const citations = joinCitations([...turns.map((message) => message.citations), ...(this.turn?.citations ?? [])]);
    const references = this.#scope.component.knowledge && referencesOf(this.#scope);
    const media = [...this.#media, ...messages.flatMap((one) => (one.role === "tool" ? (one.media ?? []) : []))];
    const firstToken = this.#firstToken ?? this.turn?.firstToken;
    const model = currentModel(this.#scope);
    return {
      content: this.answer
        ? this.answer.content
        : joined([...this.#answersAmong(turns).map((message) => message.content), textOfPieces(pieces)]),
      contentType: this.answer?.contentType ?? "str",
      ...(reasoning !== "" && { reasoningContent: reasoning }),
      ...(citations && { citations }),
      ...(references && { references }),
      ...(providerData && { providerData }),
      ...(model !== this.#model && { model: { id: model.id, provider: model.provider } }),
      ...(this.reasoningSteps && { reasoningSteps: this.reasoningSteps }),
      ...(this.followups && { followups: this.followups }),
      ...(this.executions.length > 0 && { tools: this.#finishedCalls() }),
      metrics: toRunMetrics(messages, this.#scope.requests, this.#model, {
        duration: this.secondsSince(this.#begun),
        firstToken: firstToken === undefined ? undefined : (firstToken - this.#begun) / 1000,
      }),
      sessionState: copyOfState(this.#scope.context.session.state),
      ...(media.length > 0 && { media }),
      ...(this.#scope.options.metadata && { metadata: this.#scope.options.metadata }),
      ...(this.#members && { memberResponses: this.#members }),
    };
  }
}

function isAnswer(message: Message): message is AssistantMessage {
  return message.role === "assistant" && !message.toolCalls?.length;
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join(separator);
}

function lastProviderData(turns: readonly AssistantMessage[]): AssistantMessage["providerData"] {
  return turns.findLast((message) => message.providerData)?.providerData;
}

/** Copies the state, because later runs of the session change the same object. */
function copyOfState(state: Record<string, unknown>): Record<string, unknown> {
  try {
    return JSON.parse(JSON.stringify(state)) as Record<string, unknown>;
  } catch (error) {
    throw new RunFailure(
      "invalid_session_state",
      "The session's state holds something that cannot be written as JSON.",
      error,
    );
  }
}
