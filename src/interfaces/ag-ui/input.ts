/** The body of a request: `RunAgentInput` of AG-UI. Unknown members are ignored, as the protocol requires. */
import { z } from "zod";
import type { BodySpec } from "../../http/input/body.ts";
import { listOf, parseBounded } from "../../http/input/bounded-lists.ts";
import { type Reader, reader } from "../../http/input/decode.ts";
import { identifier } from "../../http/input/identifiers.ts";
import { documentItem, fromItem, type MediaItem, mediaItem } from "../../http/input/media.ts";
import { invalid, maxFaults, toFault } from "../../http/input/validation-errors.ts";
import { type Media, mediaKind } from "../../model/run/message.ts";
import type { Answer, ToolResult } from "./interrupts.ts";

const object = z.record(z.string(), z.unknown());

const source = z.object({
  type: z.enum(["data", "url", "file"]),
  value: z.string(),
  mimeType: z.string().max(255).nullish(),
});

/** A part of a message. `binary` is the form of files before 1.0. */
const partFields = z.object({
  type: z.enum(["text", "image", "audio", "video", "document", "binary"]),
  text: z.string().nullish(),
  source: source.nullish(),
  mimeType: z.string().max(255).nullish(),
  url: z.string().nullish(),
  data: z.string().nullish(),
  filename: z.string().max(255).nullish(),
});

type Part = z.output<typeof partFields>;

const part = partFields.superRefine((given, context) => {
  if (given.type === "text") {
    if (typeof given.text !== "string") context.addIssue({ code: "custom", path: ["text"], message: "is missing" });
    return;
  }
  const item = itemOf(given);
  if (!item) {
    const message = "must have data or a url: this server stores no files for later messages";
    context.addIssue({ code: "custom", path: ["source"], message });
    return;
  }
  const schema = kindOf(given) === "file" ? documentItem : mediaItem;
  for (const { message } of schema.safeParse(item).error?.issues ?? []) {
    context.addIssue({ code: "custom", path: ["source"], message });
  }
});

function itemOf({ source: from, url, data, mimeType, filename }: Part): MediaItem | undefined {
  const type = from?.mimeType ?? mimeType ?? undefined;
  const address = from?.type === "url" ? from.value : url;
  const content = from?.type === "data" ? from.value : data;
  if (!address && !content) return undefined;
  return {
    ...(address ? { url: address } : { content }),
    ...(type && { mime_type: type }),
    ...(filename && { filename }),
  };
}

function kindOf({ type, mimeType }: Part): Media["kind"] {
  if (type === "document" || type === "text") return "file";
  return type === "binary" ? mediaKind(mimeType ?? "") : type;
}

const content = z.union([z.string(), listOf(part)]);

const message = z.object({
  id: z.string().nullish(),
  role: z.string(),
  content: z.unknown().optional(),
  toolCallId: z.string().nullish(),
  error: z.string().nullish(),
});

const tool = z.object({
  name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/),
  description: z.string().default(""),
  parameters: object.nullish(),
});

const body = z.object({
  threadId: identifier,
  runId: identifier,
  messages: listOf(message),
  state: z.unknown().optional(),
  tools: listOf(tool).nullish(),
  context: listOf(z.object({ description: z.string(), value: z.string() })).nullish(),
  forwardedProps: z.unknown().optional(),
  resume: listOf(
    z.object({
      interruptId: z.string(),
      status: z.enum(["resolved", "cancelled"]),
      payload: z.unknown().optional(),
    }),
  ).nullish(),
  protocolVersion: z.string().nullish(),
});

type Fields = z.output<typeof body>;

/** A tool that the client's application executes. */
export interface FrontendTool {
  readonly name: string;
  readonly description: string;
  readonly parameters?: Record<string, unknown> | null | undefined;
}

/** A request to run a component. */
export interface AgUiInput {
  readonly threadId: string;
  readonly runId: string;
  readonly isCurrent: boolean;
  /** The last message of a user. */
  readonly message: { readonly text: string; readonly media: readonly Media[] } | undefined;
  /** The tool messages at the end of the conversation. */
  readonly results: readonly ToolResult[];
  /** Answers to the interrupts of an earlier request. */
  readonly answers: readonly Answer[];
  readonly state: Readonly<Record<string, unknown>>;
  readonly tools: readonly FrontendTool[];
  readonly context: readonly { readonly description: string; readonly value: string }[];
  readonly properties: Readonly<Record<string, unknown>>;
}

function toInput(fields: Fields): AgUiInput {
  const { threadId, runId, messages, state, tools, context, forwardedProps, resume } = fields;
  const last = messages.findLastIndex(({ role }) => role === "user");
  return {
    threadId,
    runId,
    isCurrent: isCurrent(fields.protocolVersion),
    message: last === -1 ? undefined : toMessage(messages[last]?.content, last),
    results: trailingResults(messages),
    answers: resume ?? [],
    state: isObject(state) ? state : {},
    tools: tools ?? [],
    context: context ?? [],
    properties: isObject(forwardedProps) ? forwardedProps : {},
  };
}

/** Only this message is validated: the server has the history, and ignores the client's copy of it. */
function toMessage(given: unknown, index: number): AgUiInput["message"] {
  const parts = typeof given === "string" ? given : readContent(given, ["messages", index, "content"]);
  if (typeof parts === "string") return { text: parts, media: [] };
  const texts = parts.flatMap(({ type, text }) => (type === "text" && text ? [text] : []));
  const media = parts.flatMap((one) => {
    const item = one.type === "text" ? undefined : itemOf(one);
    return item ? [fromItem(kindOf(one), item)] : [];
  });
  return { text: texts.join("\n\n"), media };
}

function readContent(given: unknown, path: readonly (string | number)[]): z.output<typeof content> {
  const result = parseBounded(z.object({ content }), { content: given });
  if (result.success) return result.data.content;
  const values = { content: given };
  const faults = result.error.issues.map((issue) => {
    const fault = toFault(issue, { location: "body", schema: z.object({ content }), values });
    return { ...fault, loc: ["body", ...path, ...fault.loc.slice(2)] };
  });
  throw invalid(faults);
}

function trailingResults(messages: Fields["messages"]): readonly ToolResult[] {
  const first = messages.findLastIndex(({ role }) => role !== "tool") + 1;
  return messages.slice(first).flatMap(({ toolCallId, content: given, error }) => {
    if (!toolCallId) return [];
    return [{ toolCallId, result: error || (typeof given === "string" ? given : JSON.stringify(given ?? "")) }];
  });
}

function isCurrent(version: string | null | undefined): boolean {
  return version !== null && version !== undefined && Number.parseInt(version, 10) >= 1;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Accepts every JSON value as it is: a text that contains JSON stays a text. */
const inputReader: Reader<AgUiInput> = {
  schema: body,
  read(fields, location) {
    const result = parseBounded(body, { ...fields });
    if (result.success) return toInput(result.data);
    const issues = result.error.issues.slice(0, maxFaults);
    throw invalid(issues.map((issue) => toFault(issue, { location, schema: body, values: fields })));
  },
};

/** The body of `POST …/agui`. */
export const inputBody: BodySpec<AgUiInput> = {
  name: "RunAgentInput",
  reader: inputReader,
  types: ["json"],
  required: true,
};

/** Path of a component's routes. */
export function componentPath(idParam: string): Reader<{ readonly componentId: string }> {
  return reader(z.object({ [idParam]: identifier }), (fields) => ({ componentId: String(fields[idParam]) }));
}
