/** Authorizes actions of web socket clients. */
import { TroupeError } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";
import type { RunAction } from "../../runs/permissions.ts";
import type { Runs } from "../../runs/runs.ts";

/** An action on a run of a workflow. */
type GuardedAction = "start" | "continue" | "reconnect";

const runActions: Readonly<Record<GuardedAction, RunAction>> = {
  start: "start",
  continue: "continue",
  reconnect: "follow",
};

const rejections: Readonly<Record<GuardedAction, string>> = {
  start: "Insufficient permissions to run this workflow",
  continue: "Insufficient permissions to continue this workflow",
  reconnect: "Insufficient permissions to reconnect to this workflow",
};

/** @throws TroupeError `forbidden` if the caller may not perform the action on the workflow, or, without an id, on every workflow */
export function authorizeAction(
  runs: Pick<Runs, "authorize">,
  caller: Principal,
  action: GuardedAction,
  workflowId?: string,
): void {
  try {
    runs.authorize(caller, runActions[action], { kind: "workflow", componentId: workflowId });
  } catch (error) {
    if (error instanceof TroupeError && error.code === "forbidden")
      throw new TroupeError("forbidden", rejections[action]);
    throw error;
  }
}
