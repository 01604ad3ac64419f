/** Converts the neutral form to JSON of A2A 1.0: a union's variant is the name of its member, and enumeration values are spelled out. */
import type { A2aEvent, Artifact, Message, Part, Task, TaskState, TaskStatus } from "./protocol.ts";

type Json = Readonly<Record<string, unknown>>;

const states: Readonly<Record<TaskState, string>> = {
  submitted: "TASK_STATE_SUBMITTED",
  working: "TASK_STATE_WORKING",
  "input-required": "TASK_STATE_INPUT_REQUIRED",
  "auth-required": "TASK_STATE_AUTH_REQUIRED",
  completed: "TASK_STATE_COMPLETED",
  canceled: "TASK_STATE_CANCELED",
  failed: "TASK_STATE_FAILED",
  rejected: "TASK_STATE_REJECTED",
};

/** A state's name in 1.0. */
export function stateName(state: TaskState): string {
  return states[state];
}

/** An item of a stream (`StreamResponse`); the answer to a sent message has the same form, with a task or a message. */
export function toStreamItem(event: A2aEvent): Json {
  switch (event.kind) {
    case "task":
      return { task: toTask(event) };
    case "message":
      return { message: toMessage(event) };
    case "status-update": {
      const { taskId, contextId, status, metadata } = event;
      return { statusUpdate: { taskId, contextId, status: toStatus(status), metadata } };
    }
    case "artifact-update": {
      const { taskId, contextId, artifact, append, lastChunk, metadata } = event;
      return { artifactUpdate: { taskId, contextId, artifact: toArtifact(artifact), append, lastChunk, metadata } };
    }
  }
}

export function toTask({ id, contextId, status, artifacts, history, metadata }: Task): Json {
  return {
    id,
    contextId,
    status: toStatus(status),
    artifacts: artifacts?.map(toArtifact),
    history: history?.map(toMessage),
    metadata,
  };
}

function toStatus({ state, message, timestamp }: TaskStatus): Json {
  return { state: states[state], message: message && toMessage(message), timestamp };
}

function toArtifact({ parts, ...artifact }: Artifact): Json {
  return { ...artifact, parts: parts.map(toPart) };
}

export function toMessage({ kind: _, role, parts, ...message }: Message): Json {
  return { ...message, role: role === "user" ? "ROLE_USER" : "ROLE_AGENT", parts: parts.map(toPart) };
}

function toPart(part: Part): Json {
  const { metadata } = part;
  switch (part.kind) {
    case "text": {
      const { text, filename, mediaType } = part;
      return { text, filename, mediaType, metadata };
    }
    case "data": {
      const { data, filename, mediaType } = part;
      return { data, filename, mediaType, metadata };
    }
    case "file": {
      const { bytes, uri, mimeType, name } = part.file;
      return {
        ...(bytes === undefined ? { url: uri } : { raw: bytes }),
        filename: name,
        mediaType: mimeType,
        metadata,
      };
    }
  }
}
