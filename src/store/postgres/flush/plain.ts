/** The group commit on Postgres when no facts are needed: one statement, one transaction, one round trip. */
import type { ClientBase } from "pg";
import type { MessageWrite, Outcome, Write } from "../../contract/store.ts";
import { isDuplicateSegment } from "../../database-errors.ts";
import { changesReportedStatus, locksSession } from "../../flush/decide.ts";
import type { FlushChanges } from "../../flush/facts.ts";
import * as statements from "./plain-statements.ts";
import type { BoundStatement } from "./query.ts";
import { messageRow, parseKeys, segmentValues } from "./values.ts";

/** A flush in which runs only start, continue and write messages: only their fences can stop it. */
export interface PlainFlush {
  readonly segments: FlushChanges["segments"];
  /** Each with the root run whose fence applies. */
  readonly messages: { readonly root: number; readonly message: MessageWrite }[];
  /** Keys of the runs that begin. */
  readonly started: number[];
}

/** Returns the flush if it is plain; otherwise undefined. */
export function plainFlush(writes: readonly Write[]): PlainFlush | undefined {
  const plain: PlainFlush = { segments: [], messages: [], started: [] };
  const keys = new Set<number>();
  for (const write of writes) {
    if (write.kind !== "run" || write.segment === null || locksSession(write) || keys.has(write.key)) return undefined;
    if (write.members?.length || write.memberEnds?.length || write.marks?.length || write.usage?.length)
      return undefined;
    const { key, attempt } = write;
    keys.add(key);
    plain.segments.push({ key, attempt, ...write.segment });
    for (const message of write.messages ?? []) plain.messages.push({ root: key, message });
    if (changesReportedStatus(write)) plain.started.push(key);
  }
  return plain;
}

/** Writes the segments that pass their fence. Returns undefined unless all of them pass, or if a segment already exists. */
export async function flushPlain(client: ClientBase, plain: PlainFlush): Promise<readonly Outcome[] | undefined> {
  try {
    const { rows } = await client.query(statementOf(plain));
    const [row] = rows as { written: number; watched: string | null }[];
    if (row?.written !== plain.segments.length) return undefined;
    const watched = parseKeys(row.watched);
    return plain.segments.map(({ key }) => ({ kind: "committed", waiting: false, watched: watched.includes(key) }));
  } catch (error) {
    if (isDuplicateSegment(error)) return undefined;
    throw error;
  }
}

function statementOf({ segments, messages, started }: PlainFlush): BoundStatement {
  const values = segmentValues(segments);
  if (messages.length === 0 && started.length === 0) return { ...statements.appendSegments, values };
  const messageRows = messages.map(({ root, message }) => ({ root_key: root, ...messageRow(message) }));
  return { ...statements.appendWithMessages, values: [...values, JSON.stringify(messageRows), started] };
}
