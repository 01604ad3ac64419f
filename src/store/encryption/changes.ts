/** Encrypts the changes of a flush. */
import type { RunCreation } from "../contract/store.ts";
import type { FlushChanges } from "../flush/facts.ts";
import { briefOfMessage } from "../rows/brief.ts";
import { type Encryption, sealText } from "./encryption.ts";
import { sealPushTarget } from "./push-target.ts";

/**
 * Replaces the texts of the changes. Segments are not changed: each database encrypts them where it writes them.
 * @param newSessions sessions that the flush creates, each with the creation of its first run
 */
export function sealChanges(
  changes: FlushChanges,
  encryption: Encryption | undefined,
  newSessions?: ReadonlyMap<number, RunCreation>,
): void {
  if (encryption === undefined) return;
  const { runs, messages, marks, heads, members, sessions, summaries, approvals, pushTargets } = changes;
  for (const run of runs) {
    run.brief = sealText(encryption, "runs.brief", [run.key], run.brief);
    run.input = sealText(encryption, "runs.input", [run.key], run.input);
    run.options = sealText(encryption, "runs.options", [run.key], run.options);
    run.output = sealText(encryption, "runs.output", [run.key], run.output);
  }
  replaceAll(messages, (message) => {
    const row = [message.runKey, message.position];
    return {
      ...message,
      brief: sealText(encryption, "messages.brief", row, briefOfMessage(message.body)),
      body: sealText(encryption, "messages.body", row, message.body),
    };
  });
  replaceAll(marks, (mark) => ({
    ...mark,
    body: sealText(encryption, "marks.body", [mark.runKey, mark.name], mark.body),
  }));
  const withOutput = <T extends { readonly key: number; readonly output: string | null }>(ended: T): T => ({
    ...ended,
    output: sealText(encryption, "runs.output", [ended.key], ended.output),
  });
  replaceAll(heads, withOutput);
  replaceAll(members, withOutput);
  for (const [key, run] of newSessions ?? []) {
    const session = sessions.get(key);
    if (session !== undefined) session.state ??= run.sessionState;
  }
  for (const session of sessions.values()) {
    session.state = sealText(encryption, "sessions.state", [session.key], session.state);
    session.title = sealText(encryption, "sessions.title", [session.key], session.title);
  }
  replaceAll(summaries, (made) => ({
    ...made,
    summary: sealText(encryption, "sessions.summary", [made.key], made.summary),
  }));
  for (const approval of approvals) {
    approval.tool_args = sealText(encryption, "approvals.tool_args", [approval.id], approval.tool_args);
    approval.requirements = sealText(encryption, "approvals.requirements", [approval.id], approval.requirements);
  }
  replaceAll(pushTargets, (target) => sealPushTarget(encryption, target));
}

function replaceAll<T>(items: T[], replacement: (item: T) => T): void {
  for (const [place, item] of items.entries()) items[place] = replacement(item);
}
