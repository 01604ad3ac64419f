/** The body of `POST /v1/chat/completions`. */
import { z } from "zod";
import type { BodySpec } from "../../../http/input/body.ts";
import { listOf } from "../../../http/input/bounded-lists.ts";
import { reader } from "../../../http/input/decode.ts";
import { contentSchema, readContent } from "./content.ts";
import { answerTo, type Conversation, conversationOf, type Entry, messageEntry } from "./conversation.ts";
import { commonMembers, formatSchema, refuseUnsupported, rejectedMembers, schemaIn, sessionIn } from "./parameters.ts";

/** A chat completion, as a client requests it. */
export interface ChatRequest {
  readonly model: string;
  readonly conversation: Conversation;
  readonly stream: boolean;
  /** Whether the stream's last chunk has the usage. */
  readonly includesUsage: boolean;
  readonly userId: string | undefined;
  readonly sessionId: string | undefined;
  readonly metadata: Record<string, unknown> | undefined;
  readonly outputSchema: Record<string, unknown> | undefined;
}

const message = z.object({
  role: z.enum(["system", "developer", "user", "assistant", "tool"]),
  content: contentSchema.nullish(),
  tool_call_id: z.string().max(1_000).nullish(),
});

const members = z.object({
  ...commonMembers,
  ...rejectedMembers,
  messages: listOf(message).min(1),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  response_format: formatSchema.nullish(),
});

export const chatBody: BodySpec<ChatRequest> = {
  name: "OpenAiChatCompletionRequest",
  types: ["json"],
  required: true,
  reader: reader(members, (fields) => {
    refuseUnsupported(fields);
    const sessionId = sessionIn(fields.metadata);
    const conversation = conversationOf(fields.messages.map(toEntry), "messages");
    return {
      model: fields.model,
      // A session has its history: the client sends the same messages again, because the protocol has no sessions.
      conversation: sessionId === undefined ? conversation : { ...conversation, earlier: [] },
      stream: fields.stream ?? false,
      includesUsage: fields.stream_options?.include_usage ?? false,
      userId: fields.user ?? undefined,
      sessionId,
      metadata: fields.metadata ?? undefined,
      outputSchema: schemaIn(fields.response_format, ["response_format"]),
    };
  }),
};

function toEntry({ role, content, tool_call_id: id }: z.output<typeof message>, place: number): Entry {
  const path = ["messages", place];
  if (role !== "tool") return messageEntry(role, content, path);
  return answerTo(id, path, { text: readContent(content, [...path, "content"]).text });
}
