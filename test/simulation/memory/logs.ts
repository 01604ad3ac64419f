/** Logs and heads in memory: reads, cancels, pauses, compaction and expiry. */
import { isTerminal } from "../../../src/model/run/run.ts";
import {
  type NumberedMessage,
  type SteeringMessage,
  steeringName,
  steeringNumber,
} from "../../../src/model/run/steering.ts";
import type { ApprovalAnswer } from "../../../src/store/contract/approvals.ts";
import type { OverduePause } from "../../../src/store/contract/runs.ts";
import type { SteeringOutcome } from "../../../src/store/contract/steering.ts";
import type { Mark, RunHead, Segment } from "../../../src/store/contract/store.ts";
import { rechunk } from "../../../src/store/queries/logs/rechunk.ts";
import { resolvedRow } from "../../../src/store/rows/approvals.ts";
import type { MemoryDatabase } from "./database.ts";
import { insertMark } from "./flush.ts";

/** Maximum rows of one read, as on the real databases. */
const maxRows = 1_024;

export function readHead(database: MemoryDatabase, key: number): RunHead | undefined {
  const head = database.heads.get(key);
  if (!head) return undefined;
  const { status, attempt, firstKept, cancelRequested } = head;
  return { status, attempt, firstKept, cancelRequested, nextIndex: database.nextIndex(head) };
}

export function readSegments(
  database: MemoryDatabase,
  key: number,
  cursor: number,
  maxBytes: number,
): readonly Segment[] {
  const found: Segment[] = [];
  let bytes = 0;
  for (const { firstIndex, lastIndex, frames } of database.segments.get(key) ?? []) {
    if (lastIndex <= cursor) continue;
    if ((found.length > 0 && bytes >= maxBytes) || found.length >= maxRows) break;
    found.push({ firstIndex, lastIndex, frames });
    bytes += frames.length;
  }
  return found;
}

export function requestCancel(database: MemoryDatabase, key: number): RunHead | undefined {
  database.lock([key]);
  const head = database.heads.get(key);
  if (head && !isTerminal(head.status)) {
    head.cancelRequested = true;
    database.watcher?.cancelRequested(key);
  }
  return readHead(database, key);
}

export function watch(database: MemoryDatabase, key: number): void {
  database.lock([key]);
  const head = database.heads.get(key);
  if (head) head.watched = true;
}

export function release(database: MemoryDatabase, key: number, attempt: number): boolean {
  database.lock([key]);
  const head = database.heads.get(key);
  if (!head || head.attempt !== attempt || head.status !== "RUNNING" || head.sessionSeq === null) return false;
  head.status = "PENDING";
  head.owner = null;
  database.watcher?.released(key);
  return true;
}

export function continueRun(
  database: MemoryDatabase,
  key: number,
  attempt: number,
  marks: readonly Mark[],
  approvals: readonly ApprovalAnswer[] = [],
): boolean {
  const head = database.heads.get(key);
  if (head?.attempt !== attempt || head.status !== "PAUSED" || head.cancelRequested) return false;
  const rows = approvals.map((answer) => ({ answer, row: database.approvals.get(answer.id) }));
  if (rows.some(({ row }) => row?.run_key !== key || row.status !== "pending")) return false;
  for (const { answer, row } of rows) if (row) Object.assign(row, resolvedRow(answer.id, answer));
  head.status = "PENDING";
  head.owner = null;
  for (const mark of marks) insertMark(database, mark);
  database.watcher?.released(key);
  return true;
}

export function untilOverdue(database: MemoryDatabase): number | null {
  const times = [...database.answerDeadlines.values()].map(({ due_at }) => due_at);
  return times.length === 0 ? null : Math.max(0, Math.min(...times) - database.now());
}

