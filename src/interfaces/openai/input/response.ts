/** The body of `POST /v1/responses`, and the queries of the routes below it. */
import { z } from "zod";
import type { BodySpec } from "../../../http/input/body.ts";
import { listOf } from "../../../http/input/bounded-lists.ts";
import { keepingEmpty, type Reader, reader } from "../../../http/input/decode.ts";
import { identifier } from "../../../http/input/identifiers.ts";
import { invalidAt, unsupported } from "../errors.ts";
import { contentSchema, readContent } from "./content.ts";
import { answerTo, type Conversation, conversationOf, type Entry, messageEntry } from "./conversation.ts";
import { commonMembers, formatSchema, refuseUnsupported, rejectedMembers, schemaIn, sessionIn } from "./parameters.ts";

/** A response, as a client requests it. */
export interface ResponseRequest {
  /** Undefined for answers: the run has its component. */
  readonly model: string | undefined;
  readonly conversation: Conversation;
  readonly stream: boolean;
  readonly background: boolean;
  readonly userId: string | undefined;
  /** The session that `conversation` or the metadata name. */
  readonly sessionId: string | undefined;
  readonly previousResponseId: string | undefined;
  readonly metadata: Record<string, unknown> | undefined;
  readonly outputSchema: Record<string, unknown> | undefined;
}

const id = z.string().max(1_000).nullish();

/** An item of the input. Members that its type does not use are ignored. */
const item = z.object({
  type: z.string().max(100).nullish(),
  role: z.enum(["system", "developer", "user", "assistant"]).nullish(),
  content: contentSchema.nullish(),
  call_id: id,
  output: contentSchema.nullish(),
  approval_request_id: id,
  approve: z.boolean().nullish(),
  reason: z.string().nullish(),
});

const members = z.object({
  ...commonMembers,
  ...rejectedMembers,
  model: commonMembers.model.nullish(),
  input: keepingEmpty(z.union([z.string(), listOf(item)])),
  instructions: z.string().nullish(),
  background: z.boolean().nullish(),
  store: z.boolean().nullish(),
  previous_response_id: id,
  conversation: z.union([identifier, z.object({ id: identifier })]).nullish(),
  text: z.object({ format: formatSchema.nullish() }).nullish(),
});

const storeAdvice = "Every run is stored. Leave it out, and delete the response when you no longer need it.";

export const responseBody: BodySpec<ResponseRequest> = {
  name: "OpenAiResponseRequest",
  types: ["json"],
  required: true,
  reader: reader(members, (fields) => {
    refuseUnsupported(fields);
    if (fields.store === false) throw unsupported("store", storeAdvice);
    const { input, instructions, conversation: named } = fields;
    const given = typeof input === "string" ? [messageEntry("user", input, ["input"])] : input.map(toEntry);
    const conversation = conversationOf(given, "input");
    const all = [instructions, conversation.instructions].filter(Boolean).join("\n\n");
    return {
      model: fields.model ?? undefined,
      conversation: { ...conversation, instructions: all === "" ? undefined : all },
      stream: fields.stream ?? false,
      background: fields.background ?? false,
      userId: fields.user ?? undefined,
      sessionId: (typeof named === "string" ? named : named?.id) ?? sessionIn(fields.metadata),
      previousResponseId: fields.previous_response_id ?? undefined,
      metadata: fields.metadata ?? undefined,
      outputSchema: schemaIn(fields.text?.format, ["text", "format"]),
    };
  }),
};

function toEntry(given: z.output<typeof item>, place: number): Entry {
  const path = ["input", place];
  switch (given.type ?? "message") {
    case "message":
      return messageEntry(given.role ?? "user", given.content, path);
    case "function_call_output":
      return answerTo(given.call_id, path, { text: readContent(given.output, [...path, "output"]).text });
    case "mcp_approval_response":
      if (typeof given.approve !== "boolean") throw invalidAt([...path, "approve"], "This must be true or false.");
      return answerTo(given.approval_request_id, path, {
        approve: given.approve,
        reason: given.reason ?? undefined,
        text: "",
      });
    default:
      return { role: "other" };
  }
}

/** How a response is read. */
export interface ReadQuery {
  readonly stream: boolean;
  /** The last sequence number that the client has; -1 for none. */
  readonly after: number;
}

export const readQuery: Reader<ReadQuery> = reader(
  z.object({ stream: z.boolean().default(false), starting_after: z.int().nullish() }),
  ({ stream, starting_after: after }) => ({ stream, after: Math.max(after ?? -1, -1) }),
);

/** A page of input items. */
export interface ItemsQuery {
  readonly limit: number;
  readonly isAscending: boolean;
  readonly after: string | undefined;
}

export const itemsQuery: Reader<ItemsQuery> = reader(
  z.object({
    limit: z.int().min(1).max(100).default(20),
    order: z.enum(["asc", "desc"]).default("desc"),
    after: z.string().max(1_000).nullish(),
  }),
  ({ limit, order, after }) => ({ limit, isAscending: order === "asc", after: after ?? undefined }),
);

/** The id in the path. */
export const responsePath: Reader<{ readonly responseId: string }> = reader(
  z.object({ response_id: z.string().max(1_000) }),
  ({ response_id: responseId }) => ({ responseId }),
);

export const modelPath: Reader<{ readonly model: string }> = reader(
  z.object({ model: z.string().max(1_000) }),
  (fields) => fields,
);
