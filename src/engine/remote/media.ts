/** Pictures, sound, video and documents as other servers have them. Nothing of what they send is trusted to have its form. */
import { type Media, mediaKind } from "../../model/message.ts";

const longestName = 255;

/** What is said of a file, whatever it is. */
export interface GivenFile {
  readonly data: unknown;
  readonly url: unknown;
  readonly mediaType: unknown;
  readonly filename: unknown;
}

/** A file; undefined where it has neither bytes (base64) nor an address of the web. */
export function toMedia(given: GivenFile, kind?: Media["kind"]): Media | undefined {
  const data = base64In(given.data);
  const url = addressIn(given.url);
  if (data === undefined && url === undefined) return undefined;
  const mediaType = nameIn(given.mediaType) ?? "application/octet-stream";
  const filename = nameIn(given.filename);
  return {
    kind: kind ?? mediaKind(mediaType),
    mediaType,
    ...(filename && { filename }),
    ...(data === undefined ? { url: url ?? "" } : { data }),
  };
}

/** Names of the interface's lists. */
const lists = { images: "image", audio: "audio", videos: "video", files: "file" } as const;

/** What a run has made, as the event that ends it tells in the lists of the interface. */
export function mediaIn(fields: Readonly<Record<string, unknown>>): readonly Media[] {
  return Object.entries(lists).flatMap(([name, kind]) => {
    const items = fields[name];
    return Array.isArray(items) ? items.flatMap((item) => fromItem(kind, item) ?? []) : [];
  });
}

function fromItem(kind: Media["kind"], item: unknown): Media | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const { content, url, mime_type, filename, name } = item as Readonly<Record<string, unknown>>;
  return toMedia({ data: content, url, mediaType: mime_type, filename: filename ?? name }, kind);
}

/** Media of a kind as the forms of the interface take them; undefined for none. */
export function itemsOf(
  media: readonly Media[],
  kind: Media["kind"],
): readonly Readonly<Record<string, unknown>>[] | undefined {
  const items = media
    .filter((one) => one.kind === kind)
    .map(({ url, data, mediaType, filename }) => ({ url, content: data, mime_type: mediaType, filename }));
  return items.length > 0 ? items : undefined;
}

function base64In(value: unknown): string | undefined {
  return typeof value === "string" && /^[A-Za-z0-9+/]+={0,2}$/.test(value) ? value : undefined;
}

function addressIn(value: unknown): string | undefined {
  return typeof value === "string" && /^https?:\/\//i.test(value) && URL.canParse(value) ? value : undefined;
}

function nameIn(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  return value.replaceAll("\0", "").toWellFormed().slice(0, longestName);
}
