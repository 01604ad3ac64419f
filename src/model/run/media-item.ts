/** Media items in requests and responses of the HTTP interface. */
import { isUtf8 } from "node:buffer";
import { type Media, type MediaDetails, mediaDetails, specifiedMediaType } from "./message.ts";

/** Maximum length of a media detail, in characters. */
export const maxDetailLength = 100_000;

/** Returns a media item that can be sent again: text documents as text, the bytes of all other media as base64. */
export function toMediaItem(media: Media, withContent = true): Record<string, unknown> {
  const { details, filename, url } = media;
  const type = specifiedMediaType(media);
  return {
    ...details,
    ...(url ? { url } : {}),
    ...(withContent ? contentOf(media, type) : {}),
    ...(type ? { mime_type: type } : {}),
    ...(filename ? { filename } : {}),
  };
}

/** A text document with bytes that are not UTF-8 becomes a `data:` URL: as `content` it would be read as text. */
function contentOf({ kind, data }: Media, type: string | undefined): { content?: string; url?: string } {
  if (!data) return {};
  if (kind !== "file" || !type?.startsWith("text/")) return { content: data };
  const bytes = Buffer.from(String(data), "base64");
  if (isUtf8(bytes)) return { content: bytes.toString("utf8") };
  return { url: `data:application/octet-stream;base64,${data}` };
}

/**
 * Converts the content of an item to base64; returns undefined for content that should be base64 but is not. The content of a text document is its
 * text; so is content of a file with a textual or unknown type that is not valid base64.
 *
 * @param type the media type that the sender specified, in lower case
 */
export function dataIn(content: string, kind: Media["kind"], type: string | undefined): string | undefined {
  if (kind === "file" && type?.startsWith("text/")) return toBase64(content);
  const data = base64In(content);
  const mayBeText = kind === "file" && (!type || isTextual(type)) && content !== "";
  // A text must have whole groups of four characters to count as base64: short words consist of base64 characters, too.
  return mayBeText && (!data || content.replace(/\s+/g, "").length !== data.length) ? toBase64(content) : data;
}

/** Returns base64 of at least one byte with padding and without white space; undefined for any other text. */
export function base64In(text: string): string | undefined {
  const letters = /^([A-Za-z0-9+/]{2,})={0,2}$/.exec(text.replace(/\s+/g, ""))?.[1];
  if (!letters || letters.length % 4 === 1) return undefined;
  return letters.padEnd(Math.ceil(letters.length / 4) * 4, "=");
}

/** Decodes a `data:` URL (RFC 2397) to base64; undefined for other URLs, and for one without content. */
export function inAddress(address: string): { readonly type: string | undefined; readonly data: string } | undefined {
  const comma = address.indexOf(",");
  if (!/^data:/i.test(address) || comma === -1) return undefined;
  const [type, ...parameters] = address.slice("data:".length, comma).toLowerCase().split(";");
  const content = unescaped(address.slice(comma + 1));
  const isBase64 = parameters.at(-1)?.trim() === "base64";
  const data = isBase64 ? base64In(content) : toBase64(content);
  return data ? { type: type || undefined, data } : undefined;
}

/** Returns the details of an item: its members other than the bytes, the type and the file name. */
export function detailsIn(item: Readonly<Record<string, unknown>>): { readonly details?: MediaDetails } {
  const details = Object.entries(mediaDetails).flatMap(([name, type]) => {
    const value = item[name];
    const isKept =
      typeof value === type && value !== "" && !(typeof value === "string" && value.length > maxDetailLength);
    return isKept ? [[name, value]] : [];
  });
  return details.length > 0 ? { details: Object.fromEntries(details) } : {};
}

/** Whether the media type is a text type, which every model can read. */
export function isTextual(type: string): boolean {
  return /^text\/|[/+](json|xml|yaml|x-yaml|javascript|csv|markdown)$/.test(type.split(";")[0]?.trim() ?? "");
}

function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
