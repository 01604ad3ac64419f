/** Converts parts of messages to a run's input, and a run's output to parts. */
import { fromItem } from "../../../http/input/media.ts";
import { base64In } from "../../../model/run/media-item.ts";
import { fileName, type Media, mediaKind, specifiedMediaType } from "../../../model/run/message.ts";
import type { FirstPart } from "../../../model/run/record.ts";
import type { Part } from "../protocol.ts";

/** The input of a run. */
export interface Input {
  readonly message: string;
  readonly media: readonly Media[];
}

/** Joins texts and data (as JSON text) to the message, one per line, and collects the files. The parts must have been validated. */
export function toInput(parts: readonly Part[]): Input {
  const lines = parts.flatMap((part) => {
    if (part.kind === "text") return [part.text];
    return part.kind === "data" ? [JSON.stringify(part.data)] : [];
  });
  const media = parts.flatMap((part) => (part.kind === "file" ? [toMedia(part.file)] : []));
  return { message: lines.join("\n"), media };
}

/**
 * The parts that must be stored in addition to the input; undefined if the input alone reproduces them: one text first, then files without metadata.
 */
export function toKept(parts: readonly Part[]): readonly FirstPart[] | undefined {
  const isReproducible = parts.every(
    (part, place) =>
      !part.metadata && (part.kind === "file" || (part.kind === "text" && place === 0 && !hasDetails(part))),
  );
  if (isReproducible) return undefined;
  let files = 0;
  return parts.map((part) => {
    const more = part.metadata && { metadata: part.metadata };
    if (part.kind === "file") return { file: files++, ...more };
    const details = { ...detailsOf(part), ...more };
    return part.kind === "text" ? { text: part.text, ...details } : { data: part.data, ...details };
  });
}

type Details = Pick<FirstPart, "mediaType" | "filename">;

function detailsOf({ mediaType, filename }: Details): Details {
  return { ...(mediaType !== undefined && { mediaType }), ...(filename !== undefined && { filename }) };
}

function hasDetails({ mediaType, filename }: Details): boolean {
  return mediaType !== undefined || filename !== undefined;
}

/** The original parts of an input. */
export function fromInput({ message, media }: Input, kept: readonly FirstPart[] | undefined): readonly Part[] {
  if (!kept) {
    const text: readonly Part[] = message === "" && media.length > 0 ? [] : [{ kind: "text", text: message }];
    return [...text, ...media.map(toFilePart)];
  }
  return kept.flatMap(({ metadata, ...part }): readonly Part[] => {
    const more = { ...detailsOf(part), ...(metadata && { metadata }) };
    if ("text" in part) return [{ kind: "text", text: part.text, ...more }];
    if ("data" in part) return [{ kind: "data", data: part.data, ...more }];
    const file = media[part.file];
    return file ? [{ ...toFilePart(file), ...more }] : [];
  });
}

function toMedia({ bytes, uri, mimeType, name }: Extract<Part, { kind: "file" }>["file"]): Media {
  const type = mimeType?.toLowerCase();
  // A file of unknown type is treated as a document, so that nothing is dropped.
  const media = fromItem(mediaKind(type ?? ""), { url: uri, mime_type: type, filename: name });
  const data = bytes && base64In(bytes);
  return data ? { ...media, data } : media;
}

/** Whether a client accepts parts of a type. A client that lists no types accepts all. */
function accepts(accepted: readonly string[] | undefined, type: string): boolean {
  if (!accepted || accepted.length === 0) return true;
  const [family] = type.split("/", 1);
  return accepted.some((mode) => ["*", "*/*", type, `${family}/*`, family].includes(mode));
}

/** An answer as parts: a text as text, and an object as data. Other values, and objects for clients that do not accept JSON, become JSON text. */
export function toParts(content: unknown, accepted?: readonly string[]): readonly Part[] {
  if (content === undefined || content === null || content === "") return [];
  if (typeof content === "string") return [{ kind: "text", text: content }];
  const isObject = typeof content === "object" && !Array.isArray(content);
  if (isObject && accepts(accepted, "application/json")) return [{ kind: "data", data: content }];
  return [{ kind: "text", text: JSON.stringify(content) }];
}

/** An input or output file of a run as a part. */
export function toFilePart(media: Media): Part {
  const { data, url } = media;
  const type = specifiedMediaType(media);
  const name = fileName(media);
  return {
    kind: "file",
    file: {
      ...(data === undefined ? { uri: url ?? "" } : { bytes: data }),
      ...(type ? { mimeType: type } : {}),
      ...(name ? { name } : {}),
    },
  };
}
