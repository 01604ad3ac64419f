/** Streams of the standard endpoints: the current task, then the events of its run. */
import type { LogItem } from "../../../events/run-logs.ts";
import { afterEvent, beginning, type Cursor } from "../../../http/streams/frame-cursor.ts";
import { type Stream, sendStream } from "../../../http/streams/sse.ts";
import { toJsonLine } from "../../../model/frame.ts";
import type { PushVersion } from "../../../model/push.ts";
import { isTerminal } from "../../../model/run/run.ts";
import { optionsOf } from "../../../model/run/stored-run.ts";
import type { StateChanges } from "../../../runs/changes.ts";
import type { RunRow } from "../../../runs/find.ts";
import { beyondAnyEnd } from "../../../runs/follow.ts";
import type { A2aEvent, Task } from "../protocol.ts";
import { taskStream } from "../stream/follow.ts";
import { standardTranslator } from "../stream/standard-translator.ts";
import { type DeliveredMessage, findTask, readTask } from "../task-service.ts";
import { A2aError } from "./errors.ts";
import {
  admitStream,
  answersByMessage,
  deliver,
  detailedTask,
  messageAnswerOf,
  type OperationContext,
} from "./operations.ts";
import type { SendParams } from "./read/send.ts";
import type { TaskParams } from "./read/tasks.ts";

/** Converts a stream's items and errors to output. */
export interface StreamForm {
  item(event: A2aEvent): unknown;
  /** The frame of an error, which is the last one. */
  error(fault: A2aError): string;
}

/** The position of a stream's reader. */
export interface StreamPosition {
  /** The last frame that a resuming reader received. */
  readonly after: Cursor | undefined;
}

/** Sends a message and streams its task. A message with a cursor is not delivered again: its stream had already begun. */
export async function streamMessage(
  context: OperationContext,
  params: SendParams,
  { after }: StreamPosition,
  form: StreamForm,
): Promise<void> {
  const { taskId } = params.message;
  if (!admitStream(context)) return;
  if (after !== undefined) {
    if (taskId !== undefined) return await streamTask(context, { id: taskId }, { after }, form);
    const text = "A message that begins a task is not sent again with Last-Event-ID: subscribe to its task instead.";
    throw new A2aError("invalidRequest", text);
  }
  const delivered = await deliver(context, params, { waits: true, stream: true });
  if (answersByMessage(context, params)) return streamMessageAnswer(context, delivered.run, params, form);
  if (taskId === undefined && !delivered.isRepeated) {
    const { after: start } = delivered;
    return stream(
      context,
      delivered.run,
      { after: start, opening: startedTask(delivered, params), accepted: params.accepted },
      form,
    );
  }
  const row = await readTask(context.endpoint, delivered.run.runId);
  const opening = await detailedTask(context, row, { historyLength: params.historyLength });
  stream(context, delivered.run, { after: delivered.after, opening, accepted: acceptedBy(row) }, form);
}

/**
 * Streams an existing task. With a cursor, the reader gets the frames after it, even if the task has ended. Without a
 * cursor, it gets the current task and then all frames from the first event on, so that it misses nothing; if the
 * task is paused, it gets only the frames after the pause.
 *
 * @throws A2aError in 1.0 if the task has ended and the reader has no cursor: it can get the task itself instead
 */
export async function subscribe(
  context: OperationContext,
  params: Pick<TaskParams, "id">,
  position: StreamPosition,
  form: StreamForm,
): Promise<void> {
  if (!admitStream(context)) return;
  await streamTask(context, params, position, form);
}

async function streamTask(
  context: OperationContext,
  { id }: Pick<TaskParams, "id">,
  { after }: StreamPosition,
  form: StreamForm,
): Promise<void> {
  const { endpoint, version } = context;
  const run = await findTask(endpoint, id);
  if (after === undefined && version === "1.0" && isTerminal(run.status)) {
    throw new A2aError("unsupportedOperation", "The task is over: get it instead of subscribing to it");
  }
  // The pauses are read before the row, so that the stream sends a later pause as an update.
  const { pauses } = await endpoint.services.runs.changes(run);
  const row = await readTask(endpoint, id);
  const opening = after === undefined ? await detailedTask(context, row, {}) : undefined;
  stream(
    context,
    run,
    // In 0.3 a pause is the final update of a stream; nothing may follow it.
    {
      after: after ?? beginningFor(row, pauses.at(-1), version),
      opening,
      accepted: acceptedBy(row),
      acrossPauses: version === "1.0",
    },
    form,
  );
}

