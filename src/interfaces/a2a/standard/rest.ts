/** The HTTP binding: 1.0 below `/rest`, 0.3 below `/rest/v1`, with the paths of each version. */
import type { Reader } from "../../../http/input/decode.ts";
import { checkAction } from "../../../http/transport/guard.ts";
import type { Kind } from "../../../http/transport/kinds.ts";
import { type Access, type Call, type Route, route } from "../../../http/transport/route.ts";
import { toJsonLine } from "../../../model/frame.ts";
import { restPath } from "../cards/card.ts";
import { componentPath } from "../requests.ts";
import type { ExtendedCard } from "../routes/cards.ts";
import type { Endpoint } from "../task-service.ts";
import { A2aError, restError03, restError10, toA2aError } from "./errors.ts";
import { format03Rest, format10, type TaskFormat } from "./formats.ts";
import { configPath, taskPath } from "./paths.ts";
import { type ParamsParsers, parsers10, parsersRest03 } from "./read/parsers.ts";
import { cursorOf, type Request, readJson, type Version, versionOf } from "./request.ts";
import { actions, type OperationName, runOperation } from "./run-operation.ts";

interface Binding {
  readonly version: Version;
  /** Inserted between the binding's base path and each path. */
  readonly prefix: string;
  readonly cardPath: string;
  readonly parsers: ParamsParsers;
  readonly format: TaskFormat;
  readonly toError: (fault: A2aError) => unknown;
}

const bindings: readonly Binding[] = [
  {
    version: "1.0",
    prefix: "",
    cardPath: "/extendedAgentCard",
    parsers: parsers10,
    format: format10,
    toError: restError10,
  },
  {
    version: "0.3",
    prefix: "/v1",
    cardPath: "/card",
    parsers: parsersRest03,
    format: format03Rest,
    toError: restError03,
  },
];

interface PathValues {
  readonly componentId: string;
  readonly taskId?: string;
  readonly configId?: string;
}

/** A path with the operation of each verb: the router does not support literals after a parameter. */
interface Place {
  readonly method: Route["method"];
  readonly path: string;
  readonly reader: Reader<PathValues>;
  readonly operations: Readonly<Record<string, OperationName>>;
}

const task = "/tasks/{task_id}";
const configs = `${task}/pushNotificationConfigs`;
const config = `${configs}/{config_id}`;

function placesOf({ cardPath }: Binding): readonly Place[] {
  const one = componentPath as Reader<PathValues>;
  const ofTask = taskPath as Reader<PathValues>;
  const ofConfig = configPath as Reader<PathValues>;
  return [
    { method: "POST", path: "/message:send", reader: one, operations: { "": "send" } },
    { method: "POST", path: "/message:stream", reader: one, operations: { "": "stream" } },
    { method: "GET", path: "/tasks", reader: one, operations: { "": "list" } },
    { method: "GET", path: task, reader: ofTask, operations: { "": "get", subscribe: "subscribe" } },
    { method: "POST", path: task, reader: ofTask, operations: { cancel: "cancel", subscribe: "subscribe" } },
    { method: "POST", path: configs, reader: ofTask, operations: { "": "setTarget" } },
    { method: "GET", path: configs, reader: ofTask, operations: { "": "listTargets" } },
    { method: "GET", path: config, reader: ofConfig, operations: { "": "getTarget" } },
    { method: "DELETE", path: config, reader: ofConfig, operations: { "": "deleteTarget" } },
    { method: "GET", path: cardPath, reader: one, operations: { "": "card" } },
  ];
}

/** The endpoints of each component of a kind. */
export function restRoutes(kind: Kind, extendedCard: ExtendedCard): readonly Route[] {
  return bindings.flatMap((binding) =>
    placesOf(binding).map((place) => {
      const { method, reader, operations } = place;
      const path = `/a2a/${kind.plural}/{id}${restPath}${binding.prefix}${place.path}`;
      const needed = new Set(Object.values(operations).map((one) => actions[one]));
      const access: Access = needed.has("read")
        ? { resource: kind.plural, action: "read", idParam: "id", ...(needed.has("run") && { or: "run" }) }
        : { resource: kind.plural, action: "run", idParam: "id" };
      return route({
        method,
        path,
        access,
        pathParams: reader,
        handle: (call) => answerRest(kind, binding, operations, extendedCard, call),
      });
    }),
  );
}

