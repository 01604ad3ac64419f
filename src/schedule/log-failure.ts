/** Logs failed attempts. */
import { withoutSecrets } from "../engine/redact.ts";
import type { Log } from "../model/runtime.ts";
import type { ClaimedFire } from "../store/contract/schedules.ts";
import type { AttemptEnd } from "./attempt.ts";

/** Logs which call failed and its response, but nothing of its payload. */
export function logFailure(
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

/**
 * Returns the text of an error. Of a response, only `detail` is logged; of a list of faults only the location and message, because each
 * fault also holds the rejected input.
 */
function wordsOf(error: string): string {
  if (!error.startsWith("{")) return withoutSecrets(error);
  try {
    const { detail } = JSON.parse(error) as { readonly detail?: unknown };
    if (!Array.isArray(detail)) return typeof detail === "string" ? withoutSecrets(detail) : "";
    return (detail as { loc: readonly unknown[]; msg: string }[])
      .map(({ loc, msg }) => `${loc.join(".")}: ${msg}`)
      .join("; ");
  } catch {
    // The stored error is truncated, so it is not valid JSON.
    return "";
  }
}
