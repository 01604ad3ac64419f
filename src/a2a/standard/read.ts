/**
 * Parameters of the specification's operations, read from either version's JSON. Members of protocol buffers may come under both of their names
 * (`taskId`, `task_id`). Unknown members are ignored, as both versions ask.
 */
import { z } from "zod";
import { mediaItem } from "../../http/media.ts";
import type { GivenTarget } from "../../model/push.ts";
import { faultOfId, maxIdLength } from "../../model/text.ts";
import type { FileContent, Message, Metadata, Part, TaskState } from "../protocol.ts";
import { stateName } from "../version-1.ts";
import { A2aFault } from "./faults.ts";

const object = z.record(z.string(), z.unknown());

/** An id; an empty one is none, as protocol buffers have it. */
const id = z
  .string()
  .max(maxIdLength)
  .superRefine((text, context) => {
    const fault = text === "" ? undefined : faultOfId(text);
    if (fault) context.addIssue({ code: "custom", message: fault });
  });

const requiredId = id.min(1);
const optionalId = id.nullish().transform((text) => text || undefined);

const fileFrom = (given: { bytes?: string | undefined; uri?: string | undefined }, context: z.RefinementCtx): void => {
  const checked = mediaItem.safeParse({ content: given.bytes, url: given.uri });
  for (const { message } of checked.error?.issues ?? []) {
    const told = message.startsWith("give one of") ? "give one of its bytes and its address" : message;
    context.addIssue({ code: "custom", message: told });
  }
};

const short = z.string().max(255).nullish();
const metadata = object.nullish();

function withMetadata(part: Part, more: Metadata | null | undefined): Part {
  return more ? { ...part, metadata: more } : part;
}

function fileContent(bytes: unknown, uri: unknown, mimeType: unknown, name: unknown): FileContent {
  const members = Object.entries({ bytes, uri, mimeType, name });
  return Object.fromEntries(members.filter(([, value]) => typeof value === "string" && value !== ""));
}

const part03 = z.discriminatedUnion("kind", [
  z
    .object({ kind: z.literal("text"), text: z.string(), metadata })
    .transform((part): Part => withMetadata({ kind: "text", text: part.text }, part.metadata)),
  z
    .object({ kind: z.literal("data"), data: z.unknown().optional(), metadata })
    .superRefine(({ data }, context) => {
      if (data === undefined) context.addIssue({ code: "custom", path: ["data"], message: "is missing" });
    })
    .transform((part): Part => withMetadata({ kind: "data", data: part.data }, part.metadata)),
  z
    .object({
      kind: z.literal("file"),
      file: z
        .object({ bytes: z.string().optional(), uri: z.string().optional(), mimeType: short, name: short })
        .superRefine(fileFrom),
      metadata,
    })
    .transform((part): Part => {
      const { bytes, uri, mimeType, name } = part.file;
      return withMetadata({ kind: "file", file: fileContent(bytes, uri, mimeType, name) }, part.metadata);
    }),
]);

/** A part whose kind is told by which member it has. `data` may be `null`: that it is there says that it is data. */
function onePart(given: Readonly<Record<string, unknown>>, names: readonly string[], context: z.RefinementCtx) {
  const there = names.filter((name) => given[name] !== undefined);
  if (there.length === 1) return there[0];
  context.addIssue({ code: "custom", message: `a part has one of ${names.join(", ")}` });
  return undefined;
}

const part10 = z
  .object({
    text: z.string().optional(),
    raw: z.string().optional(),
    url: z.string().optional(),
    data: z.unknown().optional(),
    metadata,
    filename: short,
    mediaType: short,
  })
  .transform((part, context): Part => {
    const { text = "", raw, url, data, filename, mediaType } = part;
    const kind = onePart(part, ["text", "raw", "url", "data"], context);
    if (kind === "raw" || kind === "url") {
      fileFrom({ bytes: raw, uri: url }, context);
      return withMetadata({ kind: "file", file: fileContent(raw, url, mediaType, filename) }, part.metadata);
    }
    if (kind === "data") return withMetadata({ kind: "data", data }, part.metadata);
    return withMetadata({ kind: "text", text }, part.metadata);
  });

