/** Actions of web socket clients: start a workflow, continue it, and reconnect to its events. */

import { z } from "zod";
import { TroupeError } from "../../errors.ts";
import { continueBody } from "../../http/input/continue-form.ts";
import { type RawFields, reader } from "../../http/input/decode.ts";
import { identifier } from "../../http/input/identifiers.ts";
import { startBody } from "../../http/input/start-form.ts";
import { fromCursor, fromStart } from "../../http/streams/resume.ts";
import type { Principal } from "../../model/principal.ts";
import { RunNotPaused } from "../../model/run/run-not-paused.ts";
import type { Runs } from "../../runs/runs.ts";
import { authorizeAction } from "./authorize.ts";
import type { RunStream } from "./follow-run.ts";

/** An action's message, with its caller. */
export interface ActionRequest {
  readonly runs: Runs;
  readonly caller: Principal;
  readonly fields: RawFields;
  /** The caller's token. */
  readonly token: string | undefined;
}

/** The run that an action follows. */
export interface FollowedRun {
  readonly workflowId: string;
  readonly stream: RunStream;
  /** Set if the run is queued: its first event may take long, so the client receives the run's id first. */
  readonly waiting?: { readonly runId: string; readonly sessionId: string } | undefined;
}

/** Form fields are texts; a message may contain their JSON values directly. */
function asText(value: unknown): unknown {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

/** `start-workflow`: the server owns the run, so it continues when clients disconnect. */
export async function startWorkflow({ runs, caller, fields, token }: ActionRequest): Promise<FollowedRun> {
  const workflowId = requiredId(fields, "workflow_id", "workflow_id is required");
  authorizeAction(runs, caller, "start", workflowId);
  const { message, factory_input, ...others } = fields;
  if (others.version === undefined || others.version === null)
    await withOwnErrors(`Workflow ${workflowId} not found`, () => runs.component(workflow(workflowId)));
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
    version: form.version,
    background: false,
    token,
  });
  const { runId, sessionId, status } = run;
  const stream = { runId, ...fromStart({ runId, kind: "workflow" }), follow: runs.follow(run, { cursor: -1 }) };
  return { workflowId, stream, waiting: status === "PENDING" ? { runId, sessionId } : undefined };
}

/** `continue-workflow`: answers the requirements of a paused run. */
export async function continueWorkflow({ runs, caller, token, fields }: ActionRequest): Promise<FollowedRun> {
  const workflowId = requiredId(fields, "workflow_id", "workflow_id is required");
  authorizeAction(runs, caller, "continue", workflowId);
  const runId = requiredId(fields, "run_id", "run_id is required");
  await withOwnErrors(`Workflow ${workflowId} not found`, () => runs.pastComponent(caller, workflow(workflowId)));
  const { step_requirements, factory_input, ...others } = fields;
  const form = continueBody("workflow").reader.read(
    { ...others, step_requirements: asText(step_requirements), factory_input: asText(factory_input) },
    "body",
  );
  const name = { ...workflow(workflowId), runId, sessionId: form.sessionId };
  const { run, cursor } = await withOwnErrors(`Run ${runId} not found`, () =>
    runs.continue(caller, name, { answers: form, userId: form.userId, token, sessionRule: "always" }),
  );
  const follow = runs.follow(run, { cursor });
  return { workflowId, stream: { runId, ...fromStart({ runId, kind: "workflow" }), cursor, follow } };
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
export async function reconnect({ runs, caller, fields }: ActionRequest): Promise<FollowedRun> {
  const { runId, sessionId, lastEventIndex, ...named } = reconnection.read(fields, "body");
  if (runId === undefined) throw new TroupeError("badRequest", "run_id is required for subscription");
  const unknown = `Run ${runId} not found in buffer or database`;
  const workflowId = named.workflowId ?? (await workflowOf(runs, caller, runId));
  // Checked before the run: a caller without this scope must not learn which runs exist.
  authorizeAction(runs, caller, "reconnect", workflowId);
  // An empty id matches no workflow, so the run is not found; the rules for the request still apply.
  const name = { ...workflow(workflowId ?? ""), runId, sessionId };
  const run = await withOwnErrors(unknown, () => runs.find(caller, name, { sessionRule: "unless-admin" }));
  const head = await runs.head(run);
  if (!head) throw new TroupeError("notFound", unknown);
  const shown = fromCursor({ runId: run.runId, kind: "workflow" }, head, lastEventIndex);
  const follow = runs.follow(run, { cursor: shown.cursor });
  return { workflowId: run.componentId, stream: { runId: run.runId, ...shown, follow } };
}

/** The workflow of a run, if the client names none. */
async function workflowOf(runs: Runs, caller: Principal, runId: string): Promise<string | undefined> {
  const run = await runs.locate(caller, runId);
  return run?.kind === "workflow" ? run.componentId : undefined;
}

function workflow(componentId: string) {
  return { kind: "workflow", componentId } as const;
}

const optionalId = reader(z.object({ id: identifier.nullish() }), ({ id }) => id ?? undefined);

function requiredId(fields: RawFields, name: string, message: string): string {
  const id = optionalId.read({ id: fields[name] }, "body");
  if (id === undefined) throw new TroupeError("badRequest", message);
  return id;
}

/** Replaces the texts of errors about the run by the action's own; `text` is the text for `notFound`. */
async function withOwnErrors<Value>(text: string, find: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof TroupeError && error.code === "notFound") throw new TroupeError("notFound", text);
    if (error instanceof RunNotPaused)
      throw new TroupeError("conflict", `Run is not paused (status=${error.runStatus})`);
    throw error;
  }
}
