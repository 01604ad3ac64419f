/** The operations on a component, independent of version and binding. Results are in the neutral form. */
import { TroupeError } from "../../../errors.ts";
import { fingerprintOf } from "../../../http/transport/fingerprint.ts";
import { reportRun } from "../../../http/transport/finished-requests.ts";
import { tokenIn } from "../../../http/transport/guard.ts";
import type { Call } from "../../../http/transport/route.ts";
import type { PushTarget, PushTargetPage, PushVersion } from "../../../model/push.ts";
import { isTerminal, type RunStatus } from "../../../model/run/run.ts";
import { toTraceContext } from "../../../model/trace/propagation.ts";
import type { RunRow } from "../../../runs/find.ts";
import type { PushTargetCalls } from "../../../runs/push-targets.ts";
import type { Message, Task } from "../protocol.ts";
import { answerArtifactId } from "../task/artifacts.ts";
import { answerId } from "../task/messages.ts";
import { stateOf } from "../task/states.ts";
import { type TaskSelection, taskOf } from "../task/task-of.ts";
import * as service from "../task-service.ts";
import {
  type DeliveredMessage,
  type Endpoint,
  findTask,
  inTasks,
  readTask,
  runNameOf,
  waitForTask,
} from "../task-service.ts";
import { A2aError } from "./errors.ts";
import type { SendParams } from "./read/send.ts";
import type { PageParams, TargetName, TargetParams, TaskParams } from "./read/tasks.ts";
import { senderIn } from "./request.ts";

type Reply = Call<unknown, unknown, unknown>["reply"];

/** The caller, the component, the version and the reply of an operation. */
export interface OperationContext {
  readonly endpoint: Endpoint;
  readonly version: PushVersion;
  readonly reply: Reply;
}

/**
 * Sends a message. Returns the task when it ends or pauses, or at once if the request is not blocking, or only a message if the component's
 * definition sets that. Undefined if the client has disconnected. If this server can wait no longer, it returns the unfinished task: stock clients
 * hide an error's text and would not learn the task's id.
 */
export async function sendMessage(context: OperationContext, params: SendParams): Promise<Task | Message | undefined> {
  const { endpoint, reply } = context;
  const { blocking, historyLength } = params;
  if (blocking && !admitStream(context)) return undefined;
  const { run } = await deliver(context, params, { waits: blocking, stream: false });
  const end = blocking ? await waitForTask(endpoint, reply.raw, run) : "settled";
  if (end === "left") return undefined;
  const read = async () => await detailedTask(context, await readTask(endpoint, run.runId), { historyLength });
  const task = await takeTurn(context, read).catch((error: unknown) => {
    throw end === "cut" ? service.cannotWait(run) : error;
  });
  if (!task) return undefined;
  return blocking && answersByMessage(context, params) ? (messageAnswerOf(task) ?? task) : task;
}

/** Whether the component answers a message that begins a task with a message only. */
export function answersByMessage({ endpoint }: Pick<OperationContext, "endpoint">, { message }: SendParams): boolean {
  const { services, kind, componentId } = endpoint;
  if (message.taskId !== undefined) return false;
  return services.runs.describe({ kind: kind.name, componentId }).answersByMessage;
}

/** The message that replaces a task; undefined if the task has more than its answer. */
export function messageAnswerOf({ id, contextId, status, artifacts = [] }: Task): Message | undefined {
  const [answer, ...more] = artifacts;
  if (status.state !== "completed" || more.length > 0 || (answer && answer.artifactId !== answerArtifactId))
    return undefined;
  return { kind: "message", messageId: answerId(id), role: "agent", parts: answer?.parts ?? [], contextId };
}

/**
 * Counts a request that streams or waits, before anything is done for it; false if the client has disconnected.
 *
 * @throws TroupeError `tooManyRequests`
 */
export function admitStream({ reply }: Pick<OperationContext, "reply">): boolean {
  return reply.server.openStreams.admit(reply.request, reply.raw);
}

/** Reads tasks when it is the caller's turn; undefined when the client has left. @throws TroupeError `tooManyRequests` */
export async function takeTurn<T>(
  { endpoint, reply }: OperationContext,
  read: () => Promise<T>,
): Promise<T | undefined> {
  return await reply.server.heavyReads.take(endpoint.caller, () => (reply.raw.destroyed ? undefined : read()));
}

/** Delivers a message: it begins a task, or continues the task that it names. */
export async function deliver(
  context: OperationContext,
  params: SendParams,
  how: { waits: boolean; stream: boolean },
): Promise<DeliveredMessage> {
  const { endpoint, version, reply } = context;
  const { message, metadata, accepted, push } = params;
  checkContentTypes(endpoint, message);
  const { user, key } = senderIn(reply.request);
  const claimedUser = user ?? params.claimedUser;
  const fingerprint = () => fingerprintOf([endpoint.kind.name, endpoint.componentId, message, metadata, accepted, how]);
  const idempotency = key === undefined ? undefined : { key, fingerprint: fingerprint() };
  const pushTarget = push && pushTargetsOf(endpoint).read(push, version, message.taskId);
  const token = tokenIn(reply.request);
  const trace = toTraceContext(reply.request.headers);
  const request = { message, metadata, accepted, claimedUser, token, trace, idempotency, pushTarget, ...how };
  const delivered = await service.sendMessage(endpoint, request);
  reportRun(reply.request, delivered.run);
  reply.header("x-run-id", delivered.run.runId);
  if (delivered.isRepeated) reply.header("idempotency-replayed", "true");
  return delivered;
}

