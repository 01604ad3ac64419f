/** Starts, continues and finds the runs of requests. */
import type { FastifyRequest } from "fastify";
import { TroupeError } from "../../errors.ts";
import { fingerprintOf } from "../../http/transport/fingerprint.ts";
import { tokenIn } from "../../http/transport/guard.ts";
import type { RouteServices } from "../../http/transport/services.ts";
import type { Principal } from "../../model/principal.ts";
import type { RunOptions } from "../../model/run/record.ts";
import { RunNotPaused } from "../../model/run/run-not-paused.ts";
import { optionsOf } from "../../model/run/stored-run.ts";
import { toTraceContext } from "../../model/trace/propagation.ts";
import type { ComponentName, LocatedRun, RunRow } from "../../runs/find.ts";
import type { RunAction } from "../../runs/permissions.ts";
import { invalidAt } from "./errors.ts";
import type { Conversation } from "./input/conversation.ts";
import { componentOf, noModel, noResponse, type Part, partOf } from "./names.ts";
import { toAnswers } from "./questions.ts";
import type { ResponseFacts } from "./stream/response.ts";

/** A request to one of the endpoints. */
export interface Requested {
  readonly services: RouteServices;
  readonly caller: Principal;
  readonly request: FastifyRequest;
}

/** A message for a component, or answers for a paused run. */
export interface Sent {
  readonly model: string | undefined;
  readonly conversation: Conversation;
  readonly stream: boolean;
  readonly background: boolean;
  readonly userId: string | undefined;
  readonly sessionId: string | undefined;
  readonly metadata: Record<string, unknown> | undefined;
  readonly outputSchema: Record<string, unknown> | undefined;
  readonly previousResponseId?: string | undefined;
}

/** The part of a run that a request has begun. */
export interface BegunPart extends ResponseFacts {
  readonly key: number;
  readonly isRepeated: boolean;
}

/**
 * Starts a run with the message, or continues the paused run that the answers name.
 *
 * @throws TroupeError `notFound`, `forbidden`, `validation`, `conflict` (the run waits for no answer), and those of `runs.start` and `runs.continue`
 */
export async function send(requested: Requested, sent: Sent): Promise<BegunPart> {
  return await (sent.conversation.message ? start(requested, sent) : proceed(requested, sent));
}

async function start({ services, caller, request }: Requested, sent: Sent): Promise<BegunPart> {
  const { conversation, stream, background, userId, metadata, outputSchema, previousResponseId } = sent;
  if (sent.model === undefined) throw invalidAt(["model"], "This is required.");
  const component = componentOf(sent.model);
  services.runs.authorize(caller, "start", component);
  requireModel(services, component, sent.model);
  if (outputSchema && component.kind === "workflow")
    throw invalidAt(["model"], "The output of a workflow has the form that its definition gives it.");
  const previous =
    previousResponseId === undefined ? undefined : await locate({ services, caller }, previousResponseId, "read");
  const options: RunOptions = {
    ...{ stream, background },
    ...(metadata && { metadata }),
    ...(outputSchema && { outputSchema }),
    ...(conversation.instructions !== undefined && { additionalInstructions: conversation.instructions }),
    ...(previousResponseId !== undefined && { previousResponseId }),
  };
  const { text = "", media = [] } = conversation.message ?? {};
  const run = await services.runs.start(caller, {
    ...component,
    ...{ message: text, media, conversation: conversation.earlier, userId, background, options },
    sessionId: previous?.run.sessionId ?? sent.sessionId,
    token: tokenIn(request),
    trace: toTraceContext(request.headers),
    idempotency: idempotencyOf(request, [component, sent]),
  });
  const createdAt = Math.floor(services.runtime.clock.now() / 1000);
  const { key, runId, sessionId, isRepeated } = run;
  return {
    ...factsOf({ ...component, runId, sessionId, userId: caller.userId ?? userId ?? null }, options, 0, createdAt),
    ...{ key, isRepeated },
  };
}

/** Rejects a model that does not exist. @throws TroupeError `notFound` */
function requireModel({ runs }: RouteServices, component: ComponentName, model: string): void {
  try {
    runs.component(component);
  } catch (error) {
    throw error instanceof TroupeError && error.code === "notFound" ? noModel(model) : error;
  }
}

