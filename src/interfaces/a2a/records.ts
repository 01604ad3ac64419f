/** The answer of `message:send` in the OpenAPI document. */
import { z } from "zod";
import { named } from "../../http/input/named-schemas.ts";

const metadata = z.record(z.string(), z.unknown()).nullish();
const text = z.string().nullish();

const textPart = named("TextPart", z.object({ kind: z.literal("text").optional(), text: z.string(), metadata }));
const dataPart = named(
  "DataPart",
  z.object({ kind: z.literal("data").optional(), data: z.record(z.string(), z.unknown()), metadata }),
);
const withBytes = named("FileWithBytes", z.object({ bytes: z.string(), mimeType: text, name: text }));
const withUri = named("FileWithUri", z.object({ uri: z.string(), mimeType: text, name: text }));
const filePart = named(
  "FilePart",
  z.object({ kind: z.literal("file").optional(), file: z.union([withBytes, withUri]), metadata }),
);
const part = named("Part", z.union([textPart, filePart, dataPart]));

const message = named(
  "Message",
  z.object({
    messageId: z.string(),
    role: named("Role", z.enum(["agent", "user"])),
    parts: z.array(part),
    kind: z.literal("message").optional(),
    contextId: text,
    taskId: text,
    metadata,
    extensions: z.array(z.string()).nullish(),
    referenceTaskIds: z.array(z.string()).nullish(),
  }),
);

const state = named(
  "TaskState",
  z.enum([
    "submitted",
    "working",
    "input-required",
    "completed",
    "canceled",
    "failed",
    "rejected",
    "auth-required",
    "unknown",
  ]),
);

const status = named("TaskStatus", z.object({ state, message: message.nullish(), timestamp: text }));

const artifact = named(
  "Artifact",
  z.object({
    artifactId: z.string(),
    parts: z.array(part),
    name: text,
    description: text,
    metadata,
    extensions: z.array(z.string()).nullish(),
  }),
);

const task = named(
  "Task",
  z.object({
    id: z.string(),
    contextId: z.string(),
    status,
    kind: z.literal("task").optional(),
    history: z.array(message).nullish(),
    artifacts: z.array(artifact).nullish(),
    metadata,
  }),
);

export const sendAnswer: z.ZodType = named(
  "SendMessageSuccessResponse",
  z.object({
    result: z.union([task, message]),
    id: z.union([z.string(), z.int()]).nullish(),
    jsonrpc: z.literal("2.0").optional(),
  }),
);
