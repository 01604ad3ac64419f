/** Actions of web socket clients: start a workflow, continue it, and reconnect to its events. */

import { z } from "zod";
import { TroupeError } from "../../errors.ts";
import { continueBody } from "../../http/input/continue-form.ts";
import { type RawFields, reader } from "../../http/input/decode.ts";
import { identifier } from "../../http/input/identifiers.ts";
import { startBody } from "../../http/input/start-form.ts";
import { fromCursor, fromStart } from "../../http/streams/resume.ts";
import type { Services } from "../../http/transport/services.ts";
import type { Principal } from "../../model/principal.ts";
import { RunNotPaused } from "../../model/run-not-paused.ts";
import { requireSession } from "../../runs/find.ts";
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

/** Form fields are texts; a message may contain their JSON values directly. */
function asText(value: unknown): unknown {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

/** `start-workflow`: the server owns the run, so it continues when clients disconnect. */
export async function startWorkflow({ services, demands, caller, fields, token }: Asked): Promise<Begun> {
  const workflowId = demanded(fields, "workflow_id", "workflow_id is required");
  demands.check(caller, "start", workflowId);
  const { runs } = services;
  await inWords(`Workflow ${workflowId} not found`, () => runs.component(workflow(workflowId)));
  const { message, factory_input, ...others } = fields;
  const form = startBody("workflow").reader.read(
    { ...others, message: asText(message), factory_input: asText(factory_input) },
    "body",
  );
  const run = await runs.start(caller, {
    ...workflow(workflowId),
    message: form.message,
    media: form.media,
    sessionId: form.sessionId,
    userId: form.userId,
    options: { ...form.options, stream: true, background: true },
    background: false,
    token,
  });
  const { runId, sessionId, status } = run;
  const reading = { runId, ...fromStart({ runId, kind: "workflow" }), follow: runs.follow(run, { cursor: -1 }) };
  return { workflowId, reading, waiting: status === "PENDING" ? { runId, sessionId } : undefined };
}

/** `continue-workflow`: answers the requirements of a paused run. */
export async function continueWorkflow({ services, demands, caller, token, fields }: Asked): Promise<Begun> {
  const workflowId = demanded(fields, "workflow_id", "workflow_id is required");
  demands.check(caller, "continue", workflowId);
  const runId = demanded(fields, "run_id", "run_id is required");
  const { runs } = services;
  await inWords(`Workflow ${workflowId} not found`, () => runs.component(workflow(workflowId)));
  const { step_requirements, factory_input, ...others } = fields;
  const form = continueBody("workflow").reader.read(
    { ...others, step_requirements: asText(step_requirements), factory_input: asText(factory_input) },
    "body",
  );
  const name = { ...workflow(workflowId), runId, sessionId: form.sessionId };
  const { run, cursor } = await inWords(`Run ${runId} not found`, () =>
    runs.continue(caller, name, { answers: form, userId: form.userId, token, sessionRule: "always" }),
  );
  const follow = runs.follow(run, { cursor });
  return { workflowId, reading: { runId, ...fromStart({ runId, kind: "workflow" }), cursor, follow } };
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
  const { runs } = services;
  const workflowId = asked.workflowId ?? (await workflowOf(services, caller, asked.runId));
  // Checked before the run: a caller without this scope must not learn which runs exist.
  demands.check(caller, "reconnect", workflowId);
  requireSession(caller, sessionId, "unless-admin");
  if (workflowId === undefined) throw new TroupeError("notFound", unknown);
  const name = { ...workflow(workflowId), runId: asked.runId, sessionId };
  const run = await inWords(unknown, () => runs.find(caller, name));
  const head = await runs.head(run);
  if (!head) throw new TroupeError("notFound", unknown);
  const shown = fromCursor({ runId: run.runId, kind: "workflow" }, head, asked.lastEventIndex);
  const follow = runs.follow(run, { cursor: shown.cursor });
  return { workflowId, reading: { runId: run.runId, ...shown, follow } };
}

/** The workflow of a run, if the client names none. */
async function workflowOf({ runs }: Services, caller: Principal, runId: string): Promise<string | undefined> {
  const run = await runs.locate(caller, runId);
  return run?.kind === "workflow" ? run.componentId : undefined;
}

function workflow(componentId: string) {
  return { kind: "workflow", componentId } as const;
}

const one = reader(z.object({ id: identifier.nullish() }), ({ id }) => id ?? undefined);

function demanded(fields: RawFields, name: string, otherwise: string): string {
  const id = one.read({ id: fields[name] }, "body");
  if (id === undefined) throw new TroupeError("badRequest", otherwise);
  return id;
}

/** Replaces the text of `notFound` errors by the action's own. */
async function inWords<Value>(text: string, find: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof TroupeError && error.code === "notFound") throw new TroupeError("notFound", text);
    if (error instanceof RunNotPaused)
      throw new TroupeError("conflict", `Run is not paused (status=${error.runStatus})`);
    throw error;
  }
}
