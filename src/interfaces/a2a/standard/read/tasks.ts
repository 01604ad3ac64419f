/** Parameters that identify tasks, push targets and pages. */
import { z } from "zod";
import type { RequestedTarget } from "../../../../model/push.ts";
import type { TaskState } from "../../protocol.ts";
import { stateName } from "../../version-1.ts";
import { historyLength, optionalId, requiredId } from "./members.ts";

/** A push target with its task. */
export interface TargetParams {
  readonly taskId: string;
  readonly given: RequestedTarget;
}

/** Identifies a push target of a task. */
export interface TargetName {
  readonly taskId: string;
  readonly id: string | undefined;
}

/** Identifies a task. */
export interface TaskParams {
  readonly id: string;
  readonly historyLength: number | undefined;
}

/** A page of a listing. */
export interface PageParams {
  readonly pageSize: number | undefined;
  readonly pageToken: string | undefined;
}

/** Filters and page of a listing of tasks. */
export interface ListParams extends PageParams {
  readonly contextId: string | undefined;
  readonly state: TaskState | undefined;
  readonly since: number | undefined;
  readonly historyLength: number | undefined;
  readonly includeArtifacts: boolean;
}

const stateNames = [
  ...([
    "submitted",
    "working",
    "input-required",
    "auth-required",
    "completed",
    "canceled",
    "failed",
    "rejected",
  ] as const),
];

const state = z
  .enum([...stateNames, ...stateNames.map(stateName), "TASK_STATE_CANCELLED", "TASK_STATE_UNSPECIFIED", ""])
  .nullish()
  .transform((name): TaskState | undefined => {
    if (name === "TASK_STATE_CANCELLED") return "canceled";
    return stateNames.find((one) => one === name || stateName(one) === name);
  });

const time = z
  .union([z.iso.datetime({ offset: true }), z.int().min(0)])
  .nullish()
  .transform((at) => (at === null || at === undefined ? undefined : typeof at === "number" ? at : Date.parse(at)));

const page = {
  pageSize: z
    .int()
    .min(0)
    .nullish()
    .transform((size) => size || undefined),
  pageToken: z
    .string()
    .max(200)
    .nullish()
    .transform((token) => token || undefined),
};

export const list: z.ZodType<ListParams> = z
  .object({
    contextId: optionalId,
    status: state,
    ...page,
    historyLength,
    statusTimestampAfter: time,
    lastUpdatedAfter: time,
    includeArtifacts: z.boolean().nullish(),
  })
  .transform(({ status, statusTimestampAfter, lastUpdatedAfter, includeArtifacts, ...rest }): ListParams => {
    const since = statusTimestampAfter ?? lastUpdatedAfter;
    return { ...rest, state: status, since, includeArtifacts: includeArtifacts ?? false };
  });

export const task: z.ZodType<TaskParams> = z.object({ id: requiredId, historyLength });
export const nameOf: z.ZodType<TargetName> = z.object({ taskId: requiredId, id: optionalId });
/** A page of a task's push targets. */
export interface TargetsParams extends PageParams {
  readonly taskId: string;
}

export const targets: z.ZodType<TargetsParams> = z.object({ taskId: requiredId, ...page });

/** The same parameters with the task's id under the name `id`. */
export const targets03: z.ZodType<TargetsParams> = z
  .object({ id: requiredId, ...page })
  .transform(({ id: taskId, ...rest }) => ({ taskId, ...rest }));
