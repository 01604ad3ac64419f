/** Keeps a run's prompt within the model's context window. A compaction is durable before the request that it is made for. */
import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { Message } from "../../model/run/message.ts";
import { requestName } from "../../model/run/run-marks.ts";
import type { RunScope } from "../loops/contract.ts";
import type { CallableModel } from "../model-call/model-adapter.ts";
import { applyView, type Entry, entriesOf, type PromptMessages, type PromptView, viewOf } from "./prompt-view.ts";
import { replaceEarlier, requestNameOf } from "./replace-earlier.ts";
import { charactersOfMessage, tokensOf, tokensOfMessage } from "./tokens.ts";
import { type Room, sizeOf, truncate } from "./truncate.ts";

type Tools = readonly LanguageModelV4FunctionTool[];

/** Shares of the context window: above `limit` a prompt is compacted, to `target`. The rest is for the answer, and for errors of the estimate. */
const limitShare = 0.8;
const targetShare = 0.5;

/** A prompt with fewer characters fits every model, so its model's window is not looked up. */
const minCharacters = 8_000;

/** Bounds of the correction by reported usage. Text of one character for each token, and none at all, are the extremes of real tokenizers. */
const minFactor = 0.5;
const maxFactor = 4;

const tokensOfTools = new WeakMap<Tools, number>();

/** The compactions of one run. */
export class Compaction {
  readonly #scope: RunScope;
  readonly #system: string;
  #made = 0;
  #view: PromptView | undefined;

  constructor(scope: RunScope, system: string) {
    this.#scope = scope;
    this.#system = system;
    for (let made = 1; scope.mark(markName(made)) !== undefined; made++) {
      this.#made = made;
      this.#view = scope.mark(markName(made)) as PromptView;
    }
  }

  /** Whether a stored compaction has taken the place of the session's earlier runs. */
  get hasHistory(): boolean {
    return this.#view !== undefined;
  }

  /** Returns the messages of a request that is not a turn, as the last compaction left them. */
  shown(prompt: PromptMessages): PromptMessages {
    return applyView(this.#view, prompt);
  }

  /** Returns the messages of the next request; a promise if they may have to be compacted. */
  fit(prompt: PromptMessages, tools: Tools, model: CallableModel): PromptMessages | Promise<PromptMessages> {
    const shown = applyView(this.#view, prompt);
    const { compaction, window } = this.#scope.component.context ?? {};
    if (compaction === false) return shown;
    const characters = this.#system.length + charactersOf(shown.history) + charactersOf(shown.messages);
    if (characters < minCharacters) return shown;
    const known = window ?? this.#scope.prices.contextWindow(model);
    if (known instanceof Promise) return this.#fitWindow(prompt, tools, characters, known);
    return this.#mayExceed(known, characters) ? this.#fitWindow(prompt, tools, characters, known) : shown;
  }

  /** One token has more than two characters in most texts: half of the limit in characters fits, whatever the text and the tools are. */
  #mayExceed(window: number | undefined, characters: number): window is number {
    return window !== undefined && characters > (limitShare * window) / 2;
  }

  async #fitWindow(
    prompt: PromptMessages,
    tools: Tools,
    characters: number,
    looking: number | undefined | Promise<number | undefined>,
  ): Promise<PromptMessages> {
    const window = await looking;
    const shown = applyView(this.#view, prompt);
    if (!this.#mayExceed(window, characters)) return shown;
    const fixed = tokensOf(this.#system) + sizeOfTools(tools);
    const entries = entriesOf(this.#view, prompt, tokensOfMessage);
    const factor = this.#factor(entries, fixed);
    const room = this.#roomFor(window, fixed, factor);
    if (sizeOf(entries) <= room.limit) return shown;
    await this.#compact(entries, room, { at: prompt.messages.length, factor });
    return applyView(this.#view, prompt);
  }

  /** The room for messages, in estimated tokens. */
  #roomFor(window: number, fixed: number, factor: number): Room {
    const { maxOutputTokens = 0 } = this.#scope.component.modelSettings ?? {};
    const limit = Math.max(window * 0.2, Math.min(window * limitShare, window - maxOutputTokens));
    const tokens = (share: number): number => Math.max(0, share / factor - fixed);
    return { limit: tokens(limit), target: tokens(Math.min(window * targetShare, limit)) };
  }

  /**
   * Returns how many tokens the provider counts for one estimated token, by the usage of the last request. Derived from stored messages, so that another
   * process decides the same.
   */
  #factor(entries: readonly Entry[], fixed: number): number {
    const first = Math.max(this.#view?.at ?? 0, this.#scope.copiedMessages);
    const place = entries.findLastIndex(({ message, position = -1 }) => position >= first && inputTokens(message) > 0);
    if (place === -1) return this.#view?.factor ?? 1;
    const estimate = fixed + sizeOf(entries.slice(0, place));
    const reported = inputTokens((entries[place] as Entry).message);
    return Math.min(maxFactor, Math.max(minFactor, reported / estimate));
  }

  async #compact(
    entries: readonly Entry[],
    room: Room,
    { at, factor }: Pick<PromptView, "at" | "factor">,
  ): Promise<void> {
    const { compaction: strategy = "truncate" } = this.#scope.component.context ?? {};
    if (strategy === false) return;
    // A prompt without anything to compact is sent as it is, and the provider decides.
    if (truncate(entries, room) === entries) return;
    // A takeover between the summary and the compaction continues the same compaction.
    if (this.#scope.mark(requestName(requestNameOf(at))) === undefined) this.#scope.emit("CompressionStarted");
    const shorter = strategy === "truncate" ? entries : await replaceEarlier(this.#scope, strategy, entries, room);
    const result = sizeOf(shorter) > room.limit ? truncate(shorter, room) : shorter;
    this.#view = viewOf(result, at, factor);
    this.#made++;
    this.#scope.setMark(markName(this.#made), this.#view);
    this.#scope.emit("CompressionCompleted", {
      tool_results_compressed: resultsIn(entries) - resultsIn(result),
      original_size: charactersOf(entries.map(({ message }) => message)),
      compressed_size: charactersOf(result.map(({ message }) => message)),
      strategy: typeof strategy === "function" ? "custom" : strategy,
    });
    // The request must not be sent before its prompt is stored: a takeover would send another one.
    await this.#scope.commit();
  }
}

/** Name of the mark of a run's nth compaction. */
function markName(number: number): string {
  return `context/${number}`;
}

function charactersOf(messages: readonly Message[]): number {
  let characters = 0;
  for (const message of messages) characters += charactersOfMessage(message);
  return characters;
}

function sizeOfTools(tools: Tools): number {
  const known = tokensOfTools.get(tools);
  if (known !== undefined) return known;
  const tokens = tools.length === 0 ? 0 : tokensOf(JSON.stringify(tools));
  tokensOfTools.set(tools, tokens);
  return tokens;
}

function inputTokens(message: Message): number {
  return message.role === "assistant" ? (message.metrics?.input_tokens ?? 0) : 0;
}

/** Number of tool results with their whole content. */
function resultsIn(entries: readonly Entry[]): number {
  return entries.filter(({ message, isReplaced }) => message.role === "tool" && !isReplaced).length;
}
