/** Reads a run's stored log from its beginning, once and completely. Readers that wait for new events use `follow` instead. */
import type { Store } from "../store/contract/store.ts";

/** Bytes read at a time. */
const readBytes = 256 * 1024;

/** All frames before the index `until`, many in one buffer. */
export async function* storedFrames(
  store: Pick<Store, "segments">,
  key: number,
  until: number,
): AsyncGenerator<Buffer, void> {
  for (let cursor = -1; cursor + 1 < until; ) {
    const segments = await store.segments(key, cursor, readBytes);
    const last = segments.at(-1);
    if (!last) return;
    for (const { frames } of segments) yield frames;
    cursor = last.lastIndex;
  }
}