async function proceed({ services, caller, request }: Requested, sent: Sent): Promise<BegunPart> {
  const { conversation, userId, model } = sent;
  const { answers } = conversation;
  const [runId, ...others] = new Set(answers.map((one) => one.runId));
  if (runId === undefined || others.length > 0)
    throw invalidAt(["input"], "All answers must be for the same response.");
  const located = await locateRun({ services, caller }, runId, "continue");
  if (!located) throw new TroupeError("notFound", "No response asks the question that is answered.");
  const { kind, componentId } = located;
  const component = model === undefined ? undefined : componentOf(model);
  if (component && (component.kind !== kind || component.componentId !== componentId))
    throw invalidAt(["model"], "The answered response is of another model.");
  const row = await services.runs.load(caller, { kind, componentId, runId });
  const { cursor, isRepeated } = await continued(
    services.runs.continue(
      caller,
      { kind, componentId, runId },
      {
        answers: (pause) => toAnswers(pause, answers),
        userId,
        token: tokenIn(request),
        idempotency: idempotencyOf(request, [runId, sent]),
      },
    ),
  );
  return { ...factsOf(row, optionsOf(row), cursor + 1), key: row.key, isRepeated };
}

async function continued<Value>(value: Promise<Value>): Promise<Value> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof RunNotPaused) throw new TroupeError("conflict", "The response waits for no answer.");
    throw error;
  }
}

/** The idempotency key in the header, and a hash of the request. */
function idempotencyOf(
  { headers }: FastifyRequest,
  asked: unknown,
): { readonly key: string; readonly fingerprint: string } | undefined {
  const key = headers["idempotency-key"];
  if (typeof key !== "string" || key === "") return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new TroupeError(
      "validation",
      "Idempotency-Key: it must have at most 255 printable ASCII characters without spaces.",
    );
  return { key, fingerprint: fingerprintOf(asked) };
}

type ShownRun = ComponentName & { readonly runId: string; readonly sessionId: string; readonly userId: string | null };

/** The facts of a run that its response shows. @param createdAt in seconds */
export function factsOf(
  { kind, componentId, runId, sessionId, userId, ...row }: ShownRun & { readonly createdAt?: number },
  { background = false, additionalInstructions, metadata, previousResponseId }: RunOptions,
  first: number,
  createdAt: number = Math.floor((row.createdAt ?? 0) / 1000),
): ResponseFacts {
  return {
    ...{ kind, componentId, runId, first, sessionId, createdAt, background, metadata, userId, previousResponseId },
    instructions: additionalInstructions,
  };
}

/** A response that the caller may see. */
export interface FoundResponse {
  readonly part: Part;
  readonly run: LocatedRun;
}

/**
 * The run of a response. A caller that lacks the permission gets the same error as for a response that does not exist.
 *
 * @throws TroupeError `notFound`
 */
export async function locate(
  requested: Pick<Requested, "services" | "caller">,
  responseId: string,
  action: RunAction,
): Promise<FoundResponse> {
  const part = partOf(responseId);
  const run = await locateRun(requested, part.runId, action);
  if (!run) throw noResponse(responseId);
  return { part, run };
}

/** The run, if it is not a member's and the caller may do this with it. */
async function locateRun(
  { services, caller }: Pick<Requested, "services" | "caller">,
  runId: string,
  action: RunAction,
): Promise<LocatedRun | undefined> {
  const run = await locateAny(services, caller, runId);
  if (!run || run.parentRunId) return undefined;
  try {
    services.runs.authorize(caller, action, run);
    return run;
  } catch (error) {
    if (error instanceof TroupeError && error.code === "forbidden") return undefined;
    throw error;
  }
}

/** An id that no run can have is the id of no run. */
async function locateAny({ runs }: RouteServices, caller: Principal, runId: string): Promise<LocatedRun | undefined> {
  try {
    return await runs.locate(caller, runId);
  } catch (error) {
    if (error instanceof TroupeError && error.code === "badRequest") return undefined;
    throw error;
  }
}

/** The response with its stored run. @throws TroupeError `notFound` */
export async function load(
  { services, caller }: Pick<Requested, "services" | "caller">,
  { part, run }: FoundResponse,
): Promise<{ readonly row: RunRow; readonly facts: ResponseFacts }> {
  const { kind, componentId, runId } = run;
  const row = await services.runs.load(caller, { kind, componentId, runId });
  return { row, facts: factsOf(row, optionsOf(row), part.first) };
}
