/** Reads the contents of messages, in the forms of both APIs: texts become one text, everything else becomes media. */
import { z } from "zod";
import { listOf } from "../../../http/input/bounded-lists.ts";
import { documentItem, fromItem, type MediaItem, mediaItem } from "../../../http/input/media.ts";
import type { Media } from "../../../model/run/message.ts";
import { invalidAt } from "../errors.ts";

type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

/** A part of a message. Its members are read by `readContent`, because they depend on its type. */
const part = z.record(z.string(), z.unknown());

/** Content of a message: a text, or a list of parts. */
export const contentSchema: z.ZodType<string | readonly Fields[]> = z.union([z.string(), listOf(part)]);

/** Max media of one message. */
const maxMedia = 20;

/** Content as a run receives it. */
export interface Content {
  readonly text: string;
  readonly media: readonly Media[];
}

/** @throws TroupeError `validation` for a part that is not supported */
export function readContent(content: string | readonly Fields[] | null | undefined, path: Path): Content {
  if (content === null || content === undefined) return { text: "", media: [] };
  if (typeof content === "string") return { text: content, media: [] };
  const texts: string[] = [];
  const media: Media[] = [];
  for (const [place, given] of content.entries()) {
    const read = readPart(given, [...path, place]);
    if (typeof read === "string") texts.push(read);
    else media.push(read);
  }
  if (media.length > maxMedia) throw invalidAt(path, `A message has at most ${maxMedia} images and files.`);
  return { text: texts.join("\n"), media };
}

function readPart(given: Fields, path: Path): string | Media {
  switch (given.type) {
    case "text":
    case "input_text":
    case "output_text":
      return textIn(given.text, [...path, "text"]);
    case "refusal":
      return textIn(given.refusal, [...path, "refusal"]);
    case "image_url": {
      const { url, detail } = objectIn(given.image_url, [...path, "image_url"]);
      return readMedia("image", { url, detail }, [...path, "image_url"]);
    }
    case "input_image":
      refuseFileId(given, path);
      return readMedia("image", { url: given.image_url, detail: given.detail }, [...path, "image_url"]);
    case "input_audio": {
      const { data, format } = objectIn(given.input_audio, [...path, "input_audio"]);
      const type = format === "mp3" ? "audio/mpeg" : format === "wav" ? "audio/wav" : undefined;
      return readMedia("audio", { content: data, mime_type: type, format }, [...path, "input_audio"]);
    }
    case "file":
      return readFile(objectIn(given.file, [...path, "file"]), [...path, "file"]);
    case "input_file":
      return readFile(given, path);
    default:
      throw invalidAt([...path, "type"], "This type of content is not supported.");
  }
}

function readFile(given: Fields, path: Path): Media {
  refuseFileId(given, path);
  const { file_data: data, file_url: url, filename } = given;
  const isAddress = typeof data === "string" && data.startsWith("data:");
  const source = data === undefined || data === null ? { url } : isAddress ? { url: data } : { content: data };
  return readMedia("file", { ...source, filename }, path);
}

function refuseFileId({ file_id: id }: Fields, path: Path): void {
  if (id === undefined || id === null) return;
  throw invalidAt([...path, "file_id"], "This server stores no files: send the data or an address.");
}

function readMedia(kind: Media["kind"], item: Fields, path: Path): Media {
  const schema = kind === "file" ? documentItem : mediaItem;
  const read = schema.safeParse(item);
  if (read.success) return fromItem(kind, read.data as MediaItem);
  const [issue] = read.error.issues;
  throw invalidAt(path, issue?.message ?? "This content cannot be read.");
}

function textIn(value: unknown, path: Path): string {
  if (typeof value === "string") return value;
  throw invalidAt(path, "This must be a text.");
}

function objectIn(value: unknown, path: Path): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw invalidAt(path, "This must be an object.");
}
