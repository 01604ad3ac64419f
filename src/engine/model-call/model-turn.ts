/** Builds a model's answer from the parts of its stream. */
import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Citations } from "../../model/run/citations.ts";
import { type Media, mediaKind, type ToolCall } from "../../model/run/message.ts";
import { RunFailure } from "../loops/contract.ts";
import type { AnswerPiece, Block } from "./answer-parts.ts";
import type { CallableModel, StreamPart } from "./model-adapter.ts";
import { countedUsage } from "./usage.ts";

/** A model's answer so far. */
export interface ModelTurn {
  readonly model: CallableModel;
  readonly pieces: AnswerPiece[];
  readonly media: Media[];
  readonly citations: Citations[];
  /** `model_provider_data` on the wire. */
  providerData: Record<string, unknown> | undefined;
  finish: LanguageModelV4FinishReason["unified"] | undefined;
  usage: LanguageModelV4Usage | undefined;
  /** Monotonic milliseconds of the first token. */
  firstToken: number | undefined;
  /** Whether clients have seen a part of it. */
  shown: boolean;
  /** Set if the answer was stored for an equal request before. */
  isCached?: true;
  /** Set for an answer that is stored for equal requests: their digest, and the parts so far. */
  recorded?: { readonly digest: string; readonly parts: StreamPart[] };
  /** The text that clients have seen, if it is redacted while it arrives. */
  shownText?: string;
  /** Set if a message of a caller stopped it. */
  isInterrupted?: true;
}

/** An error of the model, not of the engine. */
export class ModelError extends Error {
  readonly error: unknown;

  constructor(error: unknown) {
    super("The model failed.");
    this.error = error;
  }
}

/** Returns an empty turn. */
export function emptyTurn(model: CallableModel): ModelTurn {
  return {
    model,
    pieces: [],
    media: [],
    citations: [],
    providerData: undefined,
    finish: undefined,
    usage: undefined,
    firstToken: undefined,
    shown: false,
  };
}

/** Adds any part that is not a delta. */
export function takePart(
  turn: ModelTurn,
  part: Exclude<StreamPart, { type: "text-delta" | "reasoning-delta" | "source" }>,
): void {
  switch (part.type) {
    case "text-start":
    case "text-end":
    case "reasoning-start":
    case "reasoning-end": {
      const block = blockFor(turn, part.type.startsWith("text") ? "text" : "reasoning", part.id);
      if (part.providerMetadata) block.providerOptions = part.providerMetadata;
      break;
    }
    case "tool-call":
      // The provider executes this call itself.
      if (!part.providerExecuted) turn.pieces.push({ type: "tool-call", call: toToolCall(part) });
      break;
    case "file":
      turn.media.push(toMedia(part));
      break;
    case "response-metadata":
      if (part.id !== undefined) turn.providerData = { id: part.id };
      break;
    case "finish":
      turn.finish = part.finishReason.unified;
      turn.usage = countedUsage(part.usage);
      break;
    case "error":
      throw new ModelError(part.error);
  }
}

/** Returns the block that a delta belongs to; creates it if the model did not open it. */
export function blockFor(turn: ModelTurn, type: Block["type"], id: string): Block {
  for (let place = turn.pieces.length - 1; place >= 0; place--) {
    const piece = turn.pieces[place] as AnswerPiece;
    if (piece.type === type && piece.id === id) return piece;
  }
  const block: Block = { type, id, text: "", providerOptions: undefined };
  turn.pieces.push(block);
  return block;
}

/** Arguments that are not JSON stay a text, so that the tool's error informs the model. */
function toToolCall(part: Extract<StreamPart, { type: "tool-call" }>): ToolCall {
  let input: unknown = {};
  try {
    if (part.input.trim() !== "") input = JSON.parse(part.input);
  } catch {
    input = part.input;
  }
  const options = part.providerMetadata;
  return { id: part.toolCallId, name: part.toolName, input, ...(options && { providerOptions: options }) };
}

/**
 * Returns a source as citations; undefined for an address that is not of the web. Clients show the address as a link, and an address such as
 * `javascript:…` would be code.
 */
export function toCitations(part: Extract<StreamPart, { type: "source" }>): Citations | undefined {
  if (part.sourceType === "document") {
    const { title, filename, mediaType } = part;
    const name = filename === undefined ? {} : { file_name: filename };
    return { documents: [{ document_title: title, ...name, media_type: mediaType }] };
  }
  const { url, title } = part;
  if (!/^https?:\/\//i.test(url)) return undefined;
  return { urls: [{ url, ...(title !== undefined && { title }) }] };
}

function toMedia({ mediaType, data }: Extract<StreamPart, { type: "file" }>): Media {
  const kind = mediaKind(mediaType);
  // Models of specification v3 pass untagged data.
  const given = data as typeof data | string | Uint8Array;
  if (typeof given === "string" || given instanceof Uint8Array) return { kind, mediaType, data: toBase64(given) };
  if (given.type === "url") return { kind, mediaType, url: given.originalUrl ?? given.url.href };
  return { kind, mediaType, data: toBase64(given.data) };
}

function toBase64(data: string | Uint8Array): string {
  return typeof data === "string" ? data : Buffer.from(data).toString("base64");
}

/** @throws RunFailure for an answer that is empty because of a content filter or the output limit */
export function refuseEmpty({ pieces, media, finish }: ModelTurn): void {
  if (
    media.length > 0 ||
    pieces.some((piece) => piece.type === "tool-call" || (piece.type === "text" && piece.text !== ""))
  )
    return;
  if (finish === "content-filter")
    throw new RunFailure("content_filter", "The provider's content filter withheld the answer.");
  if (finish === "length") {
    throw new RunFailure(
      "output_limit",
      "The model reached its output limit before it gave an answer: raise maxOutputTokens.",
    );
  }
}
