/** Images, audio, video and documents from other servers. Their format is not trusted. */
import { dataIn, detailsIn, inAddress, toMediaItem } from "../../model/run/media-item.ts";
import { type Media, mediaKind, unspecifiedMediaType } from "../../model/run/message.ts";

const maxNameLength = 255;

/** The untrusted fields of a file. */
export interface GivenFile {
  readonly data: unknown;
  readonly url: unknown;
  readonly mediaType: unknown;
  readonly filename: unknown;
}

/** Returns a file; undefined if it has neither base64 data nor an HTTP address. */
export function parseMedia(given: GivenFile, kind?: Media["kind"]): Media | undefined {
  const data = bytesIn(given.data);
  const url = addressIn(given.url);
  if (data === undefined && url === undefined) return undefined;
  const mediaType = nameIn(given.mediaType)?.toLowerCase() ?? unspecifiedMediaType(kind ?? "file");
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

/** Returns a run's media from the lists in its final event. */
export function mediaIn(fields: Readonly<Record<string, unknown>>): readonly Media[] {
  return Object.entries(lists).flatMap(([name, kind]) => {
    const items = fields[name];
    return Array.isArray(items) ? items.flatMap((item) => fromItem(kind, item) ?? []) : [];
  });
}

function fromItem(kind: Media["kind"], item: unknown): Media | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const members = item as Readonly<Record<string, unknown>>;
  const { content, url, mime_type, filename } = members;
  const type = nameIn(mime_type);
  const inline = typeof url === "string" ? inAddress(url) : undefined;
  const data = typeof content === "string" ? dataIn(content, kind, type?.toLowerCase()) : inline?.data;
  const media = parseMedia({ data, url, mediaType: type ?? inline?.type, filename }, kind);
  return media && { ...media, ...detailsIn(members) };
}

/** Returns media of one kind in the format of the interface's forms; undefined for none. */
export function itemsOf(
  media: readonly Media[],
  kind: Media["kind"],
): readonly Readonly<Record<string, unknown>>[] | undefined {
  const items = media.filter((one) => one.kind === kind).map((one) => toMediaItem(one));
  return items.length > 0 ? items : undefined;
}

/** Base64, or a piece of it. */
function bytesIn(value: unknown): string | undefined {
  return typeof value === "string" && /^[A-Za-z0-9+/]+={0,2}$/.test(value) ? value : undefined;
}

function addressIn(value: unknown): string | undefined {
  return typeof value === "string" && /^https?:\/\//i.test(value) && URL.canParse(value) ? value : undefined;
}

function nameIn(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  return value.replaceAll("\0", "").toWellFormed().slice(0, maxNameLength);
}
