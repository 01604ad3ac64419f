/**
 * Parses the parameters of the specification's operations from either version's JSON. Members of protocol buffers may have either name (`taskId`,
 * `task_id`). Unknown members are ignored, as both versions require.
 */
import { z } from "zod";
import { camel, optionalId, read, requiredId } from "./members.ts";
import { message03, message10, messageRest03 } from "./message.ts";
import {
  config03,
  config10,
  configuration03,
  configuration10,
  configurationRest03,
  type Sent,
  sentForm,
} from "./sent.ts";
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
export interface Reading {
  send(params: unknown): Sent;
  task(params: unknown): TaskParams;
  list(params: unknown): ListParams;
  setTarget(params: unknown): TargetParams;
  target(params: unknown): TargetName;
  targets(params: unknown): TargetsParams;
}

/** Created once: creating a schema takes longer than parsing with it. */
const sent03 = sentForm(message03, configuration03);
const sent10 = sentForm(message10, configuration10);
const sentRest03 = sentForm(messageRest03, configurationRest03);
const target03 = z.object({ taskId: requiredId, pushNotificationConfig: config03 });
const targetName03 = z.object({ id: requiredId, pushNotificationConfigId: optionalId });
const ofTask = z.object({ taskId: requiredId });
const targetRest03 = z.object({ taskId: requiredId, configId: optionalId });

const common = {
  task: (params: unknown) => read(task, params),
  list: (params: unknown) => read(list, params),
};

export const reading03: Reading = {
  ...common,
  send: (params) => read(sent03, params),
  setTarget(params) {
    const { taskId, pushNotificationConfig } = read(target03, params);
    return { taskId, given: pushNotificationConfig };
  },
  target(params) {
    const named = read(targetName03, params);
    return { taskId: named.id, id: named.pushNotificationConfigId };
  },
  targets: (params) => read(targets03, params),
};

export const reading10: Reading = {
  ...common,
  send: (params) => read(sent10, params),
  setTarget(params) {
    const { taskId } = read(ofTask, params);
    return { taskId, given: read(config10, params) };
  },
  target: (params) => read(nameOf, params),
  targets: (params) => read(targets, params),
};

/** Over plain HTTP both JSON forms of 0.3 are accepted: the form of its schema, and the form of its protocol buffers. */
export const readingRest03: Reading = {
  ...common,
  send(params) {
    const { request, message = request, ...rest } = camel(params);
    const { role } = Object(message) as { readonly role?: unknown };
    const isBuffers =
      Object.hasOwn(Object(message), "content") || (typeof role === "string" && role.startsWith("ROLE_"));
    if (!isBuffers) return reading03.send({ message, ...rest });
    return read(sentRest03, { message, ...rest });
  },
  setTarget(params) {
    const { config, ...rest } = camel(params);
    const { pushNotificationConfig, ...wrapped } = { ...rest, ...Object(config) };
    const given = read(config03, pushNotificationConfig ?? wrapped);
    const { taskId, configId } = read(targetRest03, rest);
    return { taskId, given: { ...given, id: given.id ?? configId } };
  },
  target: (params) => read(nameOf, params),
  targets: (params) => read(targets, params),
};
