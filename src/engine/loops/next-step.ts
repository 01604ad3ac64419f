/** Derives a run's next step from its messages alone, so that a recovered run continues exactly where it stopped. */
import type { AssistantMessage, Message, ToolCall, ToolMessage } from "../../model/run/message.ts";
import { separator } from "../model-call/answer-parts.ts";

/** The next step of a run. */
export type NextStep =
  /** The model takes a turn. */
  | { readonly kind: "turn" }
  /** Calls of the last turn that have no result yet. */
  | { readonly kind: "tools"; readonly calls: readonly ToolCall[] }
  /** Tool results are the answer, in the order of their calls. */
  | { readonly kind: "stop"; readonly results: readonly ToolMessage[] }
  /** The model has answered. */
  | { readonly kind: "answer"; readonly message: AssistantMessage };

/** Returns the next step after these messages of one run. */
export function nextStep(messages: readonly Message[]): NextStep {
  const place = messages.findLastIndex(({ role }) => role === "assistant");
  const last = messages[place];
  if (last?.role !== "assistant") return { kind: "turn" };
  const after = messages.slice(place + 1);
  if (!last.toolCalls?.length) return after.length > 0 ? { kind: "turn" } : { kind: "answer", message: last };
  const results = after.filter((message) => message.role === "tool");
  const open = last.toolCalls.filter(({ id }) => !results.some(({ toolCallId }) => toolCallId === id));
  if (open.length > 0) return { kind: "tools", calls: open };
  // A caller has put a message into the run after the results.
  if (after.some((message) => message.role === "user")) return { kind: "turn" };
  const ended = results.filter(({ stopAfter, isError }) => stopAfter && !isError);
  const stops = last.toolCalls.flatMap(({ id }) => ended.filter(({ toolCallId }) => toolCallId === id));
  return stops.length > 0 ? { kind: "stop", results: stops } : { kind: "turn" };
}

/** The answer of results that end a run: one structured answer as it is, or the texts. */
export function answerOf(results: readonly ToolMessage[]): { readonly content: unknown; readonly contentType: string } {
  const [first, ...others] = results;
  if (first?.answer && others.length === 0) return first.answer;
  return { content: results.map(({ content }) => content).join(separator), contentType: "str" };
}

/** Number of model turns so far; excludes the call that the engine itself adds in broadcast mode. */
export function turnsTaken(messages: readonly Message[]): number {
  return messages.filter((message) => message.role === "assistant" && message.metrics && !message.purpose).length;
}

/** Whether the model was already asked to correct its answer. */
export function wasCorrected(messages: readonly Message[]): boolean {
  const last = messages.findLast((message) => message.role === "user");
  return last?.isCorrection === true && last.iteration === undefined;
}
