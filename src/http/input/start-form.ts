/** The form or the JSON object that starts a run. */
import { z } from "zod";
import { schemaFault } from "../../engine/model-call/caller-schema.ts";
import type { Media } from "../../model/run/message.ts";
import type { RunOptions } from "../../model/run/record.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import { limitsFromWire, type RunLimits } from "../../model/usage/limits.ts";
import { maxRunWebhooks, maxSecrets, type RunWebhook, webhookEvents } from "../../model/webhook.ts";
import type { StartCommand } from "../../runs/start.ts";
import type { BodySpec } from "./body.ts";
import { listOf } from "./bounded-lists.ts";
import { type Reader, reader } from "./decode.ts";
import { readFactoryInput } from "./factory-input.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import { identifier } from "./identifiers.ts";
import { documentItem, fromItem, type MediaItem, mediaItem } from "./media.ts";
import { UploadedFile } from "./multipart.ts";

/** A request to start a run: the start, its files and the form of its answer. */
export interface StartForm
  extends Pick<StartCommand, "message" | "media" | "sessionId" | "userId" | "options" | "background" | "version"> {
  readonly stream: boolean;
  /** False leaves only content events in the stream. */
  readonly streamEvents: boolean;
  readonly files: readonly UploadedFile[];
}

const object = z.record(z.string(), z.unknown());
const items = z.array(mediaItem).max(20).nullish();
const documents = z.array(documentItem).max(20).nullish();

/** The JSON Schema of an answer, as a caller may specify it. */
export const outputSchema: z.ZodType<Record<string, unknown>> = object.superRefine((schema, context) => {
  const fault = schemaFault(schema);
  if (fault !== undefined) context.addIssue({ code: "custom", message: `invalid_output_schema: ${fault}` });
});

const amount = z.int().positive();

/** Limits of this run. A misspelled name is rejected: the run would have no limit. */
const limits = z.strictObject(
  {
    tokens: amount.nullish(),
    cost: z.number().positive().nullish(),
    model_requests: amount.nullish(),
    tool_calls: amount.nullish(),
    duration: amount.nullish(),
  },
  // The usual message names all unknown keys, and there may be very many.
  {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `Unrecognized key: ${JSON.stringify(issue.keys[0]?.slice(0, 100))}`
        : undefined,
  },
);

const runEvents = webhookEvents.filter((event) => event !== "schedule.failed");

/** Receivers of messages about this run. The service layer checks addresses and secrets. */
const webhook = z.object({
  url: z.string().max(2_048),
  secret: z.union([z.string(), z.array(z.string()).min(1).max(maxSecrets)]),
  events: z
    .array(z.enum(webhookEvents).exclude(["schedule.failed"]))
    .min(1)
    .max(webhookEvents.length)
    .nullish()
    .describe("Default: all."),
});

const commonFields = {
  message: z.string(),
  stream: z.boolean().default(true),
  session_id: identifier.nullish(),
  user_id: identifier.nullish(),
  files: listOf(
    z
      .custom<UploadedFile>((value) => value instanceof UploadedFile, "must be an uploaded file")
      .meta({ type: "string", contentMediaType: "application/octet-stream" }),
  ).nullish(),
  background: z.boolean().default(false),
  /** Input for a factory; other components have no such input. */
  factory_input: z.string().nullish(),
  stream_events: z.boolean().default(true),
  /** The database that a remote server should use; this server has only one. */
  db_id: identifier.nullish(),
  session_state: object.nullish(),
  dependencies: object.nullish(),
  metadata: object.nullish(),
  knowledge_filters: z.union([object, listOf(object)]).nullish(),
  output_schema: outputSchema.nullish(),
  limits: limits.nullish(),
  webhooks: z.array(webhook).max(maxRunWebhooks).nullish(),
  images: items,
  audio: items,
  videos: items,
  input_files: documents,
};

