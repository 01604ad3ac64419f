/**
 * Creates a run's notifications for a target. Each state change in the log becomes a task for clients of 0.3, and a stream item for clients of 1.0.
 * Notifications of pauses and of the end include all artifacts so far.
 */

import { beginning } from "../../../http/streams/frame-cursor.ts";
import { system } from "../../../model/principal.ts";
import type { ClaimedPush, IndexedNotification } from "../../../runs/push/pusher.ts";
import type { Runs } from "../../../runs/runs.ts";
import type { A2aEvent, Artifact, StatusUpdate, Task, TaskState } from "../protocol.ts";
import { format03, format10 } from "../standard/formats.ts";
import { standardTranslator } from "../stream/standard-translator.ts";
import { StreamWriter } from "../stream/writer.ts";
import { taskOf } from "../task/task-of.ts";
import { headersOf } from "./headers.ts";

/** The services that create notifications. */
export interface NotificationParts {
  readonly runs: Pick<Runs, "head" | "frames" | "changes" | "details" | "load">;
  /** Maximum size of a notification's body, in bytes. */
  readonly maxBytes: number;
  /** Creates the token that proves the sender; undefined if the platform does not sign. */
  readonly sign: ((url: string, body: string, id: string) => Promise<string>) | undefined;
}

/** A2A 1.0 has its own media type. */
const contentTypes = { "0.3": "application/json", "1.0": "application/a2a+json" } as const;

/** A change of a task's state, and the index of its event. */
interface Change {
  readonly index: number;
  readonly update: StatusUpdate;
}

/** The notifications after the target's cursor, in order. */
export async function* notificationsOf(
  parts: NotificationParts,
  claimed: ClaimedPush,
): AsyncGenerator<IndexedNotification> {
  const { target, runId } = claimed;
  const toBodies = target.version === "0.3" ? toTask : toItems;
  for (const { index, update } of await changesOf(parts, claimed)) {
    if (index <= claimed.cursor) continue;
    const artifacts = await artifactsOf(parts, claimed, update.status.state);
    const bodies = toBodies(update, artifacts, parts.maxBytes);
    for (const [place, body] of bodies.entries()) {
      const id = `${runId}/${index}.${place}`;
      const signature = await parts.sign?.(target.url, body, id);
      const headers = headersOf(target, { id, contentType: contentTypes[target.version], signature });
      const isLast = place === bodies.length - 1;
      // Advance the cursor only after the event's last notification is delivered: after a crash, all of them are sent again.
      yield { index: isLast ? index : claimed.cursor, notification: { headers, body } };
    }
  }
}

/** The state changes in a run's log, read from its beginning: an update is a change only if its state differs from the previous one. */
async function changesOf({ runs }: NotificationParts, run: ClaimedPush): Promise<readonly Change[]> {
  const { runId, sessionId } = run;
  const events: { id: string; event: A2aEvent }[] = [];
  const translator = standardTranslator({ taskId: runId, contextId: sessionId });
  const toFrame = (id: string, event: A2aEvent): string => {
    // The writer also renders frames of trial events without a position.
    if (id !== "" && event.kind === "status-update") events.push({ id, event });
    return "";
  };
  const writer = new StreamWriter({ taskId: runId, translator, toFrame, after: beginning });
  const head = await runs.head(run);
  const times = await runs.changes(run);
  for await (const frames of runs.frames(run, head?.nextIndex ?? 0)) writer.write(frames, [], times);
  let last: string | undefined;
  return events.flatMap(({ id, event }) => {
    const update = event as StatusUpdate;
    if (update.status.state === last) return [];
    last = update.status.state;
    return [{ index: Number.parseInt(id, 10), update }];
  });
}

/** The run's artifacts when it pauses or ends; empty if it has continued since: a later notification includes them. */
async function artifactsOf(
  { runs }: NotificationParts,
  run: ClaimedPush,
  state: TaskState,
): Promise<readonly Artifact[]> {
  if (state === "submitted" || state === "working") return [];
  // Only a caller that may see the run can set a target, so deliveries do not check access again.
  const row = await runs.load(system, run);
  const { artifacts: added } = await runs.details(run, { exchanges: false, artifacts: true });
  const task = taskOf(row, { added });
  return task.status.state === state ? (task.artifacts ?? []) : [];
}

/** The task at the time of the change. Artifacts are included if they fit; otherwise the client must fetch the task. */
function toTask(
  { taskId, contextId, status }: StatusUpdate,
  artifacts: readonly Artifact[],
  maxBytes: number,
): readonly string[] {
  const task: Task = { kind: "task", id: taskId, contextId, status };
  const whole = JSON.stringify(format03.task(artifacts.length > 0 ? { ...task, artifacts } : task));
  if (Buffer.byteLength(whole) <= maxBytes) return [whole];
  return [JSON.stringify(format03.task({ ...task, metadata: { artifactsLeftOut: true } }))];
}

/** The items of the change: one for each artifact that fits, then the update. */
function toItems(update: StatusUpdate, artifacts: readonly Artifact[], maxBytes: number): readonly string[] {
  const { taskId, contextId } = update;
  const lastChunk = update.status.state !== "input-required" && update.status.state !== "auth-required";
  const items = artifacts.map((artifact) => {
    const event = { kind: "artifact-update", taskId, contextId, artifact, append: false, lastChunk } as const;
    return JSON.stringify(format10.item(event));
  });
  const fitting = items.filter((item) => Buffer.byteLength(item) <= maxBytes);
  const leftOut = fitting.length < items.length ? { metadata: { ...update.metadata, artifactsLeftOut: true } } : {};
  return [...fitting, JSON.stringify(format10.item({ ...update, ...leftOut }))];
}
