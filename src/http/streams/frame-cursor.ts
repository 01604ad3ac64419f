/** Cursors of translated streams: `<event_index>.<k>`, where k is the frame's number within the event. */

/** The position of a frame. */
export interface Cursor {
  readonly index: number;
  readonly frame: number;
}

/** Before the first frame. */
export const beginning: Cursor = { index: -1, frame: 0 };

/** After every frame of an event. */
export function afterEvent(index: number): Cursor {
  return { index, frame: Number.MAX_SAFE_INTEGER };
}

/** Parses a cursor; an index alone means all frames of its event. Undefined for an invalid text. */
export function parseCursor(text: string): Cursor | undefined {
  const [, index, frame] = /^(-?\d{1,15})(?:\.(\d{1,15}))?$/.exec(text.trim()) ?? [];
  if (index === undefined || Number(index) < -1) return undefined;
  return frame === undefined ? afterEvent(Number(index)) : { index: Number(index), frame: Number(frame) };
}

/** Whether a reader at the cursor has received the frame. */
export function isPast(cursor: Cursor, index: number, frame: number): boolean {
  return index < cursor.index || (index === cursor.index && frame <= cursor.frame);
}
