/** The JSON-RPC binding: one endpoint for both versions, whose method names differ. */

import { checkAction } from "../../../http/transport/guard.ts";
import type { Kind } from "../../../http/transport/kinds.ts";
import { type Call, type Route, route } from "../../../http/transport/route.ts";
import { toJsonLine } from "../../../model/frame.ts";
import { componentPath } from "../requests.ts";
import type { ExtendedCard } from "../routes/cards.ts";
import type { Endpoint } from "../task-service.ts";
import { A2aError, rpcError, toA2aError } from "./errors.ts";
import { format03, format10, type TaskFormat } from "./formats.ts";
import { type ParamsParsers, parsers03, parsers10 } from "./read/parsers.ts";
import { cursorOf, type Request, readJson, type Version, versionOf } from "./request.ts";
import { actions, type OperationName, runOperation } from "./run-operation.ts";

type Methods = Readonly<Record<string, OperationName>>;

/** Methods of 0.3 (its section 7). 0.3 defines `tasks/list` for its REST binding only; it is accepted here for clients that expect it. */
const methods03: Methods = {
  "message/send": "send",
  "message/stream": "stream",
  "tasks/get": "get",
  "tasks/list": "list",
  "tasks/cancel": "cancel",
  "tasks/resubscribe": "subscribe",
  "tasks/pushNotificationConfig/set": "setTarget",
  "tasks/pushNotificationConfig/get": "getTarget",
  "tasks/pushNotificationConfig/list": "listTargets",
  "tasks/pushNotificationConfig/delete": "deleteTarget",
  "agent/getAuthenticatedExtendedCard": "card",
};

/** Methods of 0.3 that answer with a stream even for an error (its section 3.3.1): its standard clients accept nothing else. */
const streaming03: ReadonlySet<unknown> = new Set(["message/stream", "tasks/resubscribe"]);

/** Methods of 1.0 (its section 9.4). */
const methods10: Methods = {
  SendMessage: "send",
  SendStreamingMessage: "stream",
  GetTask: "get",
  ListTasks: "list",
  CancelTask: "cancel",
  SubscribeToTask: "subscribe",
  CreateTaskPushNotificationConfig: "setTarget",
  GetTaskPushNotificationConfig: "getTarget",
  ListTaskPushNotificationConfigs: "listTargets",
  DeleteTaskPushNotificationConfig: "deleteTarget",
  GetExtendedAgentCard: "card",
};

interface RpcVersion {
  readonly methods: Methods;
  readonly parsers: ParamsParsers;
  readonly format: TaskFormat;
}

const rpcVersions: Readonly<Record<Version, RpcVersion>> = {
  "0.3": { methods: methods03, parsers: parsers03, format: format03 },
  "1.0": { methods: methods10, parsers: parsers10, format: format10 },
};

type RequestId = string | number | null;

/** The endpoint of each component of a kind. The required scope depends on the method, so it is checked in the handler. */
export function rpcRoute(kind: Kind, extendedCard: ExtendedCard): Route {
  return route({
    method: "POST",
    path: `/a2a/${kind.plural}/{id}`,
    access: { resource: kind.plural, action: "read", or: "run", idParam: "id" },
    pathParams: componentPath,
    handle: (call) => answerRpc(kind, extendedCard, call),
  });
}

async function answerRpc(
  kind: Kind,
  extendedCard: ExtendedCard,
  { services, caller, path: { componentId }, request, reply }: Call<{ componentId: string }, undefined, undefined>,
): Promise<unknown> {
  const { gate, platform, runtime } = services;
  await services.runs.pastComponent(caller, { kind: kind.name, componentId });
  let id: RequestId = null;
  let isStream = false;
  try {
    const fields = await readJson(request, platform.settings, { required: true });
    id = idOf(fields.id);
    isStream = streaming03.has(fields.method);
    const { method, params } = checkCall(fields);
    const { operation, parsers, format } = operationOf(method, request);
    checkAction(gate, request, actions[operation], componentId);
    const endpoint: Endpoint = { services, caller, kind, componentId };
    const result = await runOperation(operation, {
      context: { endpoint, version: format.version, reply },
      parsers,
      format,
      params: params ?? {},
      after: cursorOf(request),
      wrap: (item) => ({ jsonrpc: "2.0", id, result: item }),
      errorFrame: (fault) => errorFrame(id, fault),
      card: () => extendedCard(endpoint, format.version, request),
    });
    return result === "answered" ? undefined : { jsonrpc: "2.0", id, result: result.value };
  } catch (error) {
    const fault = toA2aError(error);
    if (fault.fault === "internal" && fault.cause !== undefined) {
      runtime.log.error({ error: fault.cause, requestId: request.id }, "A request by A2A failed.");
    }
    if (fault.retryAfter !== undefined) reply.header("retry-after", String(fault.retryAfter));
    // A failed call is answered with HTTP status 200, unless the fault is the server's or a limit was exceeded.
    const status = fault.status === 413 || fault.status === 429 || fault.status >= 500 ? fault.status : 200;
    reply.code(status);
    if (!isStream || status !== 200) return { jsonrpc: "2.0", id, error: rpcError(fault) };
    return reply.type("text/event-stream; charset=utf-8").send(errorFrame(id, fault));
  }
}

/** The frame of an error, which ends a stream. */
function errorFrame(id: RequestId, fault: A2aError): string {
  return `data: ${toJsonLine({ jsonrpc: "2.0", id, error: rpcError(fault) })}\n\n`;
}

/** The id of a call, if it is valid: even an otherwise invalid call is answered with its id. */
function idOf(id: unknown): RequestId {
  return typeof id === "string" || (typeof id === "number" && Number.isInteger(id)) ? id : null;
}

/** Checks a JSON-RPC 2.0 call. Every method has an answer, so notifications are rejected. @throws A2aError */
function checkCall({ jsonrpc, id, method, params }: Readonly<Record<string, unknown>>): {
  method: string;
  params: unknown;
} {
  if (jsonrpc !== "2.0") throw new A2aError("invalidRequest", 'Invalid request: jsonrpc must be "2.0"');
  if (id !== null && idOf(id) === null) {
    throw new A2aError("invalidRequest", "Invalid request: id must be a text, a whole number or null");
  }
  if (typeof method !== "string" || method === "") {
    throw new A2aError("invalidRequest", "Invalid request: method must be a text");
  }
  if (params !== undefined && (typeof params !== "object" || params === null || Array.isArray(params))) {
    throw new A2aError("invalidParams", "Invalid parameters: params must be an object");
  }
  return { method, params };
}

/** The version determines the available methods. If the client names no version, the method's name determines it. */
function operationOf(method: string, request: Request): RpcVersion & { operation: OperationName } {
  const named = versionOf(request);
  const versions = named === undefined ? (["0.3", "1.0"] as const) : [named];
  for (const version of versions) {
    const { methods } = rpcVersions[version];
    if (Object.hasOwn(methods, method)) {
      return { ...rpcVersions[version], operation: methods[method] as OperationName };
    }
  }
  const where = named === undefined ? "" : ` in A2A ${named}`;
  throw new A2aError("methodNotFound", `There is no method ${JSON.stringify(method.slice(0, 100))}${where}`);
}
