/** Routes that continue a run: a paused run when its requirements are answered, a finished run by starting a new one. */
import { TroupeError } from "../../../errors.ts";
import { toTraceContext } from "../../../model/trace/propagation.ts";
import type { ContinueCommand } from "../../../runs/continue.ts";
import { requireSession } from "../../../runs/find.ts";
import type { AcceptedRun } from "../../../runs/start.ts";
import { type ContinueForm, continueBody } from "../../input/continue-form.ts";
import { type StartHeaders, startHeaders } from "../../input/start-form.ts";
import { runPath } from "../../requests/queries.ts";
import { fingerprintOf } from "../../transport/fingerprint.ts";
import { reportRun } from "../../transport/finished-requests.ts";
import { tokenIn } from "../../transport/guard.ts";
import type { Kind } from "../../transport/kinds.ts";
import { setRateHeaders } from "../../transport/rate-headers.ts";
import { type Call, type Route, route } from "../../transport/route.ts";
import { bodyErrors } from "../../transport/statuses.ts";
import { type AnswerForm, admitStart, answerRun } from "./start.ts";

type ContinueCall = Call<{ componentId: string; runId: string }, undefined, ContinueForm>;

/** `POST …/continue` for a component kind. */
export function continueRoute(kind: Kind): Route {
  const { name, plural, idParam, tag } = kind;
  const runs = `/${plural}/{${idParam}}/runs`;
  return route({
    method: "POST",
    path: `${runs}/{run_id}/continue`,
    access: { resource: plural, action: "run", idParam },
    operation: {
      id: `continue_${name}_run`,
      tag,
      summary:
        name === "workflow"
          ? "Answer the requests of a paused run of the workflow"
          : `Answer the requests of a paused run of the ${name}, or continue from a finished run`,
      security: "bearer",
      success: {
        200: { description: "The stream of the events to come, or the finished run", json: "any", eventStream: true },
        ...(name === "workflow"
          ? {}
          : { 202: { description: "Accepted, to be executed in the background", json: "any" } }),
      },
      errors: [...bodyErrors, 409, 429, 502],
      headers: startHeaders.schema,
    },
    pathParams: runPath(idParam),
    body: continueBody(name),
    admit: admitStart(runs),
    handle: (call) => continueRun(kind, call),
  });
}

async function continueRun(kind: Kind, call: ContinueCall): Promise<unknown> {
  const { services, caller, path, body, request, reply } = call;
  const headers = startHeaders.read(request.headers, "header");
  const { succession, additionalInstructions, stream, background, userId, sessionId, ...answers } = body;
  const name = { ...path, kind: kind.name, sessionId };
  const misuse = misuseOf(body);
  if (misuse) {
    // Errors about the component, the session and the run come first.
    await services.runs.pastComponent(caller, name);
    await services.runs.find(caller, { ...name, sessionId: requireSession(caller, sessionId, "always") });
    throw misuse;
  }
  const how = { userId, token: tokenIn(request), sessionRule: "always", ...repetition(kind, call, headers) } as const;
  if (succession) {
    const run = await services.runs.startSuccessor(caller, name, {
      ...{ succession, additionalInstructions, stream, background },
      trace: toTraceContext(request.headers),
      ...how,
    });
    if (run.rate) setRateHeaders(reply, run.rate);
    if (run.isRepeated) reply.header("idempotency-replayed", "true");
    return answer(kind, call, run, { cursor: headers.lastEventId ?? -1 });
  }
  const { run, cursor, isRepeated } = await services.runs.continue(caller, name, { answers, ...how });
  if (isRepeated) reply.header("idempotency-replayed", "true");
  return answer(kind, call, run, { cursor: headers.lastEventId ?? cursor, isContinued: true });
}

/** The idempotency key and fingerprint that identify a repeated request. */
function repetition(
  kind: Kind,
  { path, body }: ContinueCall,
  { idempotencyKey: key, lastEventId }: StartHeaders,
): Pick<ContinueCommand, "idempotency" | "onlyIfRepeated"> {
  const fingerprint = () => fingerprintOf([kind.name, path.componentId, path.runId, body]);
  return {
    idempotency: key === undefined ? undefined : { key, fingerprint: fingerprint() },
    onlyIfRepeated: lastEventId !== undefined,
  };
}

function answer(
  kind: Kind,
  call: ContinueCall,
  run: Pick<AcceptedRun, "key" | "runId" | "sessionId">,
  form: Omit<AnswerForm, "stream">,
): Promise<unknown> | unknown {
  const { stream, background } = call.body;
  reportRun(call.request, run);
  if (stream || !background) return answerRun(kind, call, run, { stream, ...form });
  call.reply.code(202).header("x-run-id", run.runId);
  return { run_id: run.runId, session_id: run.sessionId, status: "PENDING" };
}

/** The error for fields that do not belong together. */
function misuseOf({ succession, additionalInstructions, callAnswers, field }: ContinueForm): TroupeError | undefined {
  if (succession && callAnswers.length > 0)
    return new TroupeError("badRequest", `Where a new run is asked for, nothing is answered: leave ${field} out.`);
  if (succession || additionalInstructions === undefined) return undefined;
  const advice = "ask for one by regenerate, continue_from, fork or input";
  return new TroupeError("badRequest", `additional_instructions is for a new run: ${advice}.`);
}
