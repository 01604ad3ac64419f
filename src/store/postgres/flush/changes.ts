/** The changes of a flush, as statements. */

import type { CountedUsage, RunCreation } from "../../contract/store.ts";
import type { Encryption } from "../../encryption/encryption.ts";
import { encodings, sealFrames } from "../../encryption/frames.ts";
import { countedUsage } from "../../flush/counted-usage.ts";
import type { FlushChanges, SessionChange } from "../../flush/facts.ts";
import type { OptimisticFacts } from "./optimistic-facts.ts";
import * as parts from "./parts.ts";
import type { BoundStatement, NamedStatement } from "./query.ts";
import * as statements from "./rare-statements.ts";
import { type BoundPart, bindParts } from "./statement.ts";
import { messageRow, segmentValues, toIntegerArray } from "./values.ts";

/** Returns the one statement that checks the assumptions and writes the changes; undefined if the changes need several statements. */
export function checkedStatement(
  changes: FlushChanges,
  assumed: OptimisticFacts,
  encryption?: Encryption,
): BoundStatement | undefined {
  if (before(changes).length + after(changes).length > 0) return undefined;
  const usage: readonly BoundPart[] =
    changes.usage.size > 0 ? [{ part: parts.usage, values: [JSON.stringify(usageRows(changes))] }] : [];
  return bindParts([...checksOf(assumed), ...writesOf(changes, assumed.newSessions, encryption), ...usage]);
}

/** Returns the statements of changes that were decided under their locks, in the order in which they run. */
export function statementsOf(changes: FlushChanges, encryption?: Encryption): readonly BoundStatement[] {
  const writes = writesOf(changes, new Map(), encryption);
  return [
    ...before(changes),
    ...(writes.length > 0 ? [bindParts(writes)] : []),
    ...after(changes),
    ...bind(statements.countUsage, usageRows(changes)),
  ];
}

/** Totals of shared counters in the rows that these statements returned. */
export function totalsIn(queries: readonly BoundStatement[], rows: readonly unknown[][]): readonly CountedUsage[] {
  const place = queries.findIndex(({ name }) => name === statements.countUsage.name);
  return place < 0 ? [] : (rows[place] as CountedUsage[]);
}

function usageRows(changes: FlushChanges): readonly object[] {
  return countedUsage(changes).map(({ modelRequests, toolCalls, ...amount }) => ({
    ...amount,
    model_requests: modelRequests,
    tool_calls: toolCalls,
  }));
}

function checksOf({ heads, sessions, reservations }: OptimisticFacts): readonly BoundPart[] {
  const checks: BoundPart[] = [];
  if (heads.size > 0) {
    const runs = [...heads];
    const keys = toIntegerArray(runs, ([key]) => key);
    const attempts = toIntegerArray(runs, ([, { attempt }]) => attempt);
    const steps = toIntegerArray(runs, ([, { isStep }]) => (isStep ? 1 : 0));
    checks.push({ part: parts.runningHeads, values: [keys, attempts, steps] });
  }
  if (sessions.size > 0) {
    const rows = [...sessions.values()].map(({ key, nextSeq, usage }) => ({ key, next_seq: nextSeq, usage }));
    checks.push({ part: parts.unchangedSessions, values: [JSON.stringify(rows)] });
  }
  if (reservations.length > 0) checks.push({ part: parts.reservations, values: [JSON.stringify(reservations)] });
  return checks;
}

