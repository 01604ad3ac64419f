/** Files in another server's A2A messages, in either version. Their format is not trusted. */
import type { Media } from "../../../model/run/message.ts";
import { parseMedia } from "../media.ts";
import { type Fields, fieldsOf } from "./fields.ts";

/** A file, or a piece of one. */
export interface FilePiece {
  readonly media: Media;
  /** Whether it continues the preceding piece: servers that send files in pieces number them (`metadata.chunk`). */
  readonly isContinuation: boolean;
}

/** Returns the files in the parts. */
export function filesIn(parts: readonly Fields[]): readonly FilePiece[] {
  return parts.flatMap((part) => {
    const media = mediaOf(part);
    const { chunk } = fieldsOf(part.metadata);
    return media ? [{ media, isContinuation: typeof chunk === "number" && chunk > 1 }] : [];
  });
}

/** Joins pieces to whole files. */
export function wholeFiles(pieces: readonly FilePiece[]): readonly Media[] {
  const files: Media[] = [];
  for (const { media, isContinuation } of pieces) {
    const { data } = media;
    const last = files.at(-1);
    if (isContinuation && last?.data !== undefined && data !== undefined)
      files[files.length - 1] = { ...last, data: last.data + data };
    else files.push(media);
  }
  return files;
}

/** In 1.0 the part itself has the bytes or the address, in 0.3 its `file` has them. */
function mediaOf(part: Fields): Media | undefined {
  const file = fieldsOf(part.file);
  return parseMedia({
    data: part.raw ?? file.bytes,
    url: part.url ?? file.uri,
    mediaType: part.mediaType ?? file.mimeType,
    filename: part.filename ?? file.name,
  });
}
