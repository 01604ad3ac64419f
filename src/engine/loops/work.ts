/** The state of one run of the loop. */
import type { RunContext } from "../../define/context.ts";
import type { Message } from "../../model/run/message.ts";
import type { Compaction } from "../context/compaction.ts";
import type { PromptMessages } from "../context/prompt-view.ts";
import type { Past } from "../context/session-summary.ts";
import type { RunHooks } from "../hooks/run-hooks.ts";
import type { AnswerSchema } from "../model-call/answer-schema.ts";
import type { CallableModel, CallOptions } from "../model-call/model-adapter.ts";
import type { RunScope } from "./contract.ts";
import type { Progress } from "./progress.ts";
import type { ToolSet } from "./tool-set.ts";

export interface Work {
  readonly scope: RunScope;
  readonly model: CallableModel;
  readonly progress: Progress;
  readonly context: RunContext;
  /** The schema of the turns: undefined if another model gives the answer its form. */
  readonly schema: AnswerSchema | undefined;
  /** The schema of the run's answer. */
  readonly finalSchema: AnswerSchema | undefined;
  readonly tools: ToolSet;
  /** Undefined for a component without hooks. */
  readonly hooks: RunHooks | undefined;
  readonly system: string;
  /** Undefined for a component without history. */
  readonly past: Past | undefined;
  readonly history: readonly Message[];
  readonly compaction: Compaction;
  readonly options: Omit<CallOptions, "prompt" | "tools">;
}

/** Returns the messages of a request that is not a turn: with the caller's message as hooks changed it, and as far as the last compaction left them. */
export function promptMessages({ scope, hooks, history, compaction }: Work, end?: number): PromptMessages {
  const messages = scope.messages.slice(0, end).map(({ message }) => message);
  return compaction.shown({ history, messages: hooks ? hooks.withInput(messages) : messages });
}
