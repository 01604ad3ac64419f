/** Actions of web socket clients: start a workflow, continue it, and reconnect to its events. */
import { z } from "zod";
import { TroupeError } from "../../errors.ts";
import { answererOf } from "../../http/callers/approvers.ts";
import { attributedUser } from "../../http/callers/attribution.ts";
import { forwardable } from "../../http/callers/forwarded-token.ts";
import { type RawFields, reader } from "../../http/input/decode.ts";
import { identifier } from "../../http/input/identifiers.ts";
import { tooLarge } from "../../http/input/refusals.ts";
import { continueBody } from "../../http/requests/continue.ts";
import { startBody } from "../../http/requests/start.ts";
import { kinds } from "../../http/routes/kinds.ts";
import { runInPath } from "../../http/routes/read-runs.ts";
import { fromCursor, fromStart } from "../../http/streams/resume.ts";
import { followFrom } from "../../http/streams/sse.ts";
import type { Services } from "../../http/transport/services.ts";
import { type Principal, sessionFor } from "../../model/principal.ts";
import type { LocatedRun, RunRef } from "../../store/contract/store.ts";
import type { Demands } from "./demands.ts";
import type { Reading } from "./follow-run.ts";

/** The caller of an action, its message and the services. */
export interface Asked {
  readonly services: Services;
  readonly demands: Demands;
  readonly caller: Principal;
  readonly fields: RawFields;
  /** The caller's token. */
  readonly token: string | undefined;
}

/** The run that an action follows. */
export interface Begun {
  readonly workflowId: string;
  readonly reading: Reading;
  /** Set if the run is queued: its first event may take long, so the client receives the run's id first. */
  readonly waiting?: { readonly runId: string; readonly sessionId: string } | undefined;
}

const kind = kinds.workflow;

/** Form fields are texts; a message may contain their JSON values directly. */
function asText(value: unknown): unknown {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

/** `start-workflow`: the server owns the run, so it continues when clients disconnect. */
export async function startWorkflow({ services, demands, caller, fields, token }: Asked): Promise<Begun> {
  const workflowId = demanded(fields, "workflow_id", "workflow_id is required");
  demands.check(caller, "start", workflowId);
  const { engine, registry, platform, logs } = services;
  if (!registry.find("workflow", workflowId)) throw notFound(workflowId);
  const { message, factory_input, ...others } = fields;
  const form = startBody("workflow").reader.read(
    { ...others, message: asText(message), factory_input: asText(factory_input) },
    "body",
  );
  if (Buffer.byteLength(form.message) > platform.settings.maxMessageBytes)
    throw tooLarge("The message", platform.settings.maxMessageBytes);
  const run = await engine.start(caller, {
    kind: "workflow",
    componentId: workflowId,
    message: form.message,
    media: form.media,
    sessionId: form.sessionId,
    userId: attributedUser(caller, form.userId),
    options: { ...form.options, stream: true, background: true },
    bearer: forwardable(services, caller, token),
    execution: "now",
  });
  const { key, runId, sessionId, status } = run;
  const reading = { runId, ...fromStart({ runId, kind: "workflow" }), follow: followFrom(logs, key, { cursor: -1 }) };
  return { workflowId, reading, waiting: status === "PENDING" ? { runId, sessionId } : undefined };
}

/** `continue-workflow`: answers the requirements of a paused run. */
export async function continueWorkflow({ services, demands, caller, token, fields }: Asked): Promise<Begun> {
  const workflowId = demanded(fields, "workflow_id", "workflow_id is required");
  demands.check(caller, "continue", workflowId);
  const runId = demanded(fields, "run_id", "run_id is required");
  const { engine, registry } = services;
  if (!registry.find("workflow", workflowId)) throw notFound(workflowId);
  const { step_requirements, factory_input, ...others } = fields;
  const form = continueBody("workflow").reader.read(
    { ...others, step_requirements: asText(step_requirements), factory_input: asText(factory_input) },
    "body",
  );
  const sessionId = sessionFor(caller, form.sessionId);
  if (sessionId === undefined) throw new TroupeError("badRequest", "session_id is required for this action");
  const path = { componentId: workflowId, runId };
  const unknown = `Run ${runId} not found`;
  const run = await renamed(unknown, () => runInPath(kind, { services, caller, path }, sessionId));
  if (run.status !== "PAUSED") throw new TroupeError("conflict", `Run is not paused (status=${run.status})`);
  const answerer = answererOf(services, caller, form.userId);
  const bearer = forwardable(services, caller, token);
  const { cursor } = await renamed(unknown, () => engine.continueRun(caller, run, { ...form, answerer, bearer }));
  return {
    workflowId,
    reading: { runId, ...fromStart({ runId, kind: "workflow" }), ...following(services, run, cursor) },
  };
}

const reconnection = reader(
  z.object({
    run_id: identifier.nullish(),
    workflow_id: identifier.nullish(),
    session_id: identifier.nullish(),
    last_event_index: z.int().nullish(),
  }),
  (given) => ({
    runId: given.run_id ?? undefined,
    workflowId: given.workflow_id ?? undefined,
    sessionId: given.session_id ?? undefined,
    lastEventIndex: given.last_event_index ?? undefined,
  }),
);

/** `reconnect`: resumes a run's events after the last one received. */
export async function reconnect({ services, demands, caller, fields }: Asked): Promise<Begun> {
  const asked = reconnection.read(fields, "body");
  if (asked.runId === undefined) throw new TroupeError("badRequest", "run_id is required for subscription");
  const unknown = `Run ${asked.runId} not found in buffer or database`;
  const { sessionId } = asked;
  const workflowId = asked.workflowId ?? (await workflowOf(services, caller, asked.runId));
  // Checked before the run: a caller without this scope must not learn which runs exist.
  demands.check(caller, "reconnect", workflowId);
  if (!caller.isAdmin && sessionFor(caller, sessionId) === undefined)
    throw new TroupeError("badRequest", "session_id is required for this action");
  if (workflowId === undefined) throw new TroupeError("notFound", unknown);
  const path = { componentId: workflowId, runId: asked.runId };
  const run = await renamed(unknown, () => runInPath(kind, { services, caller, path }, sessionId));
  const head = await services.logs.head(run.key);
  if (!head) throw new TroupeError("notFound", unknown);
  const shown = fromCursor({ runId: run.runId, kind: "workflow" }, head, asked.lastEventIndex);
  return { workflowId, reading: { runId: run.runId, ...shown, ...following(services, run, shown.cursor) } };
}

/** The workflow of a run, if the client names none. */
async function workflowOf({ store }: Services, caller: Principal, runId: string): Promise<string | undefined> {
  const run: LocatedRun | undefined = await store.locateRun(caller, runId);
  return run?.kind === "workflow" ? run.componentId : undefined;
}

function following({ logs }: Services, { key }: RunRef, cursor: number): Pick<Reading, "follow" | "cursor"> {
  return { cursor, follow: followFrom(logs, key, { cursor }) };
}

const one = reader(z.object({ id: identifier.nullish() }), ({ id }) => id ?? undefined);

function demanded(fields: RawFields, name: string, otherwise: string): string {
  const id = one.read({ id: fields[name] }, "body");
  if (id === undefined) throw new TroupeError("badRequest", otherwise);
  return id;
}

function notFound(workflowId: string): TroupeError {
  return new TroupeError("notFound", `Workflow ${workflowId} not found`);
}

/** Replaces the text of `notFound` errors by the action's own. */
async function renamed<Value>(text: string, find: () => Promise<Value>): Promise<Value> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof TroupeError && error.code === "notFound") throw new TroupeError("notFound", text);
    throw error;
  }
}
