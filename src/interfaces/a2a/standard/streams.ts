/** Streams of the standard endpoints: the task as it is, then what is told of its run. */
import type { Followed } from "../../../events/followed.ts";
import { beyondAnyEnd, type Stream, sendStream } from "../../../http/streams/sse.ts";
import { toJsonLine } from "../../../model/frame.ts";
import type { PushVersion } from "../../../model/push.ts";
import type { RunOptions } from "../../../model/record.ts";
import { isTerminal } from "../../../model/run.ts";
import type { RunRow } from "../../../store/contract/store.ts";
import type { TaskChanges } from "../../../store/contract/tasks.ts";
import { findTask, type Reached, readTask } from "../door.ts";
import type { A2aEvent, Task } from "../protocol.ts";
import { afterEvent, beginning, type Cursor } from "../stream/cursor.ts";
import { taskStream } from "../stream/follow.ts";
import { standardTelling } from "../stream/standard-telling.ts";
import { A2aFault } from "./faults.ts";
import { type Asking, aloneOf, answersAlone, deliver, isAdmitted, shown } from "./operations.ts";
import type { Sent } from "./read/sent.ts";
import type { TaskParams } from "./read/tasks.ts";

/** How a stream's items and its errors are written. */
export interface StreamForm {
  item(event: A2aEvent): unknown;
  /** The frame of an error, which is the last one. */
  error(fault: A2aFault): string;
}

/** What a reader of a task's stream says. */
export interface Reader {
  /** The last frame that it has, when it comes again. */
  readonly after: Cursor | undefined;
}

/** Sends a message and streams what becomes of it. A message that comes with a cursor is not delivered again: its reader had begun to read. */
export async function streamMessage(asking: Asking, sent: Sent, { after }: Reader, form: StreamForm): Promise<void> {
  const { taskId } = sent.message;
  if (!isAdmitted(asking)) return;
  if (after !== undefined) {
    if (taskId !== undefined) return await streamTask(asking, { id: taskId }, { after }, form);
    const text = "A message that begins a task is not sent again with Last-Event-ID: subscribe to its task instead.";
    throw new A2aFault("invalidRequest", text);
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
  const row = await readTask(asking.visit, reached.run.runId);
  const opening = await shown(asking, row, { historyLength: sent.historyLength });
  stream(asking, reached.run, { after: reached.after, opening, accepted: acceptedBy(row) }, form);
}

/**
 * Streams a task that there is. With a cursor its reader gets what comes after it, also of a task that is over; without one the task as it is, then
 * everything from the first event on, so that nothing is missed whenever it comes; of a task that waits what comes next.
 *
 * @throws A2aFault for a task that is over, of which a reader without a cursor gets all there is by asking for it
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
  const { visit, version } = asking;
  const run = await findTask(visit, id);
  if (after === undefined && version === "1.0" && isTerminal(run.status)) {
    throw new A2aFault("unsupportedOperation", "The task is over: get it instead of subscribing to it");
  }
  // Before the row: a pause that comes later than these is told as news.
  const { pauses } = await visit.services.tasks.changes(run.key);
  const row = await readTask(visit, id);
  const opening = after === undefined ? await shown(asking, row, {}) : undefined;
  stream(
    asking,
    run,
    // In 0.3 a pause is the final update of a stream, and nothing may come behind it.
    {
      after: after ?? beginningFor(row, pauses.at(-1), version),
      opening,
      accepted: acceptedBy(row),
      acrossPauses: version === "1.0",
    },
    form,
  );
}

/** What a reader without a cursor has by the task itself: of one that waits everything, but for the update that ends a stream of 0.3. */
function beginningFor(
  { status }: RunRow,
  pause: TaskChanges["pauses"][number] | undefined,
  version: PushVersion,
): Cursor {
  if (status !== "PAUSED" || !pause) return beginning;
  return afterEvent(version === "1.0" ? pause.index : pause.index - 1);
}

interface Reading {
  readonly after: Cursor;
  /** Comes before everything else. */
  readonly opening: Task | undefined;
  readonly accepted?: readonly string[] | undefined;
  readonly acrossPauses?: boolean | undefined;
}

function stream({ visit, reply }: Asking, run: Reached["run"], reading: Reading, form: StreamForm): void {
  const { logs, store, tasks, platform, runtime } = visit.services;
  const { after, opening, accepted, acrossPauses = false } = reading;
  const name = { taskId: run.runId, contextId: run.sessionId };
  const told = taskStream({ logs, store, tasks }, visit.caller, run, {
    telling: standardTelling({ ...name, historyLength: undefined, accepted }),
    toFrame: (id, event) => `data: ${toJsonLine(form.item(event))}\nid: ${id}\n\n`,
    after,
    opening: opening ? `data: ${toJsonLine(form.item(opening))}\n\n` : "",
    gone: () => form.error(new A2aFault("taskNotFound", "Task not found")),
    unreadable: () => form.error(new A2aFault("internal", "Internal server error")),
    gap: (requested, firstAvailable) => {
      const text = `Events ${requested} to ${firstAvailable - 1} of the task are no longer kept: get the task itself`;
      return form.error(new A2aFault("unsupportedOperation", text));
    },
    acrossPauses,
    isTimed: true,
  });
  reply.header("x-run-id", run.runId);
  void sendStream(reply, told, { heartbeat: platform.settings.heartbeat, log: runtime.log });
}

/** Streams the one message that is the answer, or the task where there is more to say: which of them is known at the end. */
function streamAlone(asking: Asking, run: Reached["run"], { historyLength }: Sent, form: StreamForm): void {
  const { visit, reply } = asking;
  const { logs, platform, runtime } = visit.services;
  let told = "";
  async function* follow(signal: AbortSignal): AsyncGenerator<Followed> {
    for await (const item of logs.follow(run.key, { cursor: beyondAnyEnd, signal })) {
      if (item.kind === "end") {
        const task = await shown(asking, await readTask(visit, run.runId), { historyLength });
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
  void sendStream(reply, stream, { heartbeat: platform.settings.heartbeat, log: runtime.log });
}

/** A task that was begun just now: nothing of it need be read to say what it is. */
function begunTask({ run }: Reached, { message, historyLength }: Sent): Task {
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

/** Types of parts that the message took which began the task: whoever reads its stream is told the same. */
function acceptedBy({ options }: Pick<RunRow, "options">): readonly string[] | undefined {
  return (JSON.parse(options) as RunOptions).a2a?.acceptedOutputModes;
}
