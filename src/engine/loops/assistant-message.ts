/** Converts a model's turn to the stored message. */
import { joinCitations } from "../../model/run/citations.ts";
import type { AssistantMessage, Message } from "../../model/run/message.ts";
import { reasoningOf, textOfPieces, toOutline } from "../model-call/answer-parts.ts";
import type { ModelTurn } from "../model-call/model-turn.ts";
import { modelOf } from "../model-call/models.ts";
import { namesInMetrics } from "../model-call/usage.ts";
import type { RunScope } from "./contract.ts";

/** Returns the message of a finished turn. @param messages the run's messages before it */
export function toAssistantMessage(
  turn: ModelTurn,
  metrics: AssistantMessage["metrics"],
  messages: readonly Message[],
  scope: RunScope,
): AssistantMessage {
  giveUniqueIds(turn, messages, scope);
  const calls = turn.pieces.flatMap((piece) => (piece.type === "tool-call" ? [piece.call] : []));
  const reasoning = reasoningOf(turn.pieces);
  const citations = joinCitations(turn.citations);
  const outline = toOutline(turn.pieces);
  return {
    role: "assistant",
    content: textOfPieces(turn.pieces),
    ...(reasoning !== "" && { reasoning }),
    ...(calls.length > 0 && { toolCalls: calls }),
    ...(metrics && { metrics }),
    ...answeringModel(turn, scope),
    ...(citations && { citations }),
    ...(turn.providerData && { providerData: turn.providerData }),
    ...(outline && { providerOptions: outline }),
  };
}

/** The model of a turn, if it is not the component's first model. */
export function answeringModel({ model }: ModelTurn, { component }: RunScope): Pick<AssistantMessage, "model"> {
  return model === modelOf(component) ? {} : { model: namesInMetrics(model) };
}

/** Idempotency keys derive from call ids, so an id that a provider omits or repeats within the run is replaced. */
function giveUniqueIds(turn: ModelTurn, messages: readonly Message[], scope: RunScope): void {
  const used = new Set(
    messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []).map(({ id }) => id) : [])),
  );
  for (const [place, piece] of turn.pieces.entries()) {
    if (piece.type !== "tool-call") continue;
    const id = piece.call.id === "" || used.has(piece.call.id) ? newCallId(scope) : piece.call.id;
    used.add(id);
    turn.pieces[place] = { ...piece, call: { ...piece.call, id } };
  }
}

/** Returns an id for a call that has none. */
export function newCallId(scope: RunScope): string {
  return `call_${scope.runtime.randomness.uuid().replaceAll("-", "")}`;
}