/**
 * The position at which a reader without a cursor starts: after the pause of a paused task, except that a stream of 0.3 still sends the pause as its
 * final update.
 */
function beginningFor(
  { status }: RunRow,
  pause: StateChanges["pauses"][number] | undefined,
  version: PushVersion,
): Cursor {
  if (status !== "PAUSED" || !pause) return beginning;
  return afterEvent(version === "1.0" ? pause.index : pause.index - 1);
}

interface StreamStart {
  readonly after: Cursor;
  /** The first frames of the stream. */
  readonly opening: Task | undefined;
  readonly accepted?: readonly string[] | undefined;
  readonly acrossPauses?: boolean | undefined;
}

function stream(
  { endpoint, reply }: OperationContext,
  run: DeliveredMessage["run"],
  start: StreamStart,
  form: StreamForm,
): void {
  const { runs, platform, runtime } = endpoint.services;
  const { after, opening, accepted, acrossPauses = false } = start;
  const name = { taskId: run.runId, contextId: run.sessionId };
  const frames = taskStream(runs, endpoint.caller, run, {
    translator: standardTranslator({ ...name, historyLength: undefined, accepted }),
    toFrame: (id, event) => `data: ${toJsonLine(form.item(event))}\nid: ${id}\n\n`,
    after,
    opening: opening ? `data: ${toJsonLine(form.item(opening))}\n\n` : "",
    deletedFrame: () => form.error(new A2aError("taskNotFound", "Task not found")),
    unreadableFrame: () => form.error(new A2aError("internal", "Internal server error")),
    gapFrame: (requested, firstAvailable) => {
      const text = `Events ${requested} to ${firstAvailable - 1} of the task are no longer kept: get the task itself`;
      return form.error(new A2aError("unsupportedOperation", text));
    },
    acrossPauses,
    isTimed: true,
  });
  reply.header("x-run-id", run.runId);
  void sendStream(reply, frames, { heartbeatInterval: platform.settings.heartbeatInterval, log: runtime.log });
}

/** Streams the single message that is the answer, or the task if it has more; this is known only at its end. */
function streamMessageAnswer(
  context: OperationContext,
  run: DeliveredMessage["run"],
  { historyLength }: SendParams,
  form: StreamForm,
): void {
  const { endpoint, reply } = context;
  const { runs, platform, runtime } = endpoint.services;
  const read = runs.follow(run, { cursor: beyondAnyEnd });
  let frame = "";
  async function* follow(signal: AbortSignal): AsyncGenerator<LogItem> {
    for await (const item of read(signal)) {
      if (item.kind === "end") {
        const task = await detailedTask(context, await readTask(endpoint, run.runId), { historyLength });
        frame = `data: ${JSON.stringify(form.item(messageAnswerOf(task) ?? task))}\n\n`;
      }
      yield item;
    }
  }
  const stream: Stream = {
    opening: "",
    cursor: -1,
    follow,
    farewell: () => ": interrupted, send the message again with its Idempotency-Key\n\n",
    translate: ({ kind }) => (kind === "end" ? [frame] : []),
  };
  reply.header("x-run-id", run.runId);
  void sendStream(reply, stream, { heartbeatInterval: platform.settings.heartbeatInterval, log: runtime.log });
}

/** A task that has just begun: its initial state is known without reading the store. */
function startedTask({ run }: DeliveredMessage, { message, historyLength }: SendParams): Task {
  const name = { taskId: run.runId, contextId: run.sessionId };
  const sent = { kind: "message" as const, role: "user" as const, ...message, ...name };
  return {
    kind: "task",
    id: run.runId,
    contextId: run.sessionId,
    status: { state: "submitted" },
    ...(historyLength !== 0 && { history: [sent] }),
  };
}

/** Output types that the message which began the task accepted: every reader of the task's stream gets the same types. */
function acceptedBy(run: Pick<RunRow, "options">): readonly string[] | undefined {
  return optionsOf(run).a2a?.acceptedOutputModes;
}