async function answerRest(
  kind: Kind,
  binding: Binding,
  operations: Place["operations"],
  extendedCard: ExtendedCard,
  { services, caller, path: values, request, reply }: Call<PathValues, undefined, undefined>,
): Promise<unknown> {
  const { gate, platform, runtime } = services;
  const { componentId } = values;
  const { version, parsers, format, toError } = binding;
  await services.runs.pastComponent(caller, { kind: kind.name, componentId });
  if (version === "1.0" && acceptsOwnType(request.headers.accept)) reply.type(ownType);
  try {
    checkVersion(version, request);
    const { operation, taskId } = operationOf(operations, values.taskId);
    checkAction(gate, request, actions[operation], componentId);
    const endpoint: Endpoint = { services, caller, kind, componentId };
    const isRead = request.method === "POST";
    const body = isRead ? await readJson(request, platform.settings) : fromQuery(request.query);
    const result = await runOperation(operation, {
      context: { endpoint, version, reply },
      parsers,
      format,
      params: { ...body, ...pathParamsOf(operation, taskId, values.configId) },
      after: cursorOf(request),
      wrap: (item) => item,
      errorFrame: (fault) => `event: error\ndata: ${toJsonLine(toError(fault))}\n\n`,
      card: () => extendedCard(endpoint, version, request),
    });
    if (result === "answered") return undefined;
    // An operation without a result returns an empty object, because some clients parse the body whatever the status is.
    return result.value ?? {};
  } catch (error) {
    const fault = toA2aError(error);
    if (fault.fault === "internal" && fault.cause !== undefined) {
      runtime.log.error({ error: fault.cause, requestId: request.id }, "A request by A2A failed.");
    }
    reply.code(fault.status);
    if (fault.retryAfter !== undefined) reply.header("retry-after", String(fault.retryAfter));
    return toError(fault);
  }
}

/** The media type of 1.0 (its section 11.1). Clients that do not accept it get `application/json`. */
const ownType = "application/a2a+json";

/** Whether the client accepts this type by name (RFC 9110, section 12.5.1). */
function acceptsOwnType(accept = ""): boolean {
  return accept.split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return type === ownType && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/** Rejects a request whose version differs from the version of its path. @throws A2aError */
function checkVersion(version: Version, request: Request): void {
  const named = versionOf(request);
  if (named === undefined || named === version) return;
  throw new A2aError("versionNotSupported", `This path is of A2A ${version}, and the request is one of ${named}`);
}

/** The operation of the verb after the task's id. @throws A2aError */
function operationOf(
  operations: Place["operations"],
  named: string | undefined,
): { operation: OperationName; taskId: string | undefined } {
  const [, taskId = named, verb = ""] = /^(.*):([A-Za-z]+)$/s.exec(named ?? "") ?? [];
  const hasVerbs = Object.keys(operations).some((one) => one !== "");
  const requested = hasVerbs ? verb : "";
  const operation = Object.hasOwn(operations, requested) ? operations[requested] : undefined;
  if (operation) return { operation, taskId: hasVerbs ? taskId : named };
  throw new A2aError("methodNotFound", "There is no such operation on a task");
}

/** The ids in the path, under the names of the operation's parameters. */
function pathParamsOf(
  operation: OperationName,
  taskId: string | undefined,
  configId: string | undefined,
): Readonly<Record<string, string | undefined>> {
  if (taskId === undefined) return {};
  const isTarget = operation.endsWith("Target") || operation === "listTargets";
  if (!isTarget) return { id: taskId };
  return configId === undefined ? { taskId } : { taskId, id: configId };
}

const numbers: ReadonlySet<string> = new Set(["historyLength", "pageSize"]);

/** Converts query texts to the numbers and booleans of parameters. */
function fromQuery(query: unknown): Record<string, unknown> {
  const members = Object.entries(Object(query) as Record<string, string | string[]>).map(([name, given]) => {
    const inJson = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const text = Array.isArray(given) ? (given.at(-1) ?? "") : given;
    if (numbers.has(inJson)) return [inJson, text === "" ? undefined : Number(text)];
    if (inJson === "includeArtifacts") return [inJson, text === "true" ? true : text === "false" ? false : text];
    return [inJson, text];
  });
  return Object.fromEntries(members) as Record<string, unknown>;
}
