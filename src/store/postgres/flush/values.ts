/** Values of the statements of a flush on Postgres. */

import type { FlushChanges } from "../../flush/facts.ts";
import { briefOfMessage } from "../../rows/brief.ts";

export function messageRow({ runKey, position, id, createdAt, body, brief }: FlushChanges["messages"][number]): object {
  const short = brief === undefined ? briefOfMessage(body) : brief;
  return { run_key: runKey, position, id, created_at: createdAt, brief: short, body };
}

export function segmentValues(segments: FlushChanges["segments"]): unknown[] {
  const starts: number[] = [];
  let start = 1;
  for (const { frames } of segments) {
    starts.push(start);
    start += frames.length;
  }
  return [
    toIntegerArray(segments, (segment) => segment.key),
    toIntegerArray(segments, (segment) => segment.attempt),
    toIntegerArray(segments, (segment) => segment.firstIndex),
    toIntegerArray(segments, (segment) => segment.lastIndex),
    `{${starts}}`,
    toIntegerArray(segments, (segment) => segment.frames.length),
    segments.length === 1 ? segments[0]?.frames : Buffer.concat(segments.map((segment) => segment.frames)),
  ];
}

/** An array of integers in Postgres syntax. Built here because pg looks for quotes in every element. */
export function toIntegerArray<T>(items: readonly T[], numberOf: (item: T) => number): string {
  return `{${items.map(numberOf)}}`;
}

/** Keys that a statement returns as one space-separated text; null for none. */
export function parseKeys(text: string | null | undefined): readonly number[] {
  return text?.split(" ").map(Number) ?? [];
}

/** Unique name of a session: its id is unique within its owner's namespace. */
export function sessionName({ owner, sessionId }: { readonly owner: string; readonly sessionId: string }): string {
  return JSON.stringify([owner, sessionId]);
}
