/** Changes the text of a model's turn. */
import { redactValue } from "../../define/guardrails/redact.ts";
import type { AnswerPiece } from "../model-call/answer-parts.ts";
import type { ModelTurn } from "../model-call/model-turn.ts";

/** Replaces all text of the turn, at the position of its first text. */
export function replaceText({ pieces }: ModelTurn, text: string): void {
  const first = pieces.findIndex(({ type }) => type === "text");
  const kept = pieces.filter(({ type }) => type !== "text");
  const block: AnswerPiece = { type: "text", id: "checked", text, providerOptions: undefined };
  const before = first < 0 ? kept.length : pieces.slice(0, first).filter(({ type }) => type !== "text").length;
  pieces.splice(0, pieces.length, ...kept.slice(0, before), ...(text === "" ? [] : [block]), ...kept.slice(before));
}

/** Redacts the reasoning and the sources of the turn. A provider's signature of a changed piece is dropped, because it does not match any more. */
export function redactRest({ pieces, citations }: ModelTurn, redact: (text: string) => string): void {
  citations.splice(0, citations.length, ...redactValue(citations, redact));
  for (const piece of pieces) {
    if (piece.type !== "reasoning") continue;
    const changed = redact(piece.text);
    if (changed === piece.text) continue;
    piece.text = changed;
    piece.providerOptions = undefined;
  }
}
