/** Pictures, sound, video and documents as other servers have them. Nothing of what they send is trusted to have its form. */
import { dataIn, detailsIn, inAddress, toMediaItem } from "../../model/media-item.ts";
import { type Media, mediaKind, unsaidType } from "../../model/message.ts";

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
  const data = bytesIn(given.data);
  const url = addressIn(given.url);
  if (data === undefined && url === undefined) return undefined;
  const mediaType = nameIn(given.mediaType)?.toLowerCase() ?? unsaidType(kind ?? "file");
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
  const members = item as Readonly<Record<string, unknown>>;
  const { content, url, mime_type, filename } = members;
  const type = nameIn(mime_type);
  const inline = typeof url === "string" ? inAddress(url) : undefined;
  const data = typeof content === "string" ? dataIn(content, kind, type?.toLowerCase()) : inline?.data;
  const media = toMedia({ data, url, mediaType: type ?? inline?.type, filename }, kind);
  return media && { ...media, ...detailsIn(members) };
}

/** Media of a kind as the forms of the interface take them; undefined for none. */
export function itemsOf(
  media: readonly Media[],
  kind: Media["kind"],
): readonly Readonly<Record<string, unknown>>[] | undefined {
  const items = media.filter((one) => one.kind === kind).map((one) => toMediaItem(one));
  return items.length > 0 ? items : undefined;
}

/** Base64, or a piece of some. */
function bytesIn(value: unknown): string | undefined {
  return typeof value === "string" && /^[A-Za-z0-9+/]+={0,2}$/.test(value) ? value : undefined;
}

function addressIn(value: unknown): string | undefined {
  return typeof value === "string" && /^https?:\/\//i.test(value) && URL.canParse(value) ? value : undefined;
}

function nameIn(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  return value.replaceAll("\0", "").toWellFormed().slice(0, longestName);
}
