/** Pictures, sounds, videos and documents that come with a message. */
import { extname } from "node:path";
import { z } from "zod";
import { TroupeError } from "../errors.ts";
import { type Media, mediaKind } from "../model/message.ts";
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

/** Types of files that many clients send without one (`application/octet-stream`). */
const typesByExtension: Readonly<Record<string, string>> = {
  ".csv": "text/csv",
  ".html": "text/html",
  ".json": "application/json",
  ".md": "text/markdown",
  ".pdf": "application/pdf",
  ".py": "text/x-python",
  ".ts": "text/plain",
  ".txt": "text/plain",
  ".xml": "application/xml",
  ".yaml": "application/yaml",
  ".yml": "application/yaml",
};

/**
 * An uploaded file as a model is given it.
 *
 * @throws TroupeError `badRequest` for a type no model takes, or a file of no bytes
 */
export function toMedia({ filename, mediaType: said, data }: UploadedFile): Media {
  const mediaType =
    said === "application/octet-stream" ? (typesByExtension[extname(filename).toLowerCase()] ?? said) : said;
  const kind = kindOf(mediaType);
  if (!kind) throw new TroupeError("badRequest", "Unsupported file type");
  if (data.length === 0) throw new TroupeError("badRequest", "Empty file");
  return { kind, mediaType, ...(filename ? { filename } : {}), data: data.toString("base64") };
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
    (text) => /^(https?:\/\/|data:[^,]*,.)/is.test(text) && URL.canParse(text),
    "must be an http, https or data address",
  );

const base64 = z.string().regex(/^[A-Za-z0-9+/=\s]*$/, "must be base64");

/** One item of the form's lists `images`, `audio`, `videos` and `input_files`. A path on the server is never taken. */
export const mediaItem: z.ZodType<MediaItem> = z
  .object({
    url: address.nullish(),
    content: base64.nullish(),
    mime_type: z.string().max(255).nullish(),
    format: z.string().max(64).nullish(),
    filename: z.string().max(255).nullish(),
    name: z.string().max(255).nullish(),
  })
  .refine(({ url, content }) => Boolean(url) !== Boolean(content?.trim()), "give one of url and content");

/** As the contract writes it. */
export interface MediaItem {
  readonly url?: string | null | undefined;
  readonly content?: string | null | undefined;
  readonly mime_type?: string | null | undefined;
  readonly format?: string | null | undefined;
  readonly filename?: string | null | undefined;
  readonly name?: string | null | undefined;
}

const usualTypes = {
  image: "image/*",
  audio: "audio/wav",
  video: "video/mp4",
  file: "application/octet-stream",
} as const;

/** An item of one of those lists as a model is given it. */
export function fromItem(kind: Media["kind"], item: MediaItem): Media {
  const inline = item.url ? fromDataAddress(item.url) : undefined;
  const guessed = item.format && kind !== "file" ? `${kind}/${item.format.toLowerCase()}` : usualTypes[kind];
  const filename = item.filename ?? item.name;
  const data = inline?.data ?? item.content?.replace(/\s/g, "");
  return {
    kind,
    mediaType: item.mime_type?.toLowerCase() ?? inline?.mediaType ?? guessed,
    ...(filename ? { filename } : {}),
    ...(item.url && !inline ? { url: item.url } : {}),
    ...(data ? { data } : {}),
  };
}

/** What a `data:` address holds (RFC 2397). */
function fromDataAddress(address: string): { mediaType: string | undefined; data: string } | undefined {
  const comma = address.indexOf(",");
  if (!/^data:/i.test(address) || comma === -1) return undefined;
  const [mediaType, ...parameters] = address.slice("data:".length, comma).toLowerCase().split(";");
  const content = unescaped(address.slice(comma + 1));
  const isBase64 = parameters.at(-1)?.trim() === "base64";
  return { mediaType: mediaType || undefined, data: isBase64 ? content : Buffer.from(content).toString("base64") };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
