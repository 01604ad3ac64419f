/** The pieces of a model's answer in their order, stored so that the provider receives its own data back at the same positions. */
import type { AssistantMessage, ToolCall } from "../../model/run/message.ts";

/** A piece of text or reasoning while it streams. */
export interface Block {
  readonly type: "text" | "reasoning";
  readonly id: string;
  text: string;
  providerOptions: Record<string, unknown> | undefined;
}

/** A piece of an answer: a block, or a call. */
export type AnswerPiece = Block | { readonly type: "tool-call"; readonly call: ToolCall };

/** The stored form of a piece: a text's length within the message, or a call's id. */
export type PartOutline =
  | { readonly type: "text" | "reasoning"; readonly length: number; readonly providerOptions?: Record<string, unknown> }
  | { readonly type: "tool-call"; readonly id: string };

/** Separates pieces of reasoning, and the texts of different turns. */
export const separator = "\n\n";

/** All text of an answer: its pieces are one running text. */
export function textOfPieces(pieces: readonly AnswerPiece[]): string {
  let text = "";
  for (const piece of pieces) if (piece.type === "text") text += piece.text;
  return text;
}

/** All reasoning of an answer: its pieces are paragraphs. */
export function reasoningOf(pieces: readonly AnswerPiece[]): string {
  const texts = pieces.flatMap((piece) => (piece.type === "reasoning" && piece.text !== "" ? [piece.text] : []));
  return texts.join(separator);
}

/** The order of the pieces with the provider's data; undefined when the provider sent none and the default order applies. */
export function toOutline(pieces: readonly AnswerPiece[]): AssistantMessage["providerOptions"] {
  if (!pieces.some((piece) => piece.type !== "tool-call" && piece.providerOptions)) return undefined;
  const parts = pieces.map((piece): PartOutline => {
    if (piece.type === "tool-call") return { type: "tool-call", id: piece.call.id };
    const { type, text, providerOptions } = piece;
    return { type, length: text.length, ...(providerOptions && { providerOptions }) };
  });
  return { parts };
}

/** The stored order of a message's pieces, if any. */
export function outlineOf(message: AssistantMessage): readonly PartOutline[] | undefined {
  return message.providerOptions?.parts as readonly PartOutline[] | undefined;
}
