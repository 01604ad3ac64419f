/** Requests of chats, as `DefaultChatTransport` of the package `ai` sends them. */
import { z } from "zod";
import { type FieldFault, valueFault } from "../../errors.ts";
import type { BodySpec } from "../../http/input/body.ts";
import { type Reader, reader } from "../../http/input/decode.ts";
import { idempotencyKey } from "../../http/input/idempotency-key.ts";
import { identifier } from "../../http/input/identifiers.ts";
import { fromItem, mediaItem } from "../../http/input/media.ts";
import { invalid } from "../../http/input/validation-errors.ts";
import { type Cursor, parseCursor } from "../../http/streams/frame-cursor.ts";
import { type Media, mediaKind } from "../../model/run/message.ts";

/** A tool call of an assistant message, with the answer that the client gave it. */
export interface CallPart {
  readonly toolCallId: string;
  readonly state: unknown;
  readonly approval: { readonly approved?: unknown; readonly reason?: unknown } | undefined;
  readonly output: unknown;
  readonly errorText: unknown;
}

/** The last message of a chat: a user's message, or an assistant's message whose calls the client has answered. */
export type SentMessage =
  | { readonly role: "user"; readonly id: string; readonly text: string; readonly media: readonly Media[] }
  | { readonly role: "assistant"; readonly id: string; readonly calls: readonly CallPart[] };

/** A request to send a message, to answer a paused run, or to regenerate an answer. */
export interface ChatForm {
  readonly chatId: string;
  readonly message: SentMessage;
  readonly regenerates: boolean;
  /** The message that is edited, answered or regenerated. */
  readonly messageId: string | undefined;
  readonly userId: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly dependencies: Readonly<Record<string, unknown>> | undefined;
  readonly sessionState: Readonly<Record<string, unknown>> | undefined;
  readonly factoryInput: Readonly<Record<string, unknown>> | undefined;
}

const object = z.record(z.string(), z.unknown());

/** Only the last message is read, so that the others, which may be many, are not validated. */
const list = z.custom<readonly unknown[]>(Array.isArray, "must be a list").meta({ type: "array", items: {} });

const form = z.object({
  id: identifier,
  messages: list.nullish(),
  message: object.nullish(),
  trigger: z.enum(["submit-message", "regenerate-message"]).nullish(),
  messageId: identifier.nullish(),
  userId: identifier.nullish(),
  metadata: object.nullish(),
  dependencies: object.nullish(),
  sessionState: object.nullish(),
  factoryInput: object.nullish(),
});

/** Maximum number of parts of a user's message. */
const maxParts = 1000;

const chat: Reader<ChatForm> = reader(form, (fields) => {
  const { messages, message, trigger, messageId } = fields;
  const place = (messages?.length ?? 0) - 1;
  const [sent, loc] = message ? [message, ["message"]] : [messages?.[place], ["messages", Math.max(place, 0)]];
  return {
    chatId: fields.id,
    message: toMessage(sent, ["body", ...loc]),
    regenerates: trigger === "regenerate-message",
    messageId: messageId ?? undefined,
    userId: fields.userId ?? undefined,
    metadata: fields.metadata ?? undefined,
    dependencies: fields.dependencies ?? undefined,
    sessionState: fields.sessionState ?? undefined,
    factoryInput: fields.factoryInput ?? undefined,
  };
});

type Location = FieldFault["loc"];

function toMessage(value: unknown, loc: Location): SentMessage {
  if (!isObject(value)) throw invalid([valueFault(loc, "must be a message: send messages or message")]);
  const { role, parts } = value;
  const id = identifier.safeParse(value.id);
  if (!id.success) throw invalid([valueFault([...loc, "id"], "must be the id of the message")]);
  if (!Array.isArray(parts)) throw invalid([valueFault([...loc, "parts"], "must be a list of parts")]);
  if (role === "assistant") return { role, id: id.data, calls: parts.flatMap(toCall) };
  if (role !== "user") throw invalid([valueFault([...loc, "role"], "must be user or assistant")]);
  if (parts.length > maxParts) throw invalid([valueFault([...loc, "parts"], `must have at most ${maxParts} parts`)]);
  const texts: string[] = [];
  const media: Media[] = [];
  parts.forEach((part: unknown, place) => {
    const at = [...loc, "parts", place];
    if (!isObject(part)) throw invalid([valueFault(at, "must be a part of a message")]);
    if (part.type === "text") texts.push(toText(part.text, at));
    else if (part.type === "file") media.push(toMedia(part, at));
  });
  if (texts.length === 0 && media.length === 0) {
    throw invalid([valueFault([...loc, "parts"], "must have a part of the type text or file")]);
  }
  return { role, id: id.data, text: texts.join("\n"), media };
}

function toText(text: unknown, loc: Location): string {
  if (typeof text === "string") return text;
  throw invalid([valueFault([...loc, "text"], "must be a text")]);
}

function toMedia({ url, mediaType, filename }: Record<string, unknown>, loc: Location): Media {
  const type = typeof mediaType === "string" ? mediaType.toLowerCase() : undefined;
  const item = { url, mime_type: type, filename };
  const checked = mediaItem.safeParse(item);
  if (checked.success) return fromItem(mediaKind(type ?? ""), checked.data);
  const [issue] = checked.error.issues;
  throw invalid([valueFault([...loc, "url"], issue?.message ?? "must be an http, https or data address")]);
}

function toCall(part: unknown): readonly CallPart[] {
  if (!isObject(part) || typeof part.toolCallId !== "string") return [];
  const { toolCallId, state, approval, output, errorText } = part;
  return [{ toolCallId, state, approval: isObject(approval) ? approval : undefined, output, errorText }];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The body of `POST /ui/{kind}/{id}`. */
export const chatBody: BodySpec<ChatForm> = { name: "ChatRequest", reader: chat, types: ["json"], required: true };

/** The ids in the path of a component's chats. */
export const componentPath: Reader<{ componentId: string }> = reader(z.object({ id: identifier }), ({ id }) => ({
  componentId: id,
}));

/** The ids in the path of one chat. */
export const chatPath: Reader<{ componentId: string; chatId: string }> = reader(
  z.object({ id: identifier, chatId: identifier }),
  ({ id, chatId }) => ({ componentId: id, chatId }),
);

/** Position and repetition of a stream. */
export interface StreamHeaders {
  readonly idempotencyKey: string | undefined;
  /** The last frame that the client received. */
  readonly after: Cursor | undefined;
}

const headers = z.object({
  "idempotency-key": idempotencyKey,
  "last-event-id": z
    .string()
    .refine((text) => parseCursor(text) !== undefined, "must be the id of a frame, or -1")
    .nullish(),
});

export const streamHeaders: Reader<StreamHeaders> = reader(headers, (fields) => {
  const after = fields["last-event-id"];
  return { idempotencyKey: fields["idempotency-key"] || undefined, after: after ? parseCursor(after) : undefined };
});

/** Query of the messages of a chat. */
export const messagesQuery: Reader<{ limit: number }> = reader(
  z.object({ limit: z.int().min(1).max(100).default(20) }),
  ({ limit }) => ({ limit }),
);