/**
 * A part with a media type must have one that the component declares. All text types count as text, and all JSON types as JSON.
 *
 * @throws A2aError
 */
function checkContentTypes(endpoint: Endpoint, { parts, taskId }: SendParams["message"]): void {
  const types = parts.flatMap((part) => {
    const type = (part.kind === "file" ? part.file.mimeType : part.mediaType)?.split(";", 1)[0]?.trim().toLowerCase();
    return type === undefined || type === "application/octet-stream" ? [] : [type];
  });
  if (types.length === 0) return;
  const modes = declaredTypes(endpoint, taskId);
  if (!modes) return;
  const isAccepted = (type: string): boolean =>
    modes.some((mode) => [type, `${type.split("/", 1)[0]}/*`, "*/*"].includes(mode.toLowerCase())) ||
    (type.startsWith("text/") && modes.some((mode) => mode.startsWith("text/"))) ||
    (type.endsWith("+json") && modes.includes("application/json"));
  const other = types.find((type) => !isAccepted(type));
  if (other === undefined) return;
  const text = `Content type ${other.slice(0, 100)} is not taken here; there are ${modes.join(", ")}`;
  throw new A2aError("contentTypeNotSupported", text, { about: { mediaType: other.slice(0, 100) } });
}

/** The media types that the component declares; undefined if they are not known. @throws TroupeError `notFound`, `unavailable` */
function declaredTypes(
  { services, kind, componentId }: Endpoint,
  taskId: string | undefined,
): readonly string[] | undefined {
  try {
    return services.runs.describe({ kind: kind.name, componentId }).inputTypes;
  } catch (error) {
    // A task continues with the version that it began with, also after its component was deleted.
    if (taskId !== undefined && error instanceof TroupeError) return undefined;
    throw error;
  }
}

/** A task with the time of its status. */
export async function detailedTask(
  { endpoint }: Pick<OperationContext, "endpoint">,
  run: RunRow,
  { historyLength }: Pick<TaskSelection, "historyLength">,
): Promise<Task> {
  const details = await endpoint.services.runs.details(run, { exchanges: historyLength !== 0, artifacts: true });
  const { changedAt, exchanges, artifacts } = details;
  return withTimestamp(taskOf(run, { historyLength, exchanges, added: artifacts }), changedAt);
}

/** A task with the time of its last change, in milliseconds. */
export function withTimestamp(task: Task, changedAt: number | undefined): Task {
  if (changedAt === undefined) return task;
  return { ...task, status: { ...task.status, timestamp: new Date(changedAt).toISOString() } };
}

/** The current state of a task. */
export async function getTask(context: OperationContext, { id, historyLength }: TaskParams): Promise<Task> {
  return await detailedTask(context, await readTask(context.endpoint, id), { historyLength });
}

/** Cancels a task. @throws A2aError if the task has already ended */
export async function cancelTask(context: OperationContext, { id }: Pick<TaskParams, "id">): Promise<Task> {
  const before = await findTask(context.endpoint, id);
  requireUnfinished(before.status);
  const run = await service.cancelTask(context.endpoint, id);
  // The task may have ended before the cancel request reached it.
  if (run.status !== "CANCELLED") requireUnfinished(run.status);
  return await detailedTask(context, run, {});
}

function requireUnfinished(status: RunStatus): void {
  if (!isTerminal(status)) return;
  throw new A2aError("taskNotCancelable", `The task cannot be canceled: it is ${stateOf(status, {})}`);
}

/** Adds a push target to a task; it receives changes from now on. */
export async function setTarget(
  { endpoint, version }: OperationContext,
  { taskId, given }: TargetParams,
): Promise<PushTarget> {
  // Clients of 0.3 that name no id expect the task's id.
  const targets = pushTargetsOf(endpoint);
  const target = targets.read(given, version, version === "0.3" ? taskId : undefined);
  await inTasks(targets.put(endpoint.caller, runNameOf(endpoint, taskId), target));
  return target;
}

/** A push target of a task. */
export async function getTarget({ endpoint }: OperationContext, { taskId, id }: TargetName): Promise<PushTarget> {
  return await inTasks(pushTargetsOf(endpoint).find(endpoint.caller, runNameOf(endpoint, taskId), id));
}

/** The push targets of a task. */
export async function listTargets(
  { endpoint }: OperationContext,
  { taskId, ...page }: PageParams & { readonly taskId: string },
): Promise<PushTargetPage> {
  return await inTasks(pushTargetsOf(endpoint).list(endpoint.caller, runNameOf(endpoint, taskId), page));
}

/** Deletes a push target of a task. */
export async function deleteTarget({ endpoint }: OperationContext, { taskId, id }: TargetName): Promise<void> {
  await inTasks(pushTargetsOf(endpoint).remove(endpoint.caller, runNameOf(endpoint, taskId), id));
}

/** @throws A2aError if the platform sends no push notifications */
function pushTargetsOf({ services }: Endpoint): PushTargetCalls {
  if (services.runs.pushTargets) return services.runs.pushTargets;
  throw new A2aError("pushNotificationNotSupported", "This server sends no push notifications");
}
