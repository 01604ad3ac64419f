/** Authorizes web socket actions: each requires the scopes of the HTTP route with the same effect. */
import type { FastifyInstance } from "fastify";
import { InvariantError, TroupeError } from "../../errors.ts";
import type { Gate } from "../../http/transport/guard.ts";
import type { RequiredScopes } from "../../model/authorization.ts";
import type { Principal } from "../../model/principal.ts";

const runs = "/workflows/{workflow_id}/runs";

/** An action that is about a run of a workflow. */
type GuardedAction = "start" | "continue" | "reconnect";

/** The paths of the corresponding routes. */
const routes: Readonly<Record<GuardedAction, string>> = {
  start: runs,
  continue: `${runs}/{run_id}/continue`,
  reconnect: `${runs}/{run_id}/resume`,
};

const refusals: Readonly<Record<GuardedAction, string>> = {
  start: "Insufficient permissions to run this workflow",
  continue: "Insufficient permissions to continue this workflow",
  reconnect: "Insufficient permissions to reconnect to this workflow",
};

export class Demands {
  readonly #gate: Pick<Gate, "check">;
  readonly #demands: Readonly<Record<GuardedAction, RequiredScopes>>;

  constructor(app: FastifyInstance, gate: Pick<Gate, "check">) {
    const of = (action: GuardedAction): RequiredScopes => {
      const route = app.routes.find(({ method, path }) => method === "POST" && path === routes[action]);
      if (!route) throw new InvariantError(`No route does what the action ${action} does.`);
      return app.requiredScopesOf(route);
    };
    this.#gate = gate;
    this.#demands = { start: of("start"), continue: of("continue"), reconnect: of("reconnect") };
  }

  /** @throws TroupeError `forbidden` if the caller may not perform the action on the workflow, or, without an id, on every workflow */
  check(caller: Principal, action: GuardedAction, workflowId?: string): void {
    try {
      this.#gate.check(caller, this.#demands[action], workflowId);
    } catch (error) {
      if (error instanceof TroupeError && error.code === "forbidden")
        throw new TroupeError("forbidden", refusals[action]);
      throw error;
    }
  }
}
