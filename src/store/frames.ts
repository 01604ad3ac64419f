/** Cuts stored logs anew, at the ends of frames. */

/** Whole frames, with the indices of the first and the last. */
export interface FrameRange {
  readonly firstIndex: number;
  readonly lastIndex: number;
  readonly frames: Buffer;
}

const frameEnd = "\n\n";

/**
 * The same frames in pieces of at most `rowBytes` (one frame may be larger, alone). Pieces follow each other without a gap, and so must what
 * is given. A piece whose frames cannot be told apart stays whole.
 */
export function recut(ranges: readonly FrameRange[], rowBytes: number): FrameRange[] {
  const pieces: FrameRange[] = [];
  let parts: Buffer[] = [];
  let bytes = 0;
  let firstIndex = ranges[0]?.firstIndex ?? 0;
  let next = firstIndex;

  const close = (): void => {
    if (parts.length === 0) return;
    pieces.push({ firstIndex, lastIndex: next - 1, frames: Buffer.concat(parts, bytes) });
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
    const cuts = isSmall ? [] : endsOf(range.frames);
    if (isSmall || cuts.length !== events) {
      add(range.frames, events);
      continue;
    }
    let start = 0;
    for (const end of cuts) {
      add(range.frames.subarray(start, end), 1);
      start = end;
    }
  }
  close();
  return pieces;
}

/** Where the frames of a buffer end; none if the buffer does not end with a frame. */
function endsOf(frames: Buffer): number[] {
  const ends: number[] = [];
  for (let at = frames.indexOf(frameEnd); at !== -1; at = frames.indexOf(frameEnd, at + 2)) ends.push(at + 2);
  return ends.at(-1) === frames.length ? ends : [];
}
