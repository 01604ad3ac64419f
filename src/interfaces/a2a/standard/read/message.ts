/** Parses messages and their parts, in each version's form. */
import { z } from "zod";
import { listOf } from "../../../../http/input/bounded-lists.ts";
import { mediaItem } from "../../../../http/input/media.ts";
import type { FileContent, Message, Metadata, Part } from "../../protocol.ts";
import { id, metadata, optionalId, requiredId } from "./members.ts";

const short = z.string().max(255).nullish();

const fileFrom = (given: { bytes?: string | undefined; uri?: string | undefined }, context: z.RefinementCtx): void => {
  const checked = mediaItem.safeParse({ content: given.bytes, url: given.uri });
  for (const { message } of checked.error?.issues ?? []) {
    const text = message.startsWith("give one of") ? "give one of its bytes and its address" : message;
    context.addIssue({ code: "custom", message: text });
  }
};

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

/** The kind of a part that is defined by the member it has. `data` may be `null`: its presence decides. */
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
    const details = { ...(filename && { filename }), ...(mediaType && { mediaType }) };
    if (kind === "data") return withMetadata({ kind: "data", data, ...details }, part.metadata);
    return withMetadata({ kind: "text", text, ...details }, part.metadata);
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
  extensions: listOf(z.string()).nullish(),
  referenceTaskIds: listOf(id).nullish(),
  metadata: z.looseObject({ userId: optionalId }).nullish(),
};

const parts = (part: z.ZodType<Part>) => listOf(part).min(1);

/** A parsed message of any form. */
export interface ReadMessage extends Pick<Message, "messageId" | "parts"> {
  readonly contextId: string | undefined;
  readonly taskId: string | undefined;
  readonly extensions?: readonly string[] | null | undefined;
  readonly referenceTaskIds?: readonly string[] | null | undefined;
  readonly metadata?: (Metadata & { readonly userId?: string | undefined }) | null | undefined;
}

export const message03: z.ZodType<ReadMessage> = z.object({
  ...messageMembers,
  kind: z.literal("message").nullish(),
  role: z.literal("user"),
  parts: parts(part03),
});

export const message10: z.ZodType<ReadMessage> = z.object({
  ...messageMembers,
  role: z.literal("ROLE_USER"),
  parts: parts(part10),
});

export const messageRest03: z.ZodType<ReadMessage> = z
  .object({ ...messageMembers, role: z.literal("ROLE_USER"), content: parts(partRest03) })
  .transform(({ content, ...message }) => ({ ...message, parts: content }));
