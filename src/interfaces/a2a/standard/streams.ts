/** Streams of the standard endpoints: the current task, then the events of its run. */
import type { LogItem } from "../../../events/run-logs.ts";
import { type Stream, sendStream } from "../../../http/streams/sse.ts";
import { toJsonLine } from "../../../model/frame.ts";
import type { PushVersion } from "../../../model/push.ts";
import { isTerminal } from "../../../model/run.ts";
import { optionsOf } from "../../../model/stored-run.ts";
import type { StateChanges } from "../../../runs/changes.ts";
import type { RunRow } from "../../../runs/find.ts";
import { beyondAnyEnd } from "../../../runs/follow.ts";
import type { A2aEvent, Task } from "../protocol.ts";
import { afterEvent, beginning, type Cursor } from "../stream/cursor.ts";
import { taskStream } from "../stream/follow.ts";
import { standardTelling } from "../stream/standard-telling.ts";
import { type DeliveredMessage, findTask, readTask } from "../task-service.ts";
import { A2aError } from "./errors.ts";
import { type Asking, aloneOf, answersAlone, deliver, isAdmitted, shown } from "./operations.ts";
import type { Sent } from "./read/sent.ts";
import type { TaskParams } from "./read/tasks.ts";

/** Converts a stream's items and errors to output. */
export interface StreamForm {
  item(event: A2aEvent): unknown;
  /** The frame of an error, which is the last one. */
  error(fault: A2aError): string;
}

/** The state of a stream's reader. */
export interface Reader {
  /** The last frame that a resuming reader received. */
  readonly after: Cursor | undefined;
}

/** Sends a message and streams its task. A message with a cursor is not delivered again: its stream had already begun. */
export async function streamMessage(asking: Asking, sent: Sent, { after }: Reader, form: StreamForm): Promise<void> {
  const { taskId } = sent.message;
  if (!isAdmitted(asking)) return;
  if (after !== undefined) {
    if (taskId !== undefined) return await streamTask(asking, { id: taskId }, { after }, form);
    const text = "A message that begins a task is not sent again with Last-Event-ID: subscribe to its task instead.";
    throw new A2aError("invalidRequest", text);
  }
  const reached = await deliver(asking, sent, { waits: true, stream: true });
  if (answersAlone(asking, sent)) return streamAlone(asking, reached.run, sent, form);
  if (taskId === undefined && !reached.isRepeated) {
    const { after: start } = reached;
    return stream(
      asking,
      reached.run,
      { after: start, opening: begunTask(reached, sent), accepted: sent.accepted },
      form,
    );
  }
  const row = await readTask(asking.endpoint, reached.run.runId);
  const opening = await shown(asking, row, { historyLength: sent.historyLength });
  stream(asking, reached.run, { after: reached.after, opening, accepted: acceptedBy(row) }, form);
}

/**
 * Streams an existing task. With a cursor, the reader gets what follows it, even if the task has ended. Without one, it gets the current task and
 * then everything from the first event on, so that it misses nothing; if the task is paused, it gets only what follows the pause.
 *
 * @throws A2aError in 1.0 if the task has ended and the reader has no cursor: it can get the task itself instead
 */
export async function subscribe(
  asking: Asking,
  params: Pick<TaskParams, "id">,
  reader: Reader,
  form: StreamForm,
): Promise<void> {
  if (!isAdmitted(asking)) return;
  await streamTask(asking, params, reader, form);
}

async function streamTask(
  asking: Asking,
  { id }: Pick<TaskParams, "id">,
  { after }: Reader,
  form: StreamForm,
): Promise<void> {
  const { endpoint, version } = asking;
  const run = await findTask(endpoint, id);
  if (after === undefined && version === "1.0" && isTerminal(run.status)) {
    throw new A2aError("unsupportedOperation", "The task is over: get it instead of subscribing to it");
  }
  // Read before the row: a later pause is then sent as an update.
  const { pauses } = await endpoint.services.runs.changes(run);
  const row = await readTask(endpoint, id);
  const opening = after === undefined ? await shown(asking, row, {}) : undefined;
  stream(
    asking,
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

interface Reading {
  readonly after: Cursor;
  /** Sent before everything else. */
  readonly opening: Task | undefined;
  readonly accepted?: readonly string[] | undefined;
  readonly acrossPauses?: boolean | undefined;
}

function stream({ endpoint, reply }: Asking, run: DeliveredMessage["run"], reading: Reading, form: StreamForm): void {
  const { runs, platform, runtime } = endpoint.services;
  const { after, opening, accepted, acrossPauses = false } = reading;
  const name = { taskId: run.runId, contextId: run.sessionId };
  const told = taskStream(runs, endpoint.caller, run, {
    telling: standardTelling({ ...name, historyLength: undefined, accepted }),
    toFrame: (id, event) => `data: ${toJsonLine(form.item(event))}\nid: ${id}\n\n`,
    after,
    opening: opening ? `data: ${toJsonLine(form.item(opening))}\n\n` : "",
    gone: () => form.error(new A2aError("taskNotFound", "Task not found")),
    unreadable: () => form.error(new A2aError("internal", "Internal server error")),
    gap: (requested, firstAvailable) => {
      const text = `Events ${requested} to ${firstAvailable - 1} of the task are no longer kept: get the task itself`;
      return form.error(new A2aError("unsupportedOperation", text));
    },
    acrossPauses,
    isTimed: true,
  });
  reply.header("x-run-id", run.runId);
  void sendStream(reply, told, { heartbeatInterval: platform.settings.heartbeatInterval, log: runtime.log });
}

/** Streams the single message that is the answer, or the task if it has more; this is known only at its end. */
function streamAlone(asking: Asking, run: DeliveredMessage["run"], { historyLength }: Sent, form: StreamForm): void {
  const { endpoint, reply } = asking;
  const { runs, platform, runtime } = endpoint.services;
  const read = runs.follow(run, { cursor: beyondAnyEnd });
  let told = "";
  async function* follow(signal: AbortSignal): AsyncGenerator<LogItem> {
    for await (const item of read(signal)) {
      if (item.kind === "end") {
        const task = await shown(asking, await readTask(endpoint, run.runId), { historyLength });
        told = `data: ${JSON.stringify(form.item(aloneOf(task) ?? task))}\n\n`;
      }
      yield item;
    }
  }
  const stream: Stream = {
    opening: "",
    cursor: -1,
    follow,
    farewell: () => ": interrupted, send the message again with its Idempotency-Key\n\n",
    translate: ({ kind }) => (kind === "end" ? [told] : []),
  };
  reply.header("x-run-id", run.runId);
  void sendStream(reply, stream, { heartbeatInterval: platform.settings.heartbeatInterval, log: runtime.log });
}

/** A task that has just begun: its initial state is known without reading the store. */
function begunTask({ run }: DeliveredMessage, { message, historyLength }: Sent): Task {
  const name = { taskId: run.runId, contextId: run.sessionId };
  const said = { kind: "message" as const, role: "user" as const, ...message, ...name };
  return {
    kind: "task",
    id: run.runId,
    contextId: run.sessionId,
    status: { state: "submitted" },
    ...(historyLength !== 0 && { history: [said] }),
  };
}

/** Output types that the message which began the task accepted: every reader of the task's stream gets the same types. */
function acceptedBy(run: Pick<RunRow, "options">): readonly string[] | undefined {
  return optionsOf(run).a2a?.acceptedOutputModes;
}