const partRest03 = z
  .object({
    text: z.string().optional(),
    file: z
      .object({
        fileWithUri: z.string().optional(),
        fileWithBytes: z.string().optional(),
        mimeType: short,
        name: short,
      })
      .optional(),
    data: z.object({ data: z.unknown().optional() }).optional(),
    metadata,
  })
  .transform((part, context): Part => {
    const { text = "", file, data } = part;
    const kind = onePart(part, ["text", "file", "data"], context);
    if (kind === "data") return withMetadata({ kind: "data", data: data?.data }, part.metadata);
    if (kind !== "file") return withMetadata({ kind: "text", text }, part.metadata);
    const { fileWithBytes, fileWithUri, mimeType, name } = file ?? {};
    fileFrom({ bytes: fileWithBytes, uri: fileWithUri }, context);
    const content = fileContent(fileWithBytes, fileWithUri, mimeType, name);
    return withMetadata({ kind: "file", file: content }, part.metadata);
  });

const messageMembers = {
  messageId: requiredId,
  contextId: optionalId,
  taskId: optionalId,
  extensions: z.array(z.string()).nullish(),
  referenceTaskIds: z.array(id).nullish(),
  metadata: z.looseObject({ userId: optionalId }).nullish(),
};

const parts = (part: z.ZodType<Part>) => z.array(part).min(1);

const message03 = z.object({
  ...messageMembers,
  kind: z.literal("message").nullish(),
  role: z.literal("user"),
  parts: parts(part03),
});

const message10 = z.object({ ...messageMembers, role: z.literal("ROLE_USER"), parts: parts(part10) });

const messageRest03 = z
  .object({ ...messageMembers, role: z.literal("ROLE_USER"), content: parts(partRest03) })
  .transform(({ content, ...message }) => ({ ...message, parts: content }));

const config03 = z.object({
  id: optionalId,
  url: z.string(),
  token: z.string().nullish(),
  authentication: z.object({ schemes: z.array(z.string()).nullish(), credentials: z.string().nullish() }).nullish(),
});

const config10 = z
  .object({
    id: optionalId,
    url: z.string(),
    token: z.string().nullish(),
    authentication: z.object({ scheme: z.string(), credentials: z.string().nullish() }).nullish(),
  })
  .transform(({ authentication, ...config }) => {
    const given = authentication && { schemes: [authentication.scheme], credentials: authentication.credentials };
    return { ...config, authentication: given };
  });

const historyLength = z
  .int()
  .min(0)
  .nullish()
  .transform((length) => length ?? undefined);
const modes = z.array(z.string()).nullish();

const configuration03 = z.object({
  acceptedOutputModes: modes,
  blocking: z.boolean().nullish(),
  historyLength,
  pushNotificationConfig: config03.nullish(),
});

const configuration10 = z
  .object({
    acceptedOutputModes: modes,
    returnImmediately: z.boolean().nullish(),
    historyLength,
    taskPushNotificationConfig: config10.nullish(),
  })
  .transform(({ returnImmediately, taskPushNotificationConfig, ...configuration }) => {
    return { ...configuration, blocking: !returnImmediately, pushNotificationConfig: taskPushNotificationConfig };
  });

/** Protocol buffers leave out what is false or 0: a configuration that does not say `blocking` says no, and no length is no limit. */
const configurationRest03 = z
  .object({
    acceptedOutputModes: modes,
    blocking: z.boolean().nullish(),
    historyLength,
    pushNotification: config03.nullish(),
  })
  .transform(({ pushNotification, blocking, historyLength: length, ...configuration }) => ({
    ...configuration,
    blocking: blocking ?? false,
    historyLength: length || undefined,
    pushNotificationConfig: pushNotification,
  }));

