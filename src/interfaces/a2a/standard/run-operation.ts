/** Runs one operation of the specification: parses its parameters and converts its result to a JSON form. */

import type { Cursor } from "../../../http/streams/frame-cursor.ts";
import type { RunAction } from "../../../runs/permissions.ts";
import type { CardJson } from "../cards/versions.ts";
import type { A2aEvent } from "../protocol.ts";
import { authorize } from "../task-service.ts";
import { A2aError } from "./errors.ts";
import type { TaskFormat } from "./formats.ts";
import { listTasks } from "./list-tasks.ts";
import * as operations from "./operations.ts";
import type { ParamsParsers } from "./read/parsers.ts";
import { streamMessage, subscribe } from "./streams.ts";

/** Internal names of the operations. */
export type OperationName =
  | ("send" | "stream" | "subscribe" | "cancel" | "get" | "list" | "card")
  | ("setTarget" | "getTarget" | "listTargets" | "deleteTarget");

/**
 * The action that each operation requires: push targets need `run`, because they receive the content of tasks and give the server an address to call.
 */
export const actions: Readonly<Record<OperationName, "run" | "read">> = {
  ...{ send: "run", stream: "run", subscribe: "run", cancel: "run", get: "read", list: "read", card: "read" },
  ...{ setTarget: "run", getTarget: "run", listTargets: "run", deleteTarget: "run" },
};

/** The actions on runs that operations perform. Messages are checked where it is known what they do. */
const runActions: Readonly<Partial<Record<OperationName, RunAction>>> = {
  ...{ subscribe: "follow", cancel: "cancel", get: "read", list: "list" },
};

/** The inputs of an operation. */
export interface OperationCall {
  readonly context: operations.OperationContext;
  readonly parsers: ParamsParsers;
  readonly format: TaskFormat;
  readonly params: unknown;
  /** The position after which a stream resumes. */
  readonly after: Cursor | undefined;
  /** Wraps an item of a stream as the binding requires. */
  readonly wrap: (item: unknown) => unknown;
  /** The frame of an error, which ends a stream. */
  readonly errorFrame: (fault: A2aError) => string;
  readonly card: () => Promise<CardJson>;
}

/** The result of an operation; `answered` if the reply is a stream or the client has disconnected. */
export type Result = { readonly value: unknown } | "answered";

/** @throws A2aError, TroupeError */
export async function runOperation(name: OperationName, call: OperationCall): Promise<Result> {
  const { context, parsers, format, params, after, wrap, errorFrame } = call;
  const action = runActions[name];
  if (action) authorize(context.endpoint, action);
  const form = { item: (event: A2aEvent) => wrap(format.item(event)), error: errorFrame };
  switch (name) {
    case "send": {
      const task = await operations.sendMessage(context, parsers.send(params));
      return task ? { value: format.sent(task) } : "answered";
    }
    case "stream":
      await streamMessage(context, parsers.send(params), { after }, form);
      return "answered";
    case "subscribe":
      await subscribe(context, parsers.task(params), { after }, form);
      return "answered";
    case "get": {
      const parsed = parsers.task(params);
      const task = await operations.takeTurn(context, () => operations.getTask(context, parsed));
      return task ? { value: format.task(task) } : "answered";
    }
    case "cancel":
      return { value: format.task(await operations.cancelTask(context, parsers.task(params))) };
    case "list": {
      const parsed = parsers.list(params);
      const tasks = await operations.takeTurn(context, () => listTasks(context, parsed));
      return tasks ? { value: format.list(tasks) } : "answered";
    }
    case "card":
      return { value: await call.card() };
    case "setTarget": {
      const parsed = parsers.setTarget(params);
      return { value: format.target(parsed.taskId, await operations.setTarget(context, parsed)) };
    }
    case "getTarget": {
      const parsed = parsers.target(params);
      return { value: format.target(parsed.taskId, await operations.getTarget(context, parsed)) };
    }
    case "listTargets": {
      const parsed = parsers.targets(params);
      const { targets, nextPageToken } = await operations.listTargets(context, parsed);
      return { value: format.targets(parsed.taskId, targets, nextPageToken) };
    }
    case "deleteTarget":
      await operations.deleteTarget(context, parsers.target(params));
      return { value: null };
    default:
      throw new A2aError("unsupportedOperation", "The operation is not supported");
  }
}
