/** Sends a message over the platform's own endpoints: the answer is the task, or the stream of its events. */
import { type FieldFault, TroupeError, valueFault } from "../../../errors.ts";
import { invalid } from "../../../http/input/validation-errors.ts";
import type { Cursor } from "../../../http/streams/frame-cursor.ts";
import { sendStream } from "../../../http/streams/sse.ts";
import { fingerprintOf } from "../../../http/transport/fingerprint.ts";
import { reportRun } from "../../../http/transport/finished-requests.ts";
import { tokenIn } from "../../../http/transport/guard.ts";
import type { Call } from "../../../http/transport/route.ts";
import { toTraceContext } from "../../../model/trace/propagation.ts";
import { type MessageHeaders, messageHeaders } from "../message-headers.ts";
import type { Task } from "../protocol.ts";
import type { MessageForm } from "../requests.ts";
import { taskStream } from "../stream/follow.ts";
import { errorFrame, gapFrame, platformFrames } from "../stream/platform-frames.ts";
import { platformTranslator } from "../stream/platform-translator.ts";
import { endedTask } from "../task/ended.ts";
import { sentTaskOf } from "../task/task-of.ts";
import type { DeliveredMessage, Endpoint, MessageRequest } from "../task-service.ts";
import * as service from "../task-service.ts";

/** A request that sends a message. */
export type MessageCall = Pick<Call<unknown, undefined, MessageForm>, "request" | "reply" | "body">;

/** `message:stream`. A request with both a task id and a cursor only resumes the stream: its message was delivered before. */
export async function streamMessage(endpoint: Endpoint, { request, reply, body }: MessageCall): Promise<void> {
  const headers = messageHeaders.read(request.headers, "header");
  const { taskId, contextId } = body.message;
  if (headers.after && taskId !== undefined) {
    service.authorize(endpoint, "follow");
    const run = await service.findTask(endpoint, taskId, contextId, headers.userId ?? body.claimedUser);
    return answerStream(endpoint, { reply, body, headers }, { run, after: headers.after, isRepeated: false });
  }
  if (headers.after && headers.idempotencyKey === undefined) {
    const advice = "To resume its stream, name its task in params.message.taskId.";
    throw new TroupeError(
      "badRequest",
      `Nothing was started: Last-Event-ID says that a task was started before. ${advice}`,
    );
  }
  const how = { waits: true, stream: true };
  const reached = await deliver(endpoint, body, requestOf(endpoint, { request, body, headers }, how));
  answerStream(endpoint, { reply, body, headers }, { ...reached, after: headers.after ?? reached.after });
}

/** `message:send`: the task when it ends or pauses, or at once if the request is not blocking. */
export async function sendMessage(endpoint: Endpoint, { request, reply, body }: MessageCall): Promise<unknown> {
  const headers = messageHeaders.read(request.headers, "header");
  const { requestId, blocking, historyLength } = body;
  const { run, isRepeated } = await deliver(
    endpoint,
    body,
    requestOf(endpoint, { request, body, headers }, { waits: blocking, stream: false }),
  );
  reportRun(request, run);
  reply.header("x-run-id", run.runId);
  if (isRepeated) reply.header("idempotency-replayed", "true");
  if (!blocking) {
    reply.code(202);
    const task = { taskId: run.runId, contextId: run.sessionId, historyLength };
    return answer(requestId, endedTask(task, { state: "submitted", content: undefined }, []));
  }
  const end = await service.waitForTask(endpoint, reply.raw, run);
  if (end === "left") return {};
  if (end === "cut") throw service.cannotWait(run);
  const row = await reply.server.heavyReads.take(endpoint.caller, () => service.readTask(endpoint, run.runId));
  return answer(requestId, sentTaskOf(row, { historyLength }));
}

/** Sends the message. Validation errors of the message or its push notification config name the position in the request's body. */
async function deliver(
  endpoint: Endpoint,
  { push, message }: MessageForm,
  request: MessageRequest,
): Promise<DeliveredMessage> {
  const { pushTargets } = endpoint.services.runs;
  if (push && !pushTargets) throw new TroupeError("badRequest", "This platform sends no push notifications.");
  try {
    const pushTarget = push && pushTargets?.read(push, "0.3", message.taskId);
    return await service.sendMessage(endpoint, { ...request, pushTarget });
  } catch (error) {
    if (!(error instanceof TroupeError) || error.code !== "validation") throw error;
    if (error.faults) throw invalid(error.faults.map(inParams));
    throw invalid([valueFault(["body", "params", "configuration", "pushNotificationConfig"], error.message)]);
  }
}

function inParams({ loc: [first, ...rest], ...fault }: FieldFault): FieldFault {
  return { ...fault, loc: first === "body" ? ["body", "params", ...rest] : [first ?? "body", ...rest] };
}

/** A JSON-RPC answer. */
export function answer(id: string | number | null, result: Task): Record<string, unknown> {
  return { id, jsonrpc: "2.0", result };
}

function requestOf(
  { kind, componentId }: Endpoint,
  { request, body, headers }: Pick<MessageCall, "request" | "body"> & { readonly headers: MessageHeaders },
  how: { readonly waits: boolean; readonly stream: boolean },
): MessageRequest {
  const { userId, idempotencyKey, after } = headers;
  const { message, metadata, accepted, historyLength } = body;
  const fingerprint = fingerprintOf([kind.name, componentId, message, metadata, accepted, historyLength, how]);
  return {
    message,
    metadata,
    accepted,
    claimedUser: userId ?? body.claimedUser,
    ...how,
    idempotency: idempotencyKey === undefined ? undefined : { key: idempotencyKey, fingerprint },
    onlyIfRepeated: after !== undefined,
    token: tokenIn(request),
    trace: toTraceContext(request.headers),
  };
}

/** Not awaited, and without the body, whose files would otherwise stay in memory until the run ends. */
function answerStream(
  { services, caller, kind }: Endpoint,
  { reply, body, headers }: Pick<MessageCall, "reply" | "body"> & { headers: MessageHeaders },
  { run, after, isRepeated }: Omit<DeliveredMessage, "after"> & { readonly after: Cursor },
): void {
  const { runs, platform, runtime } = services;
  const { requestId, historyLength, accepted } = body;
  const form = { requestId, bareStatus: kind.name === "team" && headers.version === undefined };
  const name = { taskId: run.runId, contextId: run.sessionId };
  const stream = taskStream(runs, caller, run, {
    translator: platformTranslator({ ...name, historyLength, accepted }),
    toFrame: platformFrames(form),
    after,
    deletedFrame: () => errorFrame(form, -32001, "Task not found"),
    unreadableFrame: () => errorFrame(form, -32603, "Internal server error"),
    gapFrame: (requested, firstAvailable) => gapFrame(form, name, requested, firstAvailable),
  });
  reportRun(reply.request, run);
  reply.header("x-run-id", run.runId);
  if (isRepeated) reply.header("idempotency-replayed", "true");
  void sendStream(reply, stream, { heartbeatInterval: platform.settings.heartbeatInterval, log: runtime.log });
}
