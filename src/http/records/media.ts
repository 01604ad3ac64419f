/** Media as run records show them. */
import { toMediaItem } from "../../model/media-item.ts";
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

/** With `content`, the bytes too. Listings leave it out. */
export function toMediaLists(media: readonly Media[] = [], withContent: boolean): MediaLists {
  const of = (kind: Media["kind"]): Record<string, unknown>[] =>
    media.filter((one) => one.kind === kind).map((one) => toMediaItem(one, withContent));
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
