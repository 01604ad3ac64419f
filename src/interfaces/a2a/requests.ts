/**
 * Bodies of the platform's own A2A endpoints: JSON-RPC 2.0, validated strictly, with the platform's usual error answers. Unknown members are ignored.
 */
import { z } from "zod";
import type { BodySpec } from "../../http/input/body.ts";
import { listOf, parseBounded } from "../../http/input/bounded-lists.ts";
import { type Reader, reader } from "../../http/input/decode.ts";
import { identifier, identifierOrEmpty } from "../../http/input/identifiers.ts";
import { mediaItem } from "../../http/input/media.ts";
import { invalid, maxFaults, toFault } from "../../http/input/validation-errors.ts";
import type { RequestedTarget } from "../../model/push.ts";
import type { Message, Part } from "./protocol.ts";

const object = z.record(z.string(), z.unknown());

/** An optional id; an empty text means none. */
const optionalId = identifierOrEmpty.nullish();

const file = z
  .object({
    bytes: z.string().nullish(),
    uri: z.string().nullish(),
    mimeType: z.string().max(255).nullish(),
    name: z.string().max(255).nullish(),
  })
  .superRefine(({ bytes, uri }, context) => {
    const checked = mediaItem.safeParse({ content: bytes, url: uri });
    const names: Readonly<Record<string, string>> = { content: "bytes", url: "uri" };
    for (const { path, message } of checked.error?.issues ?? []) {
      const name = names[String(path[0])];
      const text = name ? message : "give one of bytes and uri";
      context.addIssue({ code: "custom", message: text, path: name ? [name] : [] });
    }
  });

/** A part without a kind is a text part, as recorded clients send it. */
const part = z
  .object({
    kind: z.enum(["text", "file", "data"]).optional(),
    text: z.string().nullish(),
    file: file.nullish(),
    data: z.unknown().optional(),
    metadata: object.nullish(),
  })
  .superRefine(({ kind, text, file: given, data }, context) => {
    const partKind = kind ?? "text";
    const hasContent =
      { text: text ?? undefined, file: given ?? undefined, data: data ?? undefined }[partKind] !== undefined;
    if (!hasContent)
      context.addIssue({ code: "custom", path: [partKind], message: `a part of the kind ${partKind} has it` });
  });

/** Members with a single possible value may be omitted; `null` is rejected. */
const message = z.object({
  messageId: z.string(),
  parts: listOf(part),
  role: z.literal("user").optional(),
  kind: z.literal("message").optional(),
  contextId: optionalId,
  taskId: optionalId,
  extensions: listOf(z.string()).nullish(),
  referenceTaskIds: listOf(z.string()).nullish(),
  metadata: z.looseObject({ userId: identifierOrEmpty.optional() }).nullish(),
  agentId: optionalId,
});

const pushNotificationConfig = z.object({
  url: z.string(),
  id: optionalId,
  token: z.string().nullish(),
  authentication: z.object({ schemes: listOf(z.string()).nullish(), credentials: z.string().nullish() }).nullish(),
});

const configuration = z.object({
  acceptedOutputModes: listOf(z.string()).nullish(),
  blocking: z.boolean().nullish(),
  historyLength: z.int().nullish(),
  pushNotificationConfig: pushNotificationConfig.nullish(),
});

const requestId = z.union([z.string(), z.int()]);

function messageBody(method: "message/send" | "message/stream") {
  return z.object({
    jsonrpc: z.literal("2.0").optional(),
    id: requestId,
    method: z.literal(method).optional(),
    params: z.object({ message, configuration: configuration.nullish(), metadata: object.nullish() }),
  });
}

/** A request to send a message. */
export interface MessageForm {
  readonly requestId: string | number;
  readonly message: Omit<Message, "kind" | "role">;
  readonly agentId: string | undefined;
  readonly claimedUser: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly accepted: readonly string[] | undefined;
  readonly blocking: boolean;
  readonly historyLength: number | undefined;
  readonly push: RequestedTarget | undefined;
}

