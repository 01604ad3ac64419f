/** The task service: sends messages to components, and finds and cancels their tasks. A task is a root run. */
import type { ServerResponse } from "node:http";
import { defaultRetryAfter, TroupeError } from "../../errors.ts";
import { afterEvent, beginning, type Cursor } from "../../http/streams/frame-cursor.ts";
import { unreadableText } from "../../http/streams/meta-frames.ts";
import { untilGone } from "../../http/streams/sse.ts";
import { checkRunAction } from "../../http/transport/guard.ts";
import type { Kind } from "../../http/transport/kinds.ts";
import type { RouteServices } from "../../http/transport/services.ts";
import type { Principal } from "../../model/principal.ts";
import type { PushTarget } from "../../model/push.ts";
import type { FirstMessage, RunOptions } from "../../model/run/record.ts";
import { isActive } from "../../model/run/run.ts";
import { RunNotPaused } from "../../model/run/run-not-paused.ts";
import type { TraceContext } from "../../model/trace/propagation.ts";
import type { LocatedRun, RunName, RunRef, RunRow } from "../../runs/find.ts";
import type { RunAction } from "../../runs/permissions.ts";
import type { AcceptedRun } from "../../runs/start.ts";
import type { Message, Metadata } from "./protocol.ts";
import { toAnswers } from "./task/answers.ts";
import { toInput, toKept } from "./task/parts.ts";
import { exchangeOf } from "./task/task-of.ts";

/** The component that a request addresses, and its caller. */
export interface Endpoint {
  readonly services: RouteServices;
  readonly caller: Principal;
  readonly kind: Kind;
  readonly componentId: string;
}

/** A message that begins a task or continues one. */
export interface MessageRequest {
  readonly message: Omit<Message, "kind" | "role">;
  /** Metadata of the request; it becomes the run's metadata. */
  readonly metadata?: Metadata | undefined;
  /** The user id that the request names. */
  readonly claimedUser?: string | undefined;
  readonly accepted?: readonly string[] | undefined;
  /** False if the client does not wait on an open connection. */
  readonly waits: boolean;
  readonly stream: boolean;
  /** Idempotency key: repeated sends of the message start one run. */
  readonly idempotency?: { readonly key: string; readonly fingerprint: string } | undefined;
  /** If true, nothing new is started: a start with the same key must exist. */
  readonly onlyIfRepeated?: boolean | undefined;
  /** Receives the task's changes from now on. */
  readonly pushTarget?: PushTarget | undefined;
  /** The caller's token. */
  readonly token?: string | undefined;
  /** The caller's trace context. */
  readonly trace?: TraceContext | undefined;
}

/** A message that has begun or continued a task. */
export interface DeliveredMessage {
  readonly run: Pick<AcceptedRun, "key" | "runId" | "sessionId">;
  /** The position in the task's stream after which the message's effects begin; the sender already knows the earlier frames. */
  readonly after: Cursor;
  readonly isRepeated: boolean;
}

/** Checks the caller's permission for an action on the runs of the component, as the operator's scope mappings define it. @throws TroupeError `forbidden` */
export function authorize({ services, caller, kind, componentId }: Endpoint, action: RunAction): void {
  checkRunAction(services.runs, caller, action, { kind: kind.name, componentId });
}

/**
 * Sends a message: it begins a task, or continues the paused task that it names. Its push target is stored before the message is delivered, so that the
 * target receives every change.
 *
 * @throws TroupeError `notFound` (component, task), `conflict` (the task is over or at work), `badRequest` (no answer to what the task waits for),
 * `forbidden` (the caller, or a reserved user id), `tooLarge`, `unavailable`, `tooManyRequests`, `validation` (one push target too many)
 */
export async function sendMessage(endpoint: Endpoint, request: MessageRequest): Promise<DeliveredMessage> {
  const { taskId } = request.message;
  authorize(endpoint, taskId === undefined ? "start" : "continue");
  return await (taskId === undefined ? startTask(endpoint, request) : continueTask(endpoint, request, taskId));
}

async function startTask(
  { services, caller, kind, componentId }: Endpoint,
  request: MessageRequest,
): Promise<DeliveredMessage> {
  const { message, waits, idempotency, onlyIfRepeated, token, trace, claimedUser, pushTarget } = request;
  const run = await services.runs.start(caller, {
    kind: kind.name,
    componentId,
    ...toInput(message.parts),
    sessionId: message.contextId,
    userId: claimedUser,
    options: optionsOf(request),
    background: !waits,
    token,
    trace,
    idempotency,
    onlyIfRepeated,
    pushTargets: pushTarget && [pushTarget],
  });
  return { run, after: beginning, isRepeated: run.isRepeated };
}

