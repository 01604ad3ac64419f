/** The kinds and states of rows in the timeline. */

/**
 * What a row covers:
 *
 * - `run`: the shown run, or the run of a member or of a step's executor.
 * - `step`: a step, a container of steps, or an iteration of a loop.
 * - `model`: one model request. `tool`: one tool call.
 * - `wait`: the time for which a run waited for an answer.
 * - `takeover`: the moment at which another process continued a run.
 * - `hook`: a hook or a guardrail.
 * - `stage`: work beside the turns, such as a session summary; the model requests inside are below it.
 * - `note`: a moment, such as the switch to another model.
 */
export type RowKind = "run" | "step" | "model" | "tool" | "wait" | "takeover" | "hook" | "stage" | "note";

/** `cut`: a process ended during this part, and another one repeated it. `refused`: a hook or a guardrail ended the run. */
export type RowState = "running" | "done" | "failed" | "waiting" | "cancelled" | "cut" | "refused";

/** Whether rows of a kind have no duration. */
export function isMoment(kind: RowKind): boolean {
  return kind === "takeover" || kind === "note";
}
