/** Media as the interface writes them, in what is sent to it and in what it answers. */
import { isUtf8 } from "node:buffer";
import { type Media, type MediaDetails, mediaDetails, saidType } from "./message.ts";

/** Characters of a text that is told of a medium. */
export const longestDetail = 100_000;

/** A medium in a form that can be sent again: the bytes of a text document as its text, all others as base64. */
export function toMediaItem(media: Media, withContent = true): Record<string, unknown> {
  const { details, filename, url } = media;
  const type = saidType(media);
  return {
    ...details,
    ...(url ? { url } : {}),
    ...(withContent ? contentOf(media, type) : {}),
    ...(type ? { mime_type: type } : {}),
    ...(filename ? { filename } : {}),
  };
}

/** Bytes that are no text in spite of their type have an address that holds them: as content they would be read as a text. */
function contentOf({ kind, data }: Media, type: string | undefined): { content?: string; url?: string } {
  if (!data) return {};
  if (kind !== "file" || !type?.startsWith("text/")) return { content: data };
  const bytes = Buffer.from(String(data), "base64");
  if (isUtf8(bytes)) return { content: bytes.toString("utf8") };
  return { url: `data:application/octet-stream;base64,${data}` };
}

/**
 * The bytes of an item's content, as base64; undefined for what should be base64 and is not. Of text documents it is the text
 * itself, and so it is where nothing but a text makes sense of it.
 *
 * @param type as its sender said it, in lower case
 */
export function dataIn(content: string, kind: Media["kind"], type: string | undefined): string | undefined {
  if (kind === "file" && type?.startsWith("text/")) return toBase64(content);
  const data = base64In(content);
  const mayBeText = kind === "file" && (!type || isTextual(type)) && content !== "";
  // Whole groups of four are what makes base64 likely: a short word has the right letters, too.
  return mayBeText && (!data || content.replace(/\s+/g, "").length !== data.length) ? toBase64(content) : data;
}

/** Base64 of at least a byte, padded and without white space; undefined for what is none. */
export function base64In(text: string): string | undefined {
  const letters = /^([A-Za-z0-9+/]{2,})={0,2}$/.exec(text.replace(/\s+/g, ""))?.[1];
  if (!letters || letters.length % 4 === 1) return undefined;
  return letters.padEnd(Math.ceil(letters.length / 4) * 4, "=");
}

/** What a `data:` address holds (RFC 2397), its bytes as base64; undefined for other addresses, and for one that holds nothing. */
export function inAddress(address: string): { readonly type: string | undefined; readonly data: string } | undefined {
  const comma = address.indexOf(",");
  if (!/^data:/i.test(address) || comma === -1) return undefined;
  const [type, ...parameters] = address.slice("data:".length, comma).toLowerCase().split(";");
  const content = unescaped(address.slice(comma + 1));
  const isBase64 = parameters.at(-1)?.trim() === "base64";
  const data = isBase64 ? base64In(content) : toBase64(content);
  return data ? { type: type || undefined, data } : undefined;
}

/** What an item tells of a medium beside its bytes, its type and the name of its file. */
export function detailsIn(item: Readonly<Record<string, unknown>>): { readonly details?: MediaDetails } {
  const told = Object.entries(mediaDetails).flatMap(([name, type]) => {
    const value = item[name];
    const isTold =
      typeof value === type && value !== "" && !(typeof value === "string" && value.length > longestDetail);
    return isTold ? [[name, value]] : [];
  });
  return told.length > 0 ? { details: Object.fromEntries(told) } : {};
}

/** Whether it is the type of a text: such documents every model can read. */
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