export function overduePauses(database: MemoryDatabase, max: number): readonly OverduePause[] {
  const due = [...database.answerDeadlines.values()].filter(({ due_at }) => due_at <= database.now());
  const open: OverduePause[] = [];
  for (const { run_key: key, attempt, due_at: dueAt } of due.sort((a, b) => a.due_at - b.due_at).slice(0, max)) {
    const head = database.heads.get(key);
    const run = database.runs.get(key);
    const isOpen = head?.status === "PAUSED" && head.attempt === attempt && !head.cancelRequested;
    if (isOpen && run) open.push({ key, attempt, runId: run.run_id, output: run.output, dueAt });
    else database.answerDeadlines.delete(key);
  }
  return open;
}

export function uncompacted(database: MemoryDatabase, limit: number, after: number): readonly number[] {
  const due = [...database.heads.values()].filter(
    (head) => head.key > after && isDue(database, head.key) && head.sessionSeq !== null,
  );
  return due
    .map(({ key }) => key)
    .sort((a, b) => a - b)
    .slice(0, limit);
}

/** Whether a log can be compacted: its run has ended and the log is not compacted yet. */
export function isDue(database: MemoryDatabase, key: number): boolean {
  const head = database.heads.get(key);
  return head !== undefined && isTerminal(head.status) && !head.compacted;
}

/** Executes one transaction of a compaction. Returns false if the rows changed since they were read. */
export function replaceRows(database: MemoryDatabase, key: number, old: readonly Segment[], rowBytes: number): boolean {
  const stored = database.segments.get(key) ?? [];
  if (!isDue(database, key)) return false;
  const from = old[0]?.firstIndex ?? 0;
  const to = old.at(-1)?.lastIndex ?? 0;
  const there = stored.filter(({ lastIndex }) => lastIndex >= from && lastIndex <= to);
  if (there.length !== old.length || there.some((row, place) => row.lastIndex !== old[place]?.lastIndex)) return false;
  const attempt = there.at(-1)?.attempt ?? 0;
  const rows = rechunk(old, rowBytes).map((row) => ({ ...row, attempt }));
  const kept = stored.filter((row) => !there.includes(row));
  database.segments.set(
    key,
    [...kept, ...rows].sort((a, b) => a.lastIndex - b.lastIndex),
  );
  return true;
}

export function markCompacted(database: MemoryDatabase, key: number): void {
  const head = database.heads.get(key);
  if (head && isTerminal(head.status)) head.compacted = true;
}

export function expireEvents(database: MemoryDatabase, key: number, firstKept: number): void {
  const head = database.heads.get(key);
  const stored = database.segments.get(key) ?? [];
  const last = stored.at(-1);
  if (!head || !isTerminal(head.status) || !last) return;
  const kept = stored.filter(({ lastIndex }) => lastIndex >= firstKept);
  database.segments.set(key, kept);
  head.firstKept = kept[0]?.firstIndex ?? last.lastIndex + 1;
  database.watcher?.expired(key, head.firstKept);
}

/** Puts a message into a run that is not over. */
export function steer(database: MemoryDatabase, key: number, message: SteeringMessage, at: number): SteeringOutcome {
  const head = database.heads.get(key);
  if (!head || head.sessionSeq === null) return { kind: "gone" };
  const { status } = head;
  const known = steeringMessages(database, key, 0).find((earlier) => message.key && earlier.key === message.key);
  if (known) return { kind: "accepted", message: known, status, isRepeated: true };
  if (isTerminal(status) || head.cancelRequested) return { kind: "over", status };
  head.steered += 1;
  const name = steeringName(head.steered, message.key);
  insertMark(database, { runKey: key, name, createdAt: at, body: JSON.stringify(message) });
  return { kind: "accepted", message: { ...message, number: head.steered }, status, isRepeated: false };
}

export function steeringMessages(database: MemoryDatabase, key: number, after: number): readonly NumberedMessage[] {
  return [...(database.marks.get(key)?.values() ?? [])]
    .flatMap(({ name, body }) => {
      const number = steeringNumber(name);
      return number !== undefined && number > after ? [{ ...(JSON.parse(body) as SteeringMessage), number }] : [];
    })
    .sort((a, b) => a.number - b.number);
}