/** `version` has no effect on components that code alone defines, and `monitor` has none. */
const agentFields = z.object({ ...commonFields, version: z.string().nullish() });
const teamFields = z.object({ ...commonFields, monitor: z.boolean().default(true), version: z.int().nullish() });

const { output_schema: _, knowledge_filters: __, ...plainFields } = commonFields;
const workflowFields = z.object({ ...plainFields, version: z.int().nullish() });

type Fields = z.output<z.ZodObject<typeof commonFields>> & { readonly version?: string | number | null | undefined };

function translate(fields: Fields): StartForm {
  return {
    message: fields.message,
    stream: fields.stream,
    background: fields.background,
    streamEvents: fields.stream_events,
    sessionId: fields.session_id ?? undefined,
    userId: fields.user_id ?? undefined,
    files: fields.files ?? [],
    media: [
      ...listed("image", fields.images),
      ...listed("audio", fields.audio),
      ...listed("video", fields.videos),
      ...listed("file", fields.input_files),
    ],
    options: toOptions(fields),
    version: toVersion(fields.version),
  };
}

/** A text that is neither a number nor `code` is a version that no component has. */
function toVersion(given: string | number | null | undefined): StartForm["version"] {
  if (given === "code") return given;
  return given === null || given === undefined || given === "" ? undefined : Number(given);
}

function listed(kind: Media["kind"], list: readonly MediaItem[] | null | undefined): readonly Media[] {
  return (list ?? []).map((item) => fromItem(kind, item));
}

/** Members that are given. */
function present(given: Readonly<Record<string, number | null | undefined>>): Record<string, number> {
  return Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (value == null ? [] : [[name, value]])));
}

function toOptions(fields: Fields): RunOptions {
  const factoryInput = readFactoryInput(fields.factory_input);
  return {
    stream: fields.stream,
    background: fields.background,
    ...(fields.metadata ? { metadata: fields.metadata } : {}),
    ...(fields.dependencies ? { dependencies: fields.dependencies } : {}),
    ...(fields.session_state ? { sessionState: fields.session_state } : {}),
    ...(fields.output_schema ? { outputSchema: fields.output_schema } : {}),
    ...(fields.knowledge_filters ? { knowledgeFilters: fields.knowledge_filters } : {}),
    ...(factoryInput ? { factoryInput } : {}),
    ...(fields.limits ? { limits: limitsFromWire(present(fields.limits)) as RunLimits } : {}),
    ...(fields.webhooks?.length ? { webhooks: fields.webhooks.map(toWebhook) } : {}),
    ...(fields.db_id ? { databaseId: fields.db_id } : {}),
  };
}

function toWebhook({ url, secret, events }: z.output<typeof webhook>): RunWebhook {
  return { url, secrets: typeof secret === "string" ? [secret] : secret, events: events ?? runEvents };
}

const readers: Readonly<Record<ComponentKind, Reader<StartForm>>> = {
  agent: reader(agentFields, translate),
  team: reader(teamFields, translate),
  workflow: reader(workflowFields, (fields) => translate({ ...fields, output_schema: null, knowledge_filters: null })),
};

const headers = z.object({
  "idempotency-key": idempotencyKey,
  "last-event-id": z.int().nullish(),
});

/** The headers of a repeated start: the idempotency key, and the cursor from which its stream resumes. */
export const startHeaders: Reader<StartHeaders> = reader(headers, (fields) => ({
  idempotencyKey: fields["idempotency-key"] || undefined,
  lastEventId: fields["last-event-id"] ?? undefined,
}));

/** See `startHeaders`. */
export interface StartHeaders {
  readonly idempotencyKey: string | undefined;
  readonly lastEventId: number | undefined;
}

/** The body of `POST …/runs` for a component kind. */
export function startBody(kind: ComponentKind): BodySpec<StartForm> {
  return {
    name: `Body_create_${kind}_run`,
    reader: readers[kind],
    types: kind === "workflow" ? ["urlencoded", "multipart", "json"] : ["multipart", "urlencoded", "json"],
    required: true,
  };
}
