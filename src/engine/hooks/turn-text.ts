/** The text of a model's turn, as hooks read and replace it. */
import { type AnswerPiece, textOfPieces } from "../model-call/answer-parts.ts";
import type { ModelTurn } from "../model-call/model-turn.ts";

/** Returns the text of the turn. */
export function answerTextOf({ pieces }: ModelTurn): string {
  return textOfPieces(pieces);
}

/** Replaces all text of the turn, at the position of its first text. */
export function replaceText({ pieces }: ModelTurn, text: string): void {
  const first = pieces.findIndex(({ type }) => type === "text");
  const kept = pieces.filter(({ type }) => type !== "text");
  const block: AnswerPiece = { type: "text", id: "checked", text, providerOptions: undefined };
  const before = first < 0 ? kept.length : pieces.slice(0, first).filter(({ type }) => type !== "text").length;
  pieces.splice(0, pieces.length, ...kept.slice(0, before), ...(text === "" ? [] : [block]), ...kept.slice(before));
}