/** A message as it was sent. */
export interface Sent {
  readonly message: Omit<Message, "kind" | "role">;
  readonly metadata: Metadata | undefined;
  readonly claimedUser: string | undefined;
  readonly accepted: readonly string[] | undefined;
  readonly blocking: boolean;
  readonly historyLength: number | undefined;
  readonly push: GivenTarget | undefined;
}

interface SentForm {
  readonly message: Omit<z.output<typeof message10>, "role">;
  readonly configuration?: z.output<typeof configuration10> | z.output<typeof configuration03> | null | undefined;
  readonly metadata?: Metadata | null | undefined;
}

function toSent({ message, configuration, metadata: about }: SentForm): Sent {
  const { messageId, parts: said, contextId, taskId, extensions, referenceTaskIds, metadata: more } = message;
  const push = configuration?.pushNotificationConfig;
  return {
    message: {
      messageId,
      parts: said,
      ...(contextId !== undefined && { contextId }),
      ...(taskId !== undefined && { taskId }),
      ...(extensions?.length && { extensions }),
      ...(referenceTaskIds?.length && { referenceTaskIds }),
      ...(more && { metadata: more }),
    },
    metadata: about ?? undefined,
    claimedUser: more?.userId,
    accepted: configuration?.acceptedOutputModes?.length ? configuration.acceptedOutputModes : undefined,
    blocking: configuration?.blocking ?? true,
    historyLength: configuration?.historyLength,
    push: push ? toGiven(push) : undefined,
  };
}

function toGiven({ id: name, url, token, authentication }: z.output<typeof config03>): GivenTarget {
  const credentials = authentication?.credentials || undefined;
  return { id: name, url, token: token || undefined, schemes: authentication?.schemes ?? [], credentials };
}

/** A target with its task. */
export interface TargetParams {
  readonly taskId: string;
  readonly given: GivenTarget;
}

/** Which of a task's targets. */
export interface TargetName {
  readonly taskId: string;
  readonly id: string | undefined;
}

/** Which task. */
export interface TaskParams {
  readonly id: string;
  readonly historyLength: number | undefined;
}

/** A page of something. */
export interface PageParams {
  readonly pageSize: number | undefined;
  readonly pageToken: string | undefined;
}

/** Which tasks. */
export interface ListParams extends PageParams {
  readonly contextId: string | undefined;
  readonly state: TaskState | undefined;
  readonly since: number | undefined;
  readonly historyLength: number | undefined;
  readonly includeArtifacts: boolean;
}

const stateNames = [
  ...([
    "submitted",
    "working",
    "input-required",
    "auth-required",
    "completed",
    "canceled",
    "failed",
    "rejected",
  ] as const),
];

const state = z
  .enum([...stateNames, ...stateNames.map(stateName), "TASK_STATE_CANCELLED", "TASK_STATE_UNSPECIFIED", ""])
  .nullish()
  .transform((name): TaskState | undefined => {
    if (name === "TASK_STATE_CANCELLED") return "canceled";
    return stateNames.find((one) => one === name || stateName(one) === name);
  });

const time = z
  .union([z.iso.datetime({ offset: true }), z.int().min(0)])
  .nullish()
  .transform((at) => (at === null || at === undefined ? undefined : typeof at === "number" ? at : Date.parse(at)));

const page = {
  pageSize: z
    .int()
    .min(0)
    .nullish()
    .transform((size) => size || undefined),
  pageToken: z
    .string()
    .max(200)
    .nullish()
    .transform((token) => token || undefined),
};

const list = z
  .object({
    contextId: optionalId,
    status: state,
    ...page,
    historyLength,
    statusTimestampAfter: time,
    lastUpdatedAfter: time,
    includeArtifacts: z.boolean().nullish(),
  })
  .transform(({ status, statusTimestampAfter, lastUpdatedAfter, includeArtifacts, ...rest }): ListParams => {
    const since = statusTimestampAfter ?? lastUpdatedAfter;
    return { ...rest, state: status, since, includeArtifacts: includeArtifacts ?? false };
  });

