/** Routes that continue a run: a paused run when its requirements are answered, a finished run by starting a new one. */
import { isRemote, takesAnswers } from "../../define/remote.ts";
import type { ContinueRequest } from "../../engine/contract.ts";
import { inheritedOptions } from "../../engine/run/successor.ts";
import { TroupeError } from "../../errors.ts";
import { inheritedUserId, sessionFor } from "../../model/principal.ts";
import type { RunInput } from "../../model/record.ts";
import type { LocatedRun } from "../../store/contract/store.ts";
import { answererOf } from "../callers/approvers.ts";
import { attributedUser } from "../callers/attribution.ts";
import { forwardedToken } from "../callers/forwarded-token.ts";
import { fingerprintOf } from "../input/fingerprint.ts";
import { tooLarge } from "../input/refusals.ts";
import { type ContinueForm, continueBody } from "../requests/continue.ts";
import { runPath } from "../requests/queries.ts";
import { type StartHeaders, startHeaders } from "../requests/start.ts";
import { type Call, type Route, route } from "../transport/route.ts";
import { demandForkable } from "./fork.ts";
import { hosted, type Kind } from "./kinds.ts";
import { runInPath } from "./read-runs.ts";
import { type AnswerForm, admitStart, answerRun } from "./start-run.ts";
import { bodyErrors } from "./statuses.ts";

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
          ? "Answer what a paused run of the workflow waits for"
          : `Answer what a paused run of the ${name} waits for, or go on from one that is over`,
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
  const { services, caller, body, request, reply } = call;
  const headers = startHeaders.read(request.headers, "header");
  const entry = hosted(services, kind, call.path.componentId);
  if (!takesAnswers(entry) || (isRemote(entry) && body.succession))
    throw new TroupeError("badRequest", `Continue is not supported for remote ${kind.plural}`);
  if (body.succession?.fork) demandForkable(caller);
  const sessionId = sessionFor(caller, body.sessionId);
  if (sessionId === undefined) throw new TroupeError("badRequest", "session_id is required for this action");
  const run = await runInPath(kind, call, sessionId);
  if (body.succession) return await startSuccessor(kind, call, run, body.succession, headers);
  if (body.additionalInstructions !== undefined) throw onlyForNew("additional_instructions");
  const { cursor, isRepeated } = await services.engine.continueRun(caller, run, {
    ...body,
    answerer: answererOf(services, caller, body.userId),
    bearer: forwardedToken(services, request),
    ...sentAgain(kind, call, headers),
  });
  if (isRepeated) reply.header("idempotency-replayed", "true");
  return answer(kind, call, run, { cursor: headers.lastEventId ?? cursor, isContinued: true });
}

/** Starts a new run that continues from a finished one. */
async function startSuccessor(
  kind: Kind,
  call: ContinueCall,
  located: LocatedRun,
  succession: NonNullable<ContinueForm["succession"]>,
  headers: StartHeaders,
): Promise<unknown> {
  const { services, caller, body, request, reply } = call;
  const { stream, background } = body;
  if (body.callAnswers.length > 0) {
    throw new TroupeError("badRequest", `Where a new run is asked for, nothing is answered: leave ${body.field} out.`);
  }
  const { maxMessageBytes } = services.platform.settings;
  if (Buffer.byteLength(succession.input ?? "") > maxMessageBytes) throw tooLarge("The input", maxMessageBytes);
  const earlier = await services.store.findRun(caller, located.runId);
  if (!earlier) throw new TroupeError("notFound", "Run not found");
  const { message } = JSON.parse(earlier.input) as RunInput;
  const userId = attributedUser(caller, body.userId) ?? inheritedUserId(caller, earlier.userId);
  const { additionalInstructions } = body;
  const run = await services.engine.start(caller, {
    kind: kind.name,
    componentId: earlier.componentId,
    message: succession.input ?? message,
    media: [],
    sessionId: earlier.sessionId,
    bearer: forwardedToken(services, request),
    userId: userId ?? undefined,
    options: {
      ...inheritedOptions(earlier, userId),
      ...{ stream, background },
      ...(additionalInstructions !== undefined && { additionalInstructions }),
    },
    from: { ...succession, run: earlier },
    execution: background && !stream ? "dispatch" : "now",
    ...sentAgain(kind, call, headers),
  });
  if (run.isRepeated) reply.header("idempotency-replayed", "true");
  return answer(kind, call, run, { cursor: headers.lastEventId ?? -1 });
}

/** The idempotency key and fingerprint that identify a repeated request. */
function sentAgain(
  kind: Kind,
  { path, body }: ContinueCall,
  { idempotencyKey: key, lastEventId }: StartHeaders,
): Pick<ContinueRequest, "idempotency" | "onlyIfRepeated"> {
  const fingerprint = () => fingerprintOf([kind.name, path.componentId, path.runId, body]);
  return {
    idempotency: key === undefined ? undefined : { key, fingerprint: fingerprint() },
    onlyIfRepeated: lastEventId !== undefined,
  };
}

function answer(
  kind: Kind,
  call: ContinueCall,
  run: Pick<LocatedRun, "key" | "runId" | "sessionId">,
  form: Omit<AnswerForm, "stream">,
): Promise<unknown> | unknown {
  const { stream, background } = call.body;
  if (stream || !background) return answerRun(kind, call, run, { stream, ...form });
  call.reply.code(202).header("x-run-id", run.runId);
  return { run_id: run.runId, session_id: run.sessionId, status: "PENDING" };
}

function onlyForNew(field: string): TroupeError {
  return new TroupeError(
    "badRequest",
    `${field} is for a new run: ask for one by regenerate, continue_from, fork or input.`,
  );
}
