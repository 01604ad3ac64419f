/** Media in the form of run records. */
import { toMediaItem } from "../../model/run/media-item.ts";
import type { Media } from "../../model/run/message.ts";

/** Media by kind, under the names of run records. */
export interface MediaLists {
  readonly images: readonly Record<string, unknown>[];
  readonly videos: readonly Record<string, unknown>[];
  readonly audio: readonly Record<string, unknown>[];
  readonly files: readonly Record<string, unknown>[];
}

/** Media by kind, under the names of run inputs. */
export type InputLists = Omit<MediaLists, "audio"> & { readonly audios: MediaLists["audio"] };

/** `withContent` includes the bytes. Listings omit them. */
export function toMediaLists(media: readonly Media[] = [], withContent: boolean): MediaLists {
  const of = (kind: Media["kind"]): Record<string, unknown>[] =>
    media.filter((one) => one.kind === kind).map((one) => toMediaItem(one, withContent));
  return { images: of("image"), videos: of("video"), audio: of("audio"), files: of("file") };
}

/** The media of a run's input. */
export function toInputLists(media: readonly Media[] | undefined, withContent: boolean): InputLists {
  const { audio, ...others } = toMediaLists(media, withContent);
  return { ...others, audios: audio };
}

/** The lists that are not empty. */
export function presentLists(lists: MediaLists | InputLists): Record<string, unknown> {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}
