/** Parts of messages as a run's input, and what a run came to as parts. */
import { fromItem } from "../../http/media.ts";
import type { Media } from "../../model/message.ts";
import type { Part } from "../protocol.ts";

/** What a run is given. */
export interface Input {
  readonly message: string;
  readonly media: readonly Media[];
}

/** Texts and data (as JSON text) make the message, one a line; files go along. The parts are checked already. */
export function toInput(parts: readonly Part[]): Input {
  const lines = parts.flatMap((part) => {
    if (part.kind === "text") return [part.text];
    return part.kind === "data" ? [JSON.stringify(part.data)] : [];
  });
  const media = parts.flatMap((part) => (part.kind === "file" ? [toMedia(part.file)] : []));
  return { message: lines.join("\n"), media };
}

function toMedia({ bytes, uri, mimeType, name }: Extract<Part, { kind: "file" }>["file"]): Media {
  const type = mimeType?.toLowerCase();
  const item = { content: bytes, url: uri, mime_type: type, filename: name };
  return fromItem(kindOf(type), item);
}

/** A file of no known type is a document: nothing is dropped. */
function kindOf(mimeType: string | undefined): Media["kind"] {
  const family = mimeType?.split("/", 1)[0];
  return family === "image" || family === "audio" || family === "video" ? family : "file";
}

/** Whether a client takes parts of a type. One that names no types takes all. */
function accepts(accepted: readonly string[] | undefined, type: string): boolean {
  if (!accepted || accepted.length === 0) return true;
  const [family] = type.split("/", 1);
  return accepted.some((mode) => ["*", "*/*", type, `${family}/*`, family].includes(mode));
}

/** An answer as parts: text as text, an object as data, or as JSON text for a client that takes texts only, as what is no object is. */
export function toParts(content: unknown, accepted?: readonly string[]): readonly Part[] {
  if (content === undefined || content === null || content === "") return [];
  if (typeof content === "string") return [{ kind: "text", text: content }];
  const isObject = typeof content === "object" && !Array.isArray(content);
  if (isObject && accepts(accepted, "application/json")) return [{ kind: "data", data: content }];
  return [{ kind: "text", text: JSON.stringify(content) }];
}

/** A file that a run was given or has made. */
export function toFilePart({ mediaType, filename, data, url }: Media): Part {
  return {
    kind: "file",
    file: {
      ...(data === undefined ? { uri: url ?? "" } : { bytes: data }),
      mimeType: mediaType,
      ...(filename ? { name: filename } : {}),
    },
  };
}