function toMessageForm({ id, params }: z.output<ReturnType<typeof messageBody>>): MessageForm {
  const { message: sent, configuration, metadata } = params;
  const push = configuration?.pushNotificationConfig;
  return {
    requestId: id,
    message: {
      messageId: sent.messageId,
      parts: sent.parts.map(toPart),
      ...(sent.contextId ? { contextId: sent.contextId } : {}),
      ...(sent.taskId ? { taskId: sent.taskId } : {}),
      ...(sent.metadata ? { metadata: sent.metadata } : {}),
      ...(sent.extensions ? { extensions: sent.extensions } : {}),
      ...(sent.referenceTaskIds ? { referenceTaskIds: sent.referenceTaskIds } : {}),
    },
    agentId: sent.agentId || undefined,
    claimedUser: sent.metadata?.userId || undefined,
    metadata: metadata ?? undefined,
    accepted: configuration?.acceptedOutputModes ?? undefined,
    blocking: configuration?.blocking ?? true,
    historyLength: configuration?.historyLength ?? undefined,
    push: push
      ? {
          url: push.url,
          id: push.id || undefined,
          token: push.token ?? undefined,
          schemes: push.authentication?.schemes ?? [],
          credentials: push.authentication?.credentials ?? undefined,
        }
      : undefined,
  };
}

function toPart({ kind, text, file: given, data, metadata }: z.output<typeof part>): Part {
  const more = metadata ? { metadata } : {};
  if (kind === "data") return { kind, data, ...more };
  if (kind !== "file" || !given) return { kind: "text", text: text ?? "", ...more };
  const { bytes, uri, mimeType, name } = given;
  return {
    kind,
    file: {
      ...(bytes ? { bytes } : {}),
      ...(uri ? { uri } : {}),
      ...(mimeType ? { mimeType } : {}),
      ...(name ? { name } : {}),
    },
    ...more,
  };
}

/** A reader that accepts every JSON value as it is: a text that contains JSON stays a text. */
function strictly<Schema extends z.ZodObject, Value>(
  schema: Schema,
  translate: (fields: z.output<Schema>) => Value,
): Reader<Value> {
  return {
    schema,
    read(fields, location) {
      const result = parseBounded(schema, { ...fields });
      if (result.success) return translate(result.data);
      const issues = result.error.issues.slice(0, maxFaults);
      throw invalid(issues.map((issue) => toFault(issue, { location, schema, values: fields })));
    },
  };
}

/** The body of `message:send`. */
export const sendBody: BodySpec<MessageForm> = {
  name: "SendMessageRequest",
  reader: strictly(messageBody("message/send"), toMessageForm),
  types: ["json"],
  required: true,
};

/** The body of `message:stream`. */
export const streamBody: BodySpec<MessageForm> = {
  name: "SendStreamingMessageRequest",
  reader: strictly(messageBody("message/stream"), toMessageForm),
  types: ["json"],
  required: true,
};

/** A request to read or cancel a task. */
export interface TaskForm {
  readonly requestId: string | number | null;
  readonly taskId: string | undefined;
  readonly contextId: string | undefined;
  readonly historyLength: number | undefined;
}

const taskBodySchema = z.object({
  jsonrpc: z.literal("2.0").optional(),
  id: requestId.nullish(),
  method: z.string().nullish(),
  params: z.object({ id: optionalId, contextId: optionalId, historyLength: z.int().nullish() }).nullish(),
});

/** The body of `tasks:get` and `tasks:cancel`. */
export const taskBody: BodySpec<TaskForm> = {
  name: "TaskRequest",
  reader: strictly(taskBodySchema, ({ id, params }) => ({
    requestId: id ?? null,
    taskId: params?.id || undefined,
    contextId: params?.contextId || undefined,
    historyLength: params?.historyLength ?? undefined,
  })),
  types: ["json"],
  required: true,
};

/** The component's id in the path, as in all routes below `/a2a`. */
export const componentPath: Reader<{ componentId: string }> = reader(z.object({ id: identifier }), ({ id }) => ({
  componentId: id,
}));