function optionsOf({ message, metadata, accepted, stream, waits }: MessageRequest): RunOptions {
  const { messageId, metadata: messageMetadata, extensions, referenceTaskIds } = message;
  const parts = toKept(message.parts);
  const a2a: FirstMessage = {
    messageId,
    ...(parts && { parts }),
    ...(messageMetadata && { metadata: { ...messageMetadata } }),
    ...(extensions && { extensions }),
    ...(referenceTaskIds && { referenceTaskIds }),
    ...(accepted && { acceptedOutputModes: accepted }),
  };
  const { factory_input: factoryInput } = metadata ?? {};
  return {
    ...{ stream, background: !waits },
    ...(metadata && { metadata: { ...metadata } }),
    ...(isObject(factoryInput) && { factoryInput }),
    a2a,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function continueTask(
  { services, caller, kind, componentId }: Endpoint,
  { message, claimedUser, idempotency, onlyIfRepeated, token, pushTarget }: MessageRequest,
  taskId: string,
): Promise<DeliveredMessage> {
  const name = { kind: kind.name, componentId, runId: taskId, sessionId: message.contextId };
  const continued = services.runs.continue(caller, name, {
    answers: (pause, run) => ({ ...toAnswers(pause, message.parts), exchange: exchangeOf(run, message) }),
    pushTarget,
    userId: claimedUser,
    token,
    idempotency,
    onlyIfRepeated,
  });
  try {
    const { run, cursor, isRepeated } = await continued;
    return { run, after: afterEvent(cursor), isRepeated };
  } catch (error) {
    if (!(error instanceof RunNotPaused) || !isActive(error.runStatus)) return await inTasks(Promise.reject(error));
    return await inTasks(steerTask({ services, caller, kind, componentId }, { message, idempotency }, taskId));
  }
}

/** Puts a message into a task at work. The service layer rejects it for workflows and remote components. */
async function steerTask(
  { services, caller, kind, componentId }: Endpoint,
  { message, idempotency }: Pick<MessageRequest, "message" | "idempotency">,
  taskId: string,
): Promise<DeliveredMessage> {
  const input = toInput(message.parts);
  if (input.media.length > 0)
    throw new TroupeError(
      "badRequest",
      "The task is at work: a message to it can contain text and data, but no files.",
    );
  authorize({ services, caller, kind, componentId }, "steer");
  const name = { kind: kind.name, componentId, runId: taskId, sessionId: message.contextId };
  const found = await services.runs.find(caller, name);
  const head = await services.runs.head(found);
  const sent = { message: input.message, mode: "queue", idempotency: idempotency ?? ofMessage(message) } as const;
  const { run, isRepeated } = await services.runs.steer(caller, name, sent);
  return { run, after: afterEvent((head?.nextIndex ?? 0) - 1), isRepeated };
}

/** A message that a client sends again has the same id. */
function ofMessage({ messageId, parts }: MessageRequest["message"]): MessageRequest["idempotency"] {
  return { key: `a2a:${messageId}`, fingerprint: JSON.stringify(parts) };
}

function notPaused({ runStatus }: RunNotPaused): TroupeError {
  if (!isActive(runStatus)) return new TroupeError("conflict", "The task is over.");
  const advice = "To follow it, send Last-Event-ID with the id of the last frame that you have.";
  return new TroupeError("conflict", `The task is at work, and takes no message now. ${advice}`);
}

/**
 * The run of a task, if the caller may see it, even if its component is no longer hosted. A member's run is not a task. `userId` is the user that the
 * request names.
 *
 * @throws TroupeError `notFound`, `forbidden` (a reserved user id)
 */
export async function findTask(
  endpoint: Endpoint,
  taskId: string,
  contextId?: string,
  userId?: string,
): Promise<LocatedRun> {
  return await inTasks(
    endpoint.services.runs.find(endpoint.caller, runNameOf(endpoint, taskId, contextId), { userId }),
  );
}

/** The complete run of a task. @throws TroupeError `notFound` */
export async function readTask(endpoint: Endpoint, taskId: string, contextId?: string): Promise<RunRow> {
  return await inTasks(endpoint.services.runs.load(endpoint.caller, runNameOf(endpoint, taskId, contextId)));
}

/**
 * Cancels a task, and returns its run afterwards: it is cancelled, unless that takes longer than the setting `deleteTimeout`. A finished task stays as
 * it is.
 *
 * @throws TroupeError `notFound`
 */
export async function cancelTask(endpoint: Endpoint, taskId: string, contextId?: string): Promise<RunRow> {
  await inTasks(endpoint.services.runs.cancelAndWait(endpoint.caller, runNameOf(endpoint, taskId, contextId)));
  return await readTask(endpoint, taskId, contextId);
}

/**
 * Waits until a task ends or pauses (`settled`), the client disconnects (`left`), or this server can wait no longer because it shuts down or its
 * database does not answer (`cut`).
 *
 * @throws TroupeError `notFound`
 */
export async function waitForTask(
  { services }: Endpoint,
  response: ServerResponse,
  run: RunRef,
): Promise<"settled" | "left" | "cut"> {
  const end = await services.runs.waitForEnd(run, untilGone(response));
  if (end?.kind === "interrupted") return "cut";
  if (end?.kind === "unreadable") throw new TroupeError("internal", unreadableText(run.runId));
  if (end?.kind === "deleted") throw noTask();
  return end === undefined ? "left" : "settled";
}

/** The error for a client whose task continues without this server. */
export function cannotWait({ runId }: RunRef): TroupeError {
  const text = `The task ${runId} continues, but this server cannot wait for it: request it later.`;
  return new TroupeError("unavailable", text, { retryAfter: defaultRetryAfter });
}

/** The name of a task's run. */
export function runNameOf({ kind, componentId }: Endpoint, runId: string, sessionId?: string): RunName {
  return { kind: kind.name, componentId, runId, sessionId };
}

/** Translates the service layer's errors about a run to errors about its task. */
export async function inTasks<Value>(found: Promise<Value>): Promise<Value> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof RunNotPaused) throw notPaused(error);
    if (error instanceof TroupeError && error.code === "notFound" && error.message.startsWith("Run ")) throw noTask();
    throw error;
  }
}

function noTask(): TroupeError {
  return new TroupeError("notFound", "Task not found");
}
