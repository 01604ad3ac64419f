/** The JSON forms of the specification: 0.3 by its schema, 1.0, and the form of 0.3's protocol buffers, which its clients use over plain HTTP. */
import type { PushTarget, PushVersion } from "../../../model/push.ts";
import type { A2aEvent, Artifact, Message, Part, Task, TaskState, TaskStatus } from "../protocol.ts";
import * as version1 from "../version-1.ts";

type Json = Readonly<Record<string, unknown>>;

/** A page of tasks. */
export interface TaskList {
  readonly tasks: readonly Task[];
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}

/** Converts results to one JSON form. */
export interface TaskFormat {
  readonly version: PushVersion;
  /** An item of a stream. */
  item(event: A2aEvent): Json;
  /** The answer to a sent message. */
  sent(answer: Task | Message): Json;
  task(task: Task): Json;
  list(list: TaskList): Json;
  target(taskId: string, target: PushTarget): Json;
  targets(taskId: string, targets: readonly PushTarget[], nextPageToken: string): unknown;
}

function plainParts<Whole extends { readonly parts: readonly Part[] }>({ parts, ...rest }: Whole): Json {
  const plain = parts.map((part) => {
    if (part.kind === "file") return part;
    const { mediaType: _, filename: __, ...known } = part;
    return known;
  });
  return { ...rest, parts: plain };
}

function plainStatus({ message, ...status }: TaskStatus): Json {
  return { ...status, ...(message && { message: plainParts(message) }) };
}

function plainTask({ status, history, artifacts, ...task }: Task): Json {
  return {
    ...task,
    status: plainStatus(status),
    ...(history && { history: history.map(plainParts) }),
    ...(artifacts && { artifacts: artifacts.map(plainParts) }),
  };
}

function plainEvent(event: A2aEvent): Json {
  switch (event.kind) {
    case "task":
      return plainTask(event);
    case "message":
      return plainParts(event);
    case "status-update":
      return { ...event, status: plainStatus(event.status) };
    case "artifact-update":
      return { ...event, artifact: plainParts(event.artifact) };
  }
}

function config03({ id, url, token, authentication }: PushTarget): Json {
  return { id, url, token, authentication };
}

/** JSON of 0.3: the neutral form without the part members that 0.3 does not have. */
export const format03: TaskFormat = {
  version: "0.3",
  item: plainEvent,
  sent: plainEvent,
  task: plainTask,
  list: ({ tasks, ...page }) => ({ tasks: tasks.map(plainTask), ...page }),
  target: (taskId, target) => ({ taskId, pushNotificationConfig: config03(target) }),
  targets: (taskId, targets) => targets.map((target) => format03.target(taskId, target)),
};

function config10(taskId: string, { id, url, token, authentication }: PushTarget): Json {
  const [scheme] = authentication?.schemes ?? [];
  const given = scheme === undefined ? undefined : { scheme, credentials: authentication?.credentials };
  return { taskId, id, url, token, authentication: given };
}

/** JSON of 1.0. */
export const format10: TaskFormat = {
  version: "1.0",
  item: version1.toStreamItem,
  sent: version1.toStreamItem,
  task: version1.toTask,
  list: ({ tasks, ...page }) => ({ tasks: tasks.map(version1.toTask), ...page }),
  target: config10,
  targets: (taskId, targets, nextPageToken) => ({
    configs: targets.map((target) => config10(taskId, target)),
    nextPageToken,
  }),
};

/** The protocol buffers of 0.3 spell one state differently. */
function stateName03(state: TaskState): string {
  return state === "canceled" ? "TASK_STATE_CANCELLED" : version1.stateName(state);
}

function part03(part: Part): Json {
  const { metadata } = part;
  if (part.kind === "text") return { text: part.text, metadata };
  if (part.kind === "data") return { data: { data: part.data }, metadata };
  const { bytes, uri, mimeType, name } = part.file;
  const where = bytes === undefined ? { fileWithUri: uri } : { fileWithBytes: bytes };
  return { file: { ...where, mimeType, name }, metadata };
}

function message03({ kind: _, role, parts, ...message }: Message): Json {
  return { ...message, role: role === "user" ? "ROLE_USER" : "ROLE_AGENT", content: parts.map(part03) };
}

function status03({ state, message, timestamp }: TaskStatus): Json {
  return { state: stateName03(state), message: message && message03(message), timestamp };
}

function artifact03({ parts, ...artifact }: Artifact): Json {
  return { ...artifact, parts: parts.map(part03) };
}

function task03({ id, contextId, status, artifacts, history, metadata }: Task): Json {
  return {
    ...{ id, contextId, status: status03(status), artifacts: artifacts?.map(artifact03) },
    ...{ history: history?.map(message03), metadata },
  };
}

function item03(event: A2aEvent): Json {
  switch (event.kind) {
    case "task":
      return { task: task03(event) };
    case "message":
      return { msg: message03(event) };
    case "status-update": {
      const { kind: _, status, ...update } = event;
      return { statusUpdate: { ...update, status: status03(status) } };
    }
    case "artifact-update": {
      const { kind: _, artifact, ...update } = event;
      return { artifactUpdate: { ...update, artifact: artifact03(artifact) } };
    }
  }
}

function named03(taskId: string, target: PushTarget): Json {
  const name = `tasks/${taskId}/pushNotificationConfigs/${target.id}`;
  return { name, pushNotificationConfig: config03(target) };
}

/** JSON of 0.3's protocol buffers. */
export const format03Rest: TaskFormat = {
  version: "0.3",
  item: item03,
  sent: item03,
  task: task03,
  list: ({ tasks, ...page }) => ({ tasks: tasks.map(task03), ...page }),
  target: named03,
  targets: (taskId, targets, nextPageToken) => ({
    configs: targets.map((target) => named03(taskId, target)),
    nextPageToken,
  }),
};
