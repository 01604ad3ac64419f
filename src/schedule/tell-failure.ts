/** What the log is told of an attempt that failed. */
import { withoutSecrets } from "../engine/redact.ts";
import type { Log } from "../model/runtime.ts";
import type { ClaimedFire } from "../store/contract/schedules.ts";
import type { AttemptEnd } from "./attempt.ts";

/** Says which call failed and what it was answered; nothing of what it carried. */
export function tellFailure(
  log: Log,
  { schedule, fire }: ClaimedFire,
  { sessionId, detail }: AttemptEnd,
  triesAgain: boolean,
): void {
  const { id: scheduleId, name, method, endpoint } = schedule;
  const { id: fireId, attempt, runId } = fire;
  const call = `${method} ${endpoint.split("?", 1)[0]}`;
  const ids = { scheduleId, name, fireId, ...(sessionId !== null && { runId }) };
  const fields = { ...ids, attempt, triesAgain, call, status: detail.statusCode, text: wordsOf(detail.error ?? "") };
  log.warn(fields, "A fire of a schedule failed.");
}

/** The words of an error: of an answer its `detail`. Of a list that names what it refuses, each item has what was sent beside its words. */
function wordsOf(error: string): string {
  if (!error.startsWith("{")) return withoutSecrets(error);
  try {
    const { detail } = JSON.parse(error) as { readonly detail?: unknown };
    if (!Array.isArray(detail)) return typeof detail === "string" ? withoutSecrets(detail) : "";
    return (detail as { loc: readonly unknown[]; msg: string }[])
      .map(({ loc, msg }) => `${loc.join(".")}: ${msg}`)
      .join("; ");
  } catch {
    // Only its beginning was kept.
    return "";
  }
}
