/**
 * Creates a run's notifications for a target. Each state change in the log becomes a task for clients of 0.3, and a stream item for clients of 1.0.
 * Notifications of pauses and of the end include all artifacts so far.
 */
import { system } from "../../../model/principal.ts";
import type { ClaimedPush } from "../../../store/contract/push-targets.ts";
import type { Store } from "../../../store/contract/store.ts";
import type { TaskStore } from "../../../store/contract/tasks.ts";
import type { A2aEvent, Artifact, StatusUpdate, Task, TaskState } from "../protocol.ts";
import { format03, format10 } from "../standard/formats.ts";
import { beginning } from "../stream/cursor.ts";
import { standardTelling } from "../stream/standard-telling.ts";
import { StreamWriter } from "../stream/writer.ts";
import { taskOf } from "../task/task-of.ts";
import type { Telling } from "./pusher.ts";

/** The services that create notifications. */
export interface TellingParts {
  readonly store: Store;
  readonly tasks: Pick<TaskStore, "changes" | "artifacts">;
  /** Maximum size of a notification's body, in bytes. */
  readonly bytes: number;
  /** Creates the token that proves the sender; undefined if the platform does not sign. */
  readonly sign: ((url: string, body: string, id: string) => Promise<string>) | undefined;
}

/** 1.0 has a media type of its own. */
const contentTypes = { "0.3": "application/json", "1.0": "application/a2a+json" } as const;

/** Bytes of a log per read. */
const readBytes = 256 * 1024;

/** A change of a task's state, and the index of its event. */
interface Change {
  readonly index: number;
  readonly update: StatusUpdate;
}

/** The notifications after the target's cursor, in order. */
export function tellingsOf(parts: TellingParts): (claimed: ClaimedPush) => AsyncGenerator<Telling> {
  return async function* tellings(claimed) {
    const { target, runId } = claimed;
    for (const { index, update } of await changesOf(parts, claimed)) {
      if (index <= claimed.cursor) continue;
      const artifacts = await artifactsOf(parts, runId, update.status.state);
      const bodies =
        target.version === "0.3" ? [asTask(update, artifacts, parts.bytes)] : asItems(update, artifacts, parts.bytes);
      for (const [place, body] of bodies.entries()) {
        const id = `${runId}/${index}.${place}`;
        const signature = await parts.sign?.(target.url, body, id);
        const isLast = place === bodies.length - 1;
        const notification = { id, contentType: contentTypes[target.version], body, signature };
        // Advance the cursor only after the event's last notification is delivered: after a crash, all of them are sent again.
        yield { index: isLast ? index : claimed.cursor, notification };
      }
    }
  };
}

/** The state changes in a run's log, read from its beginning: an update is a change only if its state differs from the previous one. */
async function changesOf(
  { store, tasks }: TellingParts,
  { key, runId, sessionId }: ClaimedPush,
): Promise<readonly Change[]> {
  const events: { id: string; event: A2aEvent }[] = [];
  const telling = standardTelling({ taskId: runId, contextId: sessionId });
  const toFrame = (id: string, event: A2aEvent): string => {
    // The writer also renders frames of trial events without a position.
    if (id !== "" && event.kind === "status-update") events.push({ id, event });
    return "";
  };
  const writer = new StreamWriter({ taskId: runId, telling, toFrame, after: beginning });
  const head = await store.head(key);
  const times = await tasks.changes(key);
  for (let cursor = -1; cursor + 1 < (head?.nextIndex ?? 0); ) {
    const segments = await store.segments(key, cursor, readBytes);
    if (segments.length === 0) break;
    for (const { frames, lastIndex } of segments) {
      writer.write(frames, [], times);
      cursor = lastIndex;
    }
  }
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
  { store, tasks }: TellingParts,
  runId: string,
  state: TaskState,
): Promise<readonly Artifact[]> {
  if (state === "submitted" || state === "working") return [];
  // A caller that may see the run set the target; access is not checked again for deliveries.
  const row = await store.findRun(system, runId);
  const made = row && (await tasks.artifacts([row.key])).get(row.key);
  const task = row && taskOf(row, { made });
  return task?.status.state === state ? (task.artifacts ?? []) : [];
}

/** The task at the time of the change. Artifacts are included if they fit; otherwise the client must fetch the task. */
function asTask({ taskId, contextId, status }: StatusUpdate, artifacts: readonly Artifact[], most: number): string {
  const task: Task = { kind: "task", id: taskId, contextId, status };
  const whole = JSON.stringify(format03.task(artifacts.length > 0 ? { ...task, artifacts } : task));
  if (Buffer.byteLength(whole) <= most) return whole;
  return JSON.stringify(format03.task({ ...task, metadata: { artifactsLeftOut: true } }));
}

function asItems(update: StatusUpdate, artifacts: readonly Artifact[], most: number): readonly string[] {
  const { taskId, contextId } = update;
  const lastChunk = update.status.state !== "input-required" && update.status.state !== "auth-required";
  const items = artifacts.map((artifact) => {
    const told = { kind: "artifact-update", taskId, contextId, artifact, append: false, lastChunk } as const;
    return JSON.stringify(format10.item(told));
  });
  const fitting = items.filter((item) => Buffer.byteLength(item) <= most);
  const leftOut = fitting.length < items.length ? { metadata: { ...update.metadata, artifactsLeftOut: true } } : {};
  return [...fitting, JSON.stringify(format10.item({ ...update, ...leftOut }))];
}
