/** Rechunks stored logs at frame boundaries. */
import { eachFrame } from "../../../model/frame.ts";

/** Whole frames, with the indexes of the first and last event. */
export interface FrameRange {
  readonly firstIndex: number;
  readonly lastIndex: number;
  readonly frames: Buffer;
}

/**
 * Returns the same frames in pieces of at most `rowBytes` (a larger frame is a piece of its own). Pieces are contiguous, and so must be the input
 * ranges. A range that cannot be split into its frames stays whole.
 */
export function rechunk(ranges: readonly FrameRange[], rowBytes: number): FrameRange[] {
  const chunks: FrameRange[] = [];
  let parts: Buffer[] = [];
  let bytes = 0;
  let firstIndex = ranges[0]?.firstIndex ?? 0;
  let next = firstIndex;

  const close = (): void => {
    if (parts.length === 0) return;
    chunks.push({ firstIndex, lastIndex: next - 1, frames: Buffer.concat(parts, bytes) });
    parts = [];
    bytes = 0;
    firstIndex = next;
  };
  const add = (frames: Buffer, events: number): void => {
    if (bytes + frames.length > rowBytes) close();
    parts.push(frames);
    bytes += frames.length;
    next += events;
  };

  for (const range of ranges) {
    const events = range.lastIndex - range.firstIndex + 1;
    const isSmall = bytes + range.frames.length <= rowBytes;
    const single = isSmall ? [] : framesOf(range.frames);
    if (single.length === events) for (const frame of single) add(frame, 1);
    else add(range.frames, events);
  }
  close();
  return chunks;
}

/** The frames of a buffer, one by one; none if the buffer does not end at a frame boundary. */
function framesOf(bytes: Buffer): readonly Buffer[] {
  const frames = [...eachFrame(bytes)];
  const length = frames.reduce((sum, frame) => sum + frame.length, 0);
  return length === bytes.length ? frames : [];
}
