/** Files in what another server sends by A2A, in either version. Nothing of them is trusted to have its form. */
import type { Media } from "../../../model/message.ts";
import { toMedia } from "../media.ts";
import { type Fields, fieldsOf } from "./fields.ts";

/** A file, or a piece of one. */
export interface FilePiece {
  readonly media: Media;
  /** Whether it is the next piece of the file before it: servers that send files in pieces number them (`metadata.chunk`). */
  readonly goesOn: boolean;
}

/** The files among parts. */
export function filesIn(parts: readonly Fields[]): readonly FilePiece[] {
  return parts.flatMap((part) => {
    const media = mediaOf(part);
    const { chunk } = fieldsOf(part.metadata);
    return media ? [{ media, goesOn: typeof chunk === "number" && chunk > 1 }] : [];
  });
}

/** Pieces put together. */
export function wholeFiles(pieces: readonly FilePiece[]): readonly Media[] {
  const files: Media[] = [];
  for (const { media, goesOn } of pieces) {
    const { data } = media;
    const last = files.at(-1);
    if (goesOn && last?.data !== undefined && data !== undefined)
      files[files.length - 1] = { ...last, data: last.data + data };
    else files.push(media);
  }
  return files;
}

/** In 1.0 a part has the bytes or the address itself, in 0.3 its `file` has them. */
function mediaOf(part: Fields): Media | undefined {
  const file = fieldsOf(part.file);
  return toMedia({
    data: part.raw ?? file.bytes,
    url: part.url ?? file.uri,
    mediaType: part.mediaType ?? file.mimeType,
    filename: part.filename ?? file.name,
  });
}
