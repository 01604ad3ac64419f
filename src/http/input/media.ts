/** Images, audio, videos and documents that are sent with a message. */
import { randomUUID } from "node:crypto";
import { extname } from "node:path";
import { z } from "zod";
import { typeByName } from "../../engine/model-call/media-type.ts";
import { TroupeError } from "../../errors.ts";
import { dataIn, detailsIn, inAddress, maxDetailLength } from "../../model/run/media-item.ts";
import { type Media, mediaDetails, mediaKind, unspecifiedMediaType } from "../../model/run/message.ts";
import type { UploadedFile } from "./multipart.ts";

const documents = new Set([
  "application/epub+zip",
  "application/javascript",
  "application/json",
  "application/ld+json",
  "application/msword",
  "application/pdf",
  "application/rtf",
  "application/sql",
  "application/toml",
  "application/vnd.ms-excel",
  "application/vnd.ms-powerpoint",
  "application/x-javascript",
  "application/x-ndjson",
  "application/x-python",
  "application/x-sh",
  "application/x-yaml",
  "application/xml",
  "application/yaml",
]);

const officeFamilies = ["application/vnd.openxmlformats-officedocument.", "application/vnd.oasis.opendocument."];

/**
 * Converts an uploaded file to the form that models receive.
 *
 * @throws TroupeError `badRequest` for a type that no model accepts, or an empty file
 */
export function toMedia({ filename, mediaType: declared, data }: UploadedFile): Media {
  const mediaType = declared === "application/octet-stream" ? (typeByName(filename) ?? declared) : declared;
  const kind = kindOf(mediaType);
  if (!kind) throw new TroupeError("badRequest", "Unsupported file type");
  if (data.length === 0) throw new TroupeError("badRequest", "Empty file");
  const format = extname(filename).slice(1).toLowerCase() || mediaType.split("/")[1];
  const details = { id: randomUUID(), ...(format ? { format } : {}) };
  return { kind, mediaType, ...(filename ? { filename } : {}), data: data.toString("base64"), details };
}

function kindOf(mediaType: string): Media["kind"] | undefined {
  const kind = mediaKind(mediaType);
  if (kind !== "file") return kind;
  if (mediaType.split("/", 1)[0] === "text" || documents.has(mediaType)) return "file";
  return officeFamilies.some((prefix) => mediaType.startsWith(prefix)) ? "file" : undefined;
}

const address = z
  .string()
  .refine(
    (text) => (/^https?:\/\//i.test(text) ? URL.canParse(text) : inAddress(text) !== undefined),
    "must be an http, https or data address",
  );

const text = z.string().max(maxDetailLength).nullish();
const short = z.string().max(255).nullish();

const told = Object.fromEntries(
  Object.entries(mediaDetails).map(([name, type]) => [name, type === "string" ? text : z.number().nullish()]),
);

const members = z.object({
  ...told,
  id: short,
  format: z.string().max(64).nullish(),
  name: short,
  url: address.nullish(),
  content: z.string().nullish(),
  mime_type: short,
  filename: short,
});

const sources =
  "give one of url and content: paths on the server (filepath) and files that a model's provider has (id, external) are not read";

function item(kind: Media["kind"]): z.ZodType<MediaItem> {
  return members.superRefine(({ url, content, mime_type }, context) => {
    if (Boolean(url) === Boolean(content)) context.addIssue({ code: "custom", message: sources });
    else if (content && dataIn(content, kind, typeIn(mime_type)) === undefined)
      context.addIssue({ code: "custom", path: ["content"], message: "must be base64" });
  });
}

/** One item of the form's lists `images`, `audio` and `videos`. Paths on the server are always rejected. */
export const mediaItem: z.ZodType<MediaItem> = item("image");

/** One item of the form's list `input_files`: like `mediaItem`, but the content of texts is not encoded. */
export const documentItem: z.ZodType<MediaItem> = item("file");

/** A media item in the contract's form. */
export interface MediaItem extends Readonly<Record<string, unknown>> {
  readonly url?: string | null | undefined;
  readonly content?: string | null | undefined;
  readonly mime_type?: string | null | undefined;
  readonly filename?: string | null | undefined;
}

/** Converts a media item to the form that models receive. */
export function fromItem(kind: Media["kind"], item: MediaItem): Media {
  const { url, content, mime_type, filename } = item;
  const inline = url ? inAddress(url) : undefined;
  const type = typeIn(mime_type) ?? inline?.type;
  const data = inline?.data ?? (content ? dataIn(content, kind, type) : undefined);
  return {
    kind,
    mediaType: type ?? unspecifiedMediaType(kind),
    ...(filename ? { filename } : {}),
    ...(url && !inline ? { url } : {}),
    ...(data ? { data } : {}),
    ...detailsIn(item),
  };
}

function typeIn(declared: string | null | undefined): string | undefined {
  return declared?.toLowerCase() || undefined;
}
