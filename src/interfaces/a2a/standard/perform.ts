/** Performs one operation of the specification: parses its parameters and converts its result to a JSON form. */

import type { CardJson } from "../cards/versions.ts";
import type { A2aEvent } from "../protocol.ts";
import type { Cursor } from "../stream/cursor.ts";
import { A2aError } from "./errors.ts";
import type { TaskFormat } from "./formats.ts";
import * as operations from "./operations.ts";
import type { Reading } from "./read/read.ts";
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

/** The inputs of an operation. */
export interface Performance {
  readonly asking: operations.Asking;
  readonly reading: Reading;
  readonly dialect: TaskFormat;
  readonly params: unknown;
  /** The position after which a stream resumes. */
  readonly after: Cursor | undefined;
  /** Wraps an item of a stream as the binding requires. */
  readonly wrapped: (item: unknown) => unknown;
  /** The frame of an error, which ends a stream. */
  readonly errorFrame: (fault: A2aError) => string;
  readonly card: () => Promise<CardJson>;
}

/** The result of an operation; `answered` if the reply is a stream or the client has disconnected. */
export type Result = { readonly value: unknown } | "answered";

/** @throws A2aError, TroupeError */
export async function perform(name: OperationName, performance: Performance): Promise<Result> {
  const { asking, reading, dialect, params, after, wrapped, errorFrame } = performance;
  const form = { item: (event: A2aEvent) => wrapped(dialect.item(event)), error: errorFrame };
  switch (name) {
    case "send": {
      const task = await operations.sendMessage(asking, reading.send(params));
      return task ? { value: dialect.sent(task) } : "answered";
    }
    case "stream":
      await streamMessage(asking, reading.send(params), { after }, form);
      return "answered";
    case "subscribe":
      await subscribe(asking, reading.task(params), { after }, form);
      return "answered";
    case "get": {
      const asked = reading.task(params);
      const task = await operations.inTurn(asking, () => operations.getTask(asking, asked));
      return task ? { value: dialect.task(task) } : "answered";
    }
    case "cancel":
      return { value: dialect.task(await operations.cancelTask(asking, reading.task(params))) };
    case "list": {
      const asked = reading.list(params);
      const tasks = await operations.inTurn(asking, () => operations.listTasks(asking, asked));
      return tasks ? { value: dialect.list(tasks) } : "answered";
    }
    case "card":
      return { value: await performance.card() };
    case "setTarget": {
      const asked = reading.setTarget(params);
      return { value: dialect.target(asked.taskId, await operations.setTarget(asking, asked)) };
    }
    case "getTarget": {
      const asked = reading.target(params);
      return { value: dialect.target(asked.taskId, await operations.getTarget(asking, asked)) };
    }
    case "listTargets": {
      const asked = reading.targets(params);
      const { targets, nextPageToken } = await operations.listTargets(asking, asked);
      return { value: dialect.targets(asked.taskId, targets, nextPageToken) };
    }
    case "deleteTarget":
      await operations.deleteTarget(asking, reading.target(params));
      return { value: null };
    default:
      throw new A2aError("unsupportedOperation", "The operation is not supported");
  }
}
