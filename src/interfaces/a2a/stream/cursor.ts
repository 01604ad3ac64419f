/** Cursors of A2A streams: `<event_index>.<k>`, k being the number of the frame among those of one event. */

/** A frame's place. */
export interface Cursor {
  readonly index: number;
  readonly frame: number;
}

/** Before everything. */
export const beginning: Cursor = { index: -1, frame: 0 };

/** After every frame of an event. */
export function afterEvent(index: number): Cursor {
  return { index, frame: Number.MAX_SAFE_INTEGER };
}

/** The cursor in a text; an index alone stands for all frames of its event. Undefined for what is none. */
export function parseCursor(text: string): Cursor | undefined {
  const [, index, frame] = /^(-?\d{1,15})(?:\.(\d{1,15}))?$/.exec(text.trim()) ?? [];
  if (index === undefined || Number(index) < -1) return undefined;
  return frame === undefined ? afterEvent(Number(index)) : { index: Number(index), frame: Number(frame) };
}

/** Whether a reader with the cursor has the frame already. */
export function isPast(cursor: Cursor, index: number, frame: number): boolean {
  return index < cursor.index || (index === cursor.index && frame <= cursor.frame);
}
