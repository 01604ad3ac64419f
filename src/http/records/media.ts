/** Media as run records show them. */
import type { Media } from "../../model/message.ts";

/** Media by kind, under the names that records use. */
export interface MediaLists {
  readonly images: readonly Record<string, unknown>[];
  readonly videos: readonly Record<string, unknown>[];
  readonly audio: readonly Record<string, unknown>[];
  readonly files: readonly Record<string, unknown>[];
}

/** Media by kind, under the names that inputs of runs use. */
export type InputLists = Omit<MediaLists, "audio"> & { readonly audios: MediaLists["audio"] };

/** With `content`, the bytes too: text of text files, base64 of the others. Listings leave it out. */
export function toMediaLists(media: readonly Media[] = [], withContent: boolean): MediaLists {
  const of = (kind: Media["kind"]): Record<string, unknown>[] =>
    media.filter((one) => one.kind === kind).map((one) => toItem(one, withContent));
  return { images: of("image"), videos: of("video"), audio: of("audio"), files: of("file") };
}

/** As the input of a run names them. */
export function toInputLists(media: readonly Media[] | undefined, withContent: boolean): InputLists {
  const { audio, ...others } = toMediaLists(media, withContent);
  return { ...others, audios: audio };
}

/** The lists that are not empty. */
export function presentLists(lists: MediaLists | InputLists): Record<string, unknown> {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}

function toItem({ kind, mediaType, filename, url, data }: Media, withContent: boolean): Record<string, unknown> {
  const isText = kind === "file" && mediaType.startsWith("text/");
  return {
    ...(url ? { url } : {}),
    ...(data && withContent ? { content: isText ? Buffer.from(data, "base64").toString("utf8") : data } : {}),
    mime_type: mediaType,
    ...(filename ? { filename } : {}),
  };
}
