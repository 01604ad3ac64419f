/**
 * Parses the parameters of the specification's operations from either version's JSON. Members of protocol buffers may have either name (`taskId`,
 * `task_id`). Unknown members are ignored, as both versions require.
 */
import { z } from "zod";
import { camel, optionalId, parseParams, requiredId } from "./members.ts";
import { message03, message10, messageRest03 } from "./message.ts";
import {
  config03,
  config10,
  configuration03,
  configuration10,
  configurationRest03,
  type SendParams,
  sendSchema,
} from "./send.ts";
import {
  type ListParams,
  list,
  nameOf,
  type TargetName,
  type TargetParams,
  type TargetsParams,
  type TaskParams,
  targets,
  targets03,
  task,
} from "./tasks.ts";

/** Parses the parameters of one version. */
export interface ParamsParsers {
  send(params: unknown): SendParams;
  task(params: unknown): TaskParams;
  list(params: unknown): ListParams;
  setTarget(params: unknown): TargetParams;
  target(params: unknown): TargetName;
  targets(params: unknown): TargetsParams;
}

/** Created once: creating a schema takes longer than parsing with it. */
const send03 = sendSchema(message03, configuration03);
const send10 = sendSchema(message10, configuration10);
const sendRest03 = sendSchema(messageRest03, configurationRest03);
const target03 = z.object({ taskId: requiredId, pushNotificationConfig: config03 });
const targetName03 = z.object({ id: requiredId, pushNotificationConfigId: optionalId });
const ofTask = z.object({ taskId: requiredId });
const targetRest03 = z.object({ taskId: requiredId, configId: optionalId });

const common = {
  task: (params: unknown) => parseParams(task, params),
  list: (params: unknown) => parseParams(list, params),
};

export const parsers03: ParamsParsers = {
  ...common,
  send: (params) => parseParams(send03, params),
  setTarget(params) {
    const { taskId, pushNotificationConfig } = parseParams(target03, params);
    return { taskId, given: pushNotificationConfig };
  },
  target(params) {
    const named = parseParams(targetName03, params);
    return { taskId: named.id, id: named.pushNotificationConfigId };
  },
  targets: (params) => parseParams(targets03, params),
};

export const parsers10: ParamsParsers = {
  ...common,
  send: (params) => parseParams(send10, params),
  setTarget(params) {
    const { taskId } = parseParams(ofTask, params);
    return { taskId, given: parseParams(config10, params) };
  },
  target: (params) => parseParams(nameOf, params),
  targets: (params) => parseParams(targets, params),
};

/** Over plain HTTP both JSON forms of 0.3 are accepted: the form of its schema, and the form of its protocol buffers. */
export const parsersRest03: ParamsParsers = {
  ...common,
  send(params) {
    const { request, message = request, ...rest } = camel(params);
    const { role } = Object(message) as { readonly role?: unknown };
    const isBuffers =
      Object.hasOwn(Object(message), "content") || (typeof role === "string" && role.startsWith("ROLE_"));
    if (!isBuffers) return parsers03.send({ message, ...rest });
    return parseParams(sendRest03, { message, ...rest });
  },
  setTarget(params) {
    const { config, ...rest } = camel(params);
    const { pushNotificationConfig, ...wrapped } = { ...rest, ...Object(config) };
    const given = parseParams(config03, pushNotificationConfig ?? wrapped);
    const { taskId, configId } = parseParams(targetRest03, rest);
    return { taskId, given: { ...given, id: given.id ?? configId } };
  },
  target: (params) => parseParams(nameOf, params),
  targets: (params) => parseParams(targets, params),
};