/** Parts for the changes, in the order of `allParts`. */
function writesOf(
  changes: FlushChanges,
  newSessions: OptimisticFacts["newSessions"],
  encryption: Encryption | undefined,
): readonly BoundPart[] {
  const { segments, messages, marks, runs, members, heads, sessions, duePushTargets } = changes;
  const { memberCancellations, approvals, answerDeadlines, deliveries, jobs } = changes;
  const bound: BoundPart[] = [];
  const put = (part: parts.Part, ...rows: readonly (readonly object[])[]): void => {
    if (rows.some(({ length }) => length > 0)) bound.push({ part, values: rows.map((each) => JSON.stringify(each)) });
  };
  if (segments.length > 0) {
    const isSealed = encryption?.sealingId !== undefined;
    const part = isSealed ? parts.sealedSegments : parts.segments;
    bound.push({ part, values: segmentValues(isSealed ? sealSegments(segments, encryption) : segments) });
  }
  put(parts.messages, messages.map(messageRow));
  put(
    parts.marks,
    marks.map(({ runKey, name, createdAt, body }) => ({ run_key: runKey, name, created_at: createdAt, body })),
  );
  put(
    parts.creations,
    [...newSessions].flatMap(([key, run]) => newSessionRows(run, sessions.get(key))),
    runs.filter((run) => run.parent_key === null),
  );
  put(
    parts.members,
    runs.filter((run) => run.parent_key !== null),
  );
  put(
    parts.memberEnds,
    members.map(({ key, rootKey, status, output }) => ({ key, root_key: rootKey, status, output })),
  );
  if (heads.length + memberCancellations.length > 0) {
    const families = memberCancellations.map(({ rootKey, status, at }) => ({ root_key: rootKey, status, at }));
    const ended = toIntegerArray(members, ({ key }) => key);
    bound.push({ part: parts.heads, values: [JSON.stringify(heads), JSON.stringify(families), ended] });
  }
  put(parts.sessions, [...sessions.values()].filter(({ key }) => !newSessions.has(key)).map(sessionRow));
  if (duePushTargets.length > 0)
    bound.push({ part: parts.duePushTargets, values: [toIntegerArray(duePushTargets, (key) => key)] });
  put(parts.pauses, approvals, answerDeadlines);
  put(parts.deliveries, deliveries);
  put(parts.jobs, jobs);
  return bound;
}

function sealSegments(
  segments: FlushChanges["segments"],
  encryption: Encryption | undefined,
): FlushChanges["segments"] {
  return segments.map((segment) => {
    const { frames } = sealFrames(encryption, { ...segment, runKey: segment.key, encoding: encodings.plain });
    return { ...segment, frames };
  });
}

function bind(statement: NamedStatement, rows: readonly object[]): readonly BoundStatement[] {
  return rows.length === 0 ? [] : [{ ...statement, values: [JSON.stringify(rows)] }];
}

function before({ pushTargets }: FlushChanges): readonly BoundStatement[] {
  return bind(statements.insertPushTargets, pushTargets);
}

function after({
  promotions,
  approvalEnds,
  replacements,
  progress,
  summaries,
}: FlushChanges): readonly BoundStatement[] {
  return [
    ...bind(statements.putSummaries, summaries),
    ...(promotions.size > 0 ? [{ ...statements.promote, values: [[...promotions]] }] : []),
    ...bind(
      statements.endApprovals,
      approvalEnds.map(({ key, status, at }) => ({ run_key: key, status, at })),
    ),
    ...bind(
      statements.reopenFires,
      approvalEnds.map(({ key }) => ({ run_key: key })),
    ),
    ...bind(
      statements.replaceRuns,
      replacements.map(({ key, runId }) => ({ key, run_id: runId })),
    ),
    ...(progress.length > 0 ? [{ ...statements.resetTakeovers, values: [progress] }] : []),
  ];
}

/** The row of a created session, in its state after the flush; none if its first run already exists. */
function newSessionRows(run: RunCreation, change: SessionChange | undefined): readonly object[] {
  if (change === undefined) return [];
  const { key, nextSeq, state, title, usage, updatedAt } = change;
  const row = {
    ...{ key, owner: run.owner, session_id: run.sessionId, kind: run.kind, component_id: run.componentId },
    ...{ user_id: run.userId, state: state ?? run.sessionState, title, usage, next_seq: nextSeq },
    ...{ created_at: run.createdAt, updated_at: Math.max(run.createdAt, updatedAt) },
  };
  return [row];
}

function sessionRow({ key, nextSeq, state, title, usage, updatedAt }: SessionChange): object {
  return { key, next_seq: nextSeq, state, title, usage, at: updatedAt };
}
