/** Checkpoints of a run: its state after each durable step. */
import type { Message } from "../../model/run/message.ts";
import { isTerminal } from "../../model/run/run.ts";
import type { RunFamily } from "../../runs/read.ts";
import type { LocatedRun, MessageRow } from "../../store/contract/store.ts";
import { toRecord, wireStatus } from "./run.ts";

/** Maximum length of a message's preview, in characters. */
const maxPreviewLength = 120;

/** `GET …/checkpoints`: one checkpoint for each model turn, after its last tool result if it has tool calls. */
export function toCheckpoints({
  run,
  messages,
}: Pick<RunFamily, "messages"> & { readonly run: LocatedRun }): Record<string, unknown> {
  const own = messages.get(run.key) ?? [];
  const roles = own.map(({ body }) => (JSON.parse(body) as Message).role);
  const ends = roles.flatMap((role, place) => (role !== "user" && roles[place + 1] !== "tool" ? [place + 1] : []));
  const checkpoints = ends.map((index, place) => {
    const isLatest = place === ends.length - 1;
    const reason = isLatest && isTerminal(run.status) ? "end" : "checkpoint";
    return { ...checkpoint(run, own, index, reason), checkpoint_id: String(place + 1), is_latest: isLatest };
  });
  return { run_id: run.runId, session_id: run.sessionId, checkpoints };
}

/** `GET …/checkpoints/{message_index}`: the run's record with its first `index` messages; undefined if the run has fewer. */
export function toSnapshot(family: RunFamily, index: number): Record<string, unknown> | undefined {
  const { run, messages } = family;
  const own = messages.get(run.key) ?? [];
  if (index < 0 || index > own.length) return undefined;
  const shownMessages = new Map(messages).set(run.key, own.slice(0, index));
  const snapshot = { ...toRecord({ ...family, messages: shownMessages }), last_checkpoint_at_message_index: index };
  return { checkpoint: checkpoint(run, own, index, "snapshot"), snapshot };
}

function checkpoint(
  run: LocatedRun,
  own: readonly MessageRow[],
  index: number,
  reason: string,
): Record<string, unknown> {
  const last = own[index - 1];
  const message = last && (JSON.parse(last.body) as Message);
  return {
    checkpoint_id: null,
    run_id: run.runId,
    session_id: run.sessionId,
    message_index: index,
    continue_from: index,
    status: wireStatus(run),
    reason,
    created_at: Math.floor((last?.createdAt ?? run.createdAt) / 1000),
    message_id: last?.id ?? null,
    message_role: message?.role ?? null,
    message_preview: message ? previewOf(message.content) : null,
    is_latest: false,
  };
}

function previewOf(content: string): string {
  const line = content.replaceAll("\n", " ");
  return line.length > maxPreviewLength ? `${line.slice(0, maxPreviewLength).toWellFormed()}...` : line;
}
