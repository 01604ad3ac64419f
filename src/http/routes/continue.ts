/** Letting a paused run go on. */
import { TroupeError } from "../../errors.ts";
import { isActive } from "../../model/run.ts";
import type { RunRow } from "../../store/seam.ts";
import { outputOf } from "../records/run.ts";
import { type ContinueForm, continueBody } from "../requests/continue.ts";
import { runPath } from "../requests/queries.ts";
import { type Call, type Route, route } from "../route.ts";
import type { Kind } from "./kinds.ts";
import { runInPath } from "./read-runs.ts";
import { answerRun } from "./start-run.ts";
import { bodyErrors } from "./statuses.ts";

type ContinueCall = Call<{ componentId: string; runId: string }, undefined, ContinueForm>;

/** `POST …/continue` of a kind of component. */
export function continueRoute(kind: Kind): Route {
  const { name, plural, idParam, tag } = kind;
  return route({
    method: "POST",
    path: `/${plural}/{${idParam}}/runs/{run_id}/continue`,
    access: { resource: plural, action: "run", idParam },
    operation: {
      id: `continue_${name}_run`,
      tag,
      summary: `Answer what a paused run of the ${name} waits for`,
      security: "bearer",
      success: {
        200: { description: "The stream of the events to come, or the finished run", json: "any", eventStream: true },
        ...(name === "workflow"
          ? {}
          : { 202: { description: "Accepted, to be executed in the background", json: "any" } }),
      },
      errors: [...bodyErrors, 409],
    },
    pathParams: runPath(idParam),
    body: continueBody(name),
    handle: (call) => continueRun(kind, call),
  });
}

async function continueRun(kind: Kind, call: ContinueCall): Promise<unknown> {
  const { services, body } = call;
  const { engine, logs, store } = services;
  if (body.sessionId === undefined) throw new TroupeError("badRequest", "session_id is required for this action");
  const { key, runId } = await runInPath(kind, call, body.sessionId);
  // First where the run stands, then what it waits for: the answers are those to this very pause, or none.
  const head = await logs.head(key);
  const run = head && (await store.findRun(call.caller, runId));
  if (!run) throw new TroupeError("notFound", "Run not found");
  refuseUnpaused(run);
  const pause = outputOf(run).pause;
  if (!pause) throw conflict("is not paused");
  await engine.continueRun(run, head.attempt, { pause, ...body });
  if (body.background && !body.stream) {
    call.reply.code(202).header("x-run-id", runId);
    return { run_id: runId, session_id: run.sessionId, status: "PENDING" };
  }
  return await answerRun(kind, call, run, { stream: body.stream, cursor: head.nextIndex - 1 });
}

function refuseUnpaused({ status }: RunRow): void {
  if (status === "PAUSED") return;
  if (isActive(status)) throw conflict("is already running");
  if (status === "COMPLETED") throw conflict("is already completed");
  throw conflict(status === "ERROR" ? "has errored" : "is already cancelled");
}

function conflict(what: string): TroupeError {
  return new TroupeError("conflict", `run ${what}`);
}
