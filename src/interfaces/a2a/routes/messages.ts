/** The platform's own A2A endpoints of a component kind: they send messages, and read and cancel tasks. */
import { TroupeError } from "../../../errors.ts";
import type { Kind } from "../../../http/transport/kinds.ts";
import { type Access, type Operation, type Route, route } from "../../../http/transport/route.ts";
import { bodyErrors } from "../../../http/transport/statuses.ts";
import { messageHeadersSchema } from "../message-headers.ts";
import type { Task } from "../protocol.ts";
import { sendAnswer } from "../records.ts";
import { componentPath, sendBody, streamBody, type TaskForm, taskBody } from "../requests.ts";
import { recordedTaskOf } from "../task/task-of.ts";
import { authorize, cancelTask, type Endpoint, readTask } from "../task-service.ts";
import { answer, sendMessage, streamMessage } from "./send-message.ts";

/** Common members of these endpoints' operations. */
export const operationDefaults: Pick<Operation, "tag" | "security" | "faults"> = {
  tag: "A2A",
  security: "bearer",
  faults: "list",
};

/** Error statuses of endpoints that accept messages. */
export const messageErrors: readonly number[] = [...bodyErrors, 409, 429, 502];

/** The answer of a stream. It has no schema: a client that parses it as one text would wait for its end. */
export const streamAnswer: Operation["success"] = {
  200: { description: "The stream of the task's events", json: "any", eventStream: true },
};

export const sendAnswers: Operation["success"] = {
  200: { description: "The task, ended or waiting for input", json: sendAnswer },
  202: { description: "The task, without waiting for its end", json: "any" },
};

/** `message:send` and `message:stream`, and, except for workflows, `tasks:get` and `tasks:cancel`. */
export function messageRoutes(kind: Kind): readonly Route[] {
  const { name, plural } = kind;
  const base = `/a2a/${plural}/{id}/v1`;
  const runs: Access = { resource: plural, action: "run", idParam: "id" };
  const messages = [
    route({
      method: "POST",
      path: `${base}/message:send`,
      access: runs,
      operation: {
        ...operationDefaults,
        id: `run_message_${name}`,
        summary: `Send a message to the ${name} and wait for the task`,
        success: sendAnswers,
        errors: messageErrors,
        headers: messageHeadersSchema,
      },
      pathParams: componentPath,
      body: sendBody,
      waits: true,
      handle: ({ services, caller, path, ...call }) => sendMessage({ services, caller, kind, ...path }, call),
    }),
    route({
      method: "POST",
      path: `${base}/message:stream`,
      access: runs,
      operation: {
        ...operationDefaults,
        id: `stream_message_${name}`,
        summary: `Send a message to the ${name} and stream the task, or resume the stream of a task`,
        success: streamAnswer,
        errors: messageErrors,
        headers: messageHeadersSchema,
      },
      pathParams: componentPath,
      body: streamBody,
      handle: ({ services, caller, path, ...call }) => streamMessage({ services, caller, kind, ...path }, call),
    }),
  ];
  return name === "workflow" ? messages : [...messages, ...taskRoutes(kind, base, runs)];
}

function taskRoutes(kind: Kind, base: string, runs: Access): readonly Route[] {
  const { name, plural } = kind;
  return [
    route({
      method: "POST",
      path: `${base}/tasks:get`,
      access: { resource: plural, action: "read", idParam: "id" },
      operation: {
        ...operationDefaults,
        id: `get_${name}_task`,
        summary: `Get the current state of a task of the ${name}`,
        success: { 200: { description: "The task", json: "any" } },
        errors: bodyErrors,
      },
      pathParams: componentPath,
      body: taskBody,
      isHeavy: true,
      handle: async ({ services, caller, path, body }) => {
        const taskId = taskIdIn(body);
        if (body.contextId === undefined) throw new TroupeError("badRequest", "contextId is required to poll a task");
        const endpoint: Endpoint = { services, caller, kind, ...path };
        authorize(endpoint, "read");
        const run = await readTask(endpoint, taskId, body.contextId);
        return answer(body.requestId, withNulls(recordedTaskOf(run, body)));
      },
    }),
    route({
      method: "POST",
      path: `${base}/tasks:cancel`,
      access: runs,
      operation: {
        ...operationDefaults,
        id: `cancel_${name}_task`,
        summary: `Cancel a task of the ${name}; a finished task does not change`,
        success: { 200: { description: "The task", json: "any" } },
        errors: bodyErrors,
      },
      pathParams: componentPath,
      body: taskBody,
      handle: async ({ services, caller, path, body }) => {
        const endpoint: Endpoint = { services, caller, kind, ...path };
        authorize(endpoint, "cancel");
        const run = await cancelTask(endpoint, taskIdIn(body), body.contextId);
        return answer(body.requestId, withNulls(recordedTaskOf(run, body)));
      },
    }),
  ];
}

function taskIdIn({ taskId }: TaskForm): string {
  if (taskId === undefined) throw new TroupeError("badRequest", "Task ID (params.id) is required");
  return taskId;
}

/** These answers keep members without a value, as recorded. */
function withNulls(task: Task): Task {
  const { status, history = [] } = task;
  const nothing = { artifacts: null, metadata: null };
  const messages = history.map((one) => ({ extensions: null, metadata: null, referenceTaskIds: null, ...one }));
  const full = { ...nothing, ...task, status: { message: null, timestamp: null, ...status }, history: messages };
  return full as unknown as Task;
}
