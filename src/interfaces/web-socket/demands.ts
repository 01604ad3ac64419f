/** Authorizes web socket actions. */
import { TroupeError } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";
import type { RunAction } from "../../runs/permissions.ts";
import type { Runs } from "../../runs/runs.ts";

/** An action that is about a run of a workflow. */
type GuardedAction = "start" | "continue" | "reconnect";

const runActions: Readonly<Record<GuardedAction, RunAction>> = {
  start: "start",
  continue: "continue",
  reconnect: "follow",
};

const refusals: Readonly<Record<GuardedAction, string>> = {
  start: "Insufficient permissions to run this workflow",
  continue: "Insufficient permissions to continue this workflow",
  reconnect: "Insufficient permissions to reconnect to this workflow",
};

export class Demands {
  readonly #runs: Pick<Runs, "authorize">;

  constructor(runs: Pick<Runs, "authorize">) {
    this.#runs = runs;
  }

  /** @throws TroupeError `forbidden` if the caller may not perform the action on the workflow, or, without an id, on every workflow */
  check(caller: Principal, action: GuardedAction, workflowId?: string): void {
    try {
      this.#runs.authorize(caller, runActions[action], { kind: "workflow", componentId: workflowId });
    } catch (error) {
      if (error instanceof TroupeError && error.code === "forbidden")
        throw new TroupeError("forbidden", refusals[action]);
      throw error;
    }
  }
}