const task = z.object({ id: requiredId, historyLength });
const nameOf = z.object({ taskId: requiredId, id: optionalId });

/** How parameters of a version are read. */
export interface Reading {
  send(params: unknown): Sent;
  task(params: unknown): TaskParams;
  list(params: unknown): ListParams;
  setTarget(params: unknown): TargetParams;
  target(params: unknown): TargetName;
  targets(params: unknown): PageParams & { readonly taskId: string };
}

const sent = (message: z.ZodType, configuration: z.ZodType) => {
  return z.object({ message, configuration: configuration.nullish(), metadata });
};

const common = {
  task: (params: unknown) => read(task, params),
  list: (params: unknown) => read(list, params),
};

export const reading03: Reading = {
  ...common,
  send: (params) => toSent(read(sent(message03, configuration03), params) as SentForm),
  setTarget(params) {
    const { taskId, pushNotificationConfig } = read(
      z.object({ taskId: requiredId, pushNotificationConfig: config03 }),
      params,
    );
    return { taskId, given: toGiven(pushNotificationConfig) };
  },
  target(params) {
    const named = read(z.object({ id: requiredId, pushNotificationConfigId: optionalId }), params);
    return { taskId: named.id, id: named.pushNotificationConfigId };
  },
  targets(params) {
    const { id: taskId, ...asked } = read(z.object({ id: requiredId, ...page }), params);
    return { taskId, ...asked };
  },
};

export const reading10: Reading = {
  ...common,
  send: (params) => toSent(read(sent(message10, configuration10), params) as SentForm),
  setTarget(params) {
    const { taskId } = read(z.object({ taskId: requiredId }), params);
    return { taskId, given: toGiven(read(config10, params)) };
  },
  target: (params) => read(nameOf, params),
  targets: (params) => read(z.object({ taskId: requiredId, ...page }), params),
};

/** Over plain HTTP both forms of 0.3's JSON are read: that of its schema, and that of its protocol buffers. */
export const readingRest03: Reading = {
  ...common,
  send(params) {
    const { request, message = request, ...rest } = camel(params);
    const isBuffers = Object.hasOwn(Object(message), "content") || String(Object(message).role).startsWith("ROLE_");
    if (!isBuffers) return reading03.send({ message, ...rest });
    return toSent(read(sent(messageRest03, configurationRest03), { message, ...rest }) as SentForm);
  },
  setTarget(params) {
    const { config, configId, ...rest } = camel(params);
    const { pushNotificationConfig, ...wrapped } = { ...rest, ...Object(config) };
    const given = read(config03, pushNotificationConfig ?? wrapped);
    const { taskId } = read(z.object({ taskId: requiredId }), rest);
    return { taskId, given: toGiven({ ...given, id: given.id ?? (configId as string | undefined) }) };
  },
  target: (params) => read(nameOf, params),
  targets: (params) => read(z.object({ taskId: requiredId, ...page }), params),
};

/** @throws A2aFault that names the first member that is wrong */
function read<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const result = schema.safeParse(camel(params));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join(".") ?? "";
  const where = field === "" ? "the parameters" : field;
  throw new A2aFault("invalidParams", `Invalid parameters: ${where}: ${issue?.message ?? "cannot be read"}`, {
    about: { field },
  });
}

/** Members whose own members are the client's. */
const free: ReadonlySet<string> = new Set(["metadata", "data"]);

/** The same with names of members in the form of JSON. What is free in form stays as it is. */
function camel(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new A2aFault("invalidParams", "Invalid parameters: they must be an object");
  }
  return camelOf(value) as Record<string, unknown>;
}

function camelOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelOf);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const inJson = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return [inJson, free.has(inJson) ? member : camelOf(member)] as const;
  });
  return Object.fromEntries(members);
}
