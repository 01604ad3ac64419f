/** Copies of sessions in memory. */
import { TroupeError } from "../../../src/errors.ts";
import { isTerminal } from "../../../src/model/run/run.ts";
import { resultPrefix } from "../../../src/model/run/run-marks.ts";
import type { SessionCopy } from "../../../src/store/contract/sessions.ts";
import { type MemoryDatabase, sessionName } from "./database.ts";

export function copySession(
  database: MemoryDatabase,
  { from, sessionId, owner, userId, runs, at }: SessionCopy,
): number | "taken" | "gone" {
  const source = database.sessions.get(from);
  if (!source) return "gone";
  if (database.sessionsByName.has(sessionName(owner, sessionId))) return "taken";
  if (runs.some(({ from: old }) => !database.runs.has(old))) throw new TroupeError("conflict", "Runs were deleted.");
  const own = { key: database.newSessionKey(), sessionId, owner, userId, createdAt: at, updatedAt: at };
  const session = { ...source, ...own };
  database.sessions.set(session.key, session);
  database.sessionsByName.set(sessionName(session.owner, sessionId), session);
  const keys = new Map(runs.map((copied) => [copied.from, copied.key]));
  for (const { from: old, key, runId, options, output } of runs) {
    const run = database.runs.get(old);
    const head = database.heads.get(old);
    if (!run || !head || !isTerminal(head.status)) continue;
    const rootKey = keys.get(run.root_key) ?? key;
    const parentKey = run.parent_key === null ? null : (keys.get(run.parent_key) ?? null);
    const copied = { key, run_id: runId, root_key: rootKey, parent_key: parentKey, session_key: session.key };
    database.runs.set(key, { ...run, ...copied, options, output, replaced_by: null });
    database.keysById.set(runId, key);
    const fresh = { attempt: 0, owner: null, cancelRequested: false, stalledTakeovers: 0, compacted: true };
    const firstKept = parentKey === null ? database.nextIndex(head) : 0;
    database.heads.set(key, { ...head, ...fresh, key, rootKey, sessionKey: session.key, firstKept });
    const said = database.messages.get(old) ?? [];
    database.messages.set(
      key,
      said.map((message) => ({ ...message, runKey: key })),
    );
    const results = [...(database.marks.get(old)?.values() ?? [])].filter(({ name }) => name.startsWith(resultPrefix));
    if (results.length > 0)
      database.marks.set(key, new Map(results.map((mark) => [mark.name, { ...mark, runKey: key }])));
  }
  return session.key;
}
