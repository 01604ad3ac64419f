/** The changes of a flush, as statements. */

import type { CountedUsage, RunCreation } from "../../contract/store.ts";
import { countedUsage } from "../../flush/decide.ts";
import type { FlushChanges, SessionChange } from "../../flush/facts.ts";
import * as statements from "./changes-statements.ts";
import type { OptimisticFacts } from "./optimistic-facts.ts";
import type { BoundStatement, NamedStatement } from "./query.ts";
import { messageRow, segmentValues, toIntegerArray } from "./values.ts";

/** The optimistic facts that the statements write, or check while writing. */
type AssumedSessions = Pick<OptimisticFacts, "newSessions" | "sessions">;

const nothingAssumed: AssumedSessions = { newSessions: new Map(), sessions: new Map() };

/** Returns statements in dependency order: members before the ends of their root runs, runs that end before the runs whose turn comes. */
export function statementsOf(
  changes: FlushChanges,
  assumed: AssumedSessions = nothingAssumed,
): readonly BoundStatement[] {
  const queries: BoundStatement[] = [];
  const put = (statement: NamedStatement, rows: readonly object[]): void => {
    if (rows.length > 0) queries.push({ ...statement, values: [JSON.stringify(rows)] });
  };
  const { runs, marks, members, promotions, progress, approvalEnds, pushTargets, replacements } = changes;
  put(
    statements.insertMembers,
    runs.filter((run) => run.parent_key !== null),
  );
  put(
    statements.insertMarks,
    marks.map(({ runKey, name, createdAt, body }) => ({ run_key: runKey, name, created_at: createdAt, body })),
  );
  put(statements.insertPushTargets, pushTargets);
  put(
    statements.endMembers,
    members.map(({ key, rootKey, status, output }) => ({ key, root_key: rootKey, status, output })),
  );
  queries.push({ ...statements.writeTurns, values: turnValues(changes, assumed) });
  if (promotions.size > 0) queries.push({ ...statements.promote, values: [[...promotions]] });
  put(statements.insertApprovals, changes.approvals);
  put(statements.putAnswerDeadlines, changes.answerDeadlines);
  put(
    statements.endApprovals,
    approvalEnds.map(({ key, status, at }) => ({ run_key: key, status, at })),
  );
  put(
    statements.reopenFires,
    approvalEnds.map(({ key }) => ({ run_key: key })),
  );
  put(
    statements.replaceRuns,
    replacements.map(({ key, runId }) => ({ key, run_id: runId })),
  );
  if (progress.length > 0) queries.push({ ...statements.resetTakeovers, values: [progress] });
  put(
    statements.addUsage,
    countedUsage(changes).map(({ modelRequests, toolCalls, ...amount }) => ({
      ...amount,
      model_requests: modelRequests,
      tool_calls: toolCalls,
    })),
  );
  return queries;
}

/** Totals of shared counters in the rows that the statements returned. */
export function totalsIn(queries: readonly BoundStatement[], rows: readonly unknown[][]): readonly CountedUsage[] {
  const place = queries.findIndex(({ name }) => name === statements.addUsage.name);
  return place < 0 ? [] : (rows[place] as CountedUsage[]);
}

function turnValues(changes: FlushChanges, { newSessions, sessions: quiet }: AssumedSessions): unknown[] {
  const { runs, segments, messages, heads, memberCancellations, sessions, duePushTargets } = changes;
  const rows: readonly (readonly object[])[] = [
    messages.map(messageRow),
    [...newSessions].flatMap(([key, run]) => newSessionRows(run, sessions.get(key))),
    runs.filter((run) => run.parent_key === null),
    heads,
    memberCancellations.map(({ rootKey, status, at }) => ({ root_key: rootKey, status, at })),
    [...sessions.values()].filter(({ key }) => !newSessions.has(key)).map(sessionRow),
  ];
  const keys = [duePushTargets, [...quiet.keys()]].map((all) => toIntegerArray(all, (key) => key));
  return [...segmentValues(segments), ...rows.map((each) => JSON.stringify(each)), ...keys];
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
