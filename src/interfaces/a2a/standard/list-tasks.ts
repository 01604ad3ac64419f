/** Lists the tasks of a component. */
import type { RunStatus } from "../../../model/run/run.ts";
import type { AwaitedBy } from "../../../model/run/run-marks.ts";
import type { ChangePosition } from "../../../runs/changes.ts";
import type { Task, TaskState } from "../protocol.ts";
import { taskOf } from "../task/task-of.ts";
import { A2aError } from "./errors.ts";
import type { TaskList } from "./formats.ts";
import { type OperationContext, withTimestamp } from "./operations.ts";
import type { ListParams } from "./read/tasks.ts";

/** Maximum and default number of tasks per page. */
const maxTasks = 100;
const defaultTasks = 50;

const statusesOf: Readonly<Record<TaskState, readonly RunStatus[]>> = {
  submitted: ["PENDING"],
  working: ["RUNNING"],
  "input-required": ["PAUSED"],
  "auth-required": ["PAUSED"],
  completed: ["COMPLETED"],
  canceled: ["CANCELLED"],
  failed: ["ERROR"],
  rejected: ["ERROR"],
};

const awaitedIn: Readonly<Partial<Record<TaskState, AwaitedBy>>> = {
  "input-required": "answer",
  "auth-required": "approval",
};

/** Tasks of the component, most recently changed first. */
export async function listTasks(context: OperationContext, params: ListParams): Promise<TaskList> {
  const { endpoint } = context;
  const { services, caller, kind, componentId } = endpoint;
  const { pageSize = defaultTasks, pageToken, contextId, state, since, historyLength, includeArtifacts } = params;
  if (pageSize > maxTasks) throw new A2aError("invalidParams", `Invalid parameters: pageSize: at most ${maxTasks}`);
  const statuses = state && statusesOf[state];
  const awaited = state && awaitedIn[state];
  const rejected = state === "rejected" || (state === "failed" ? false : undefined);
  const query = { kind: kind.name, componentId, sessionId: contextId, statuses, awaited, rejected, since };
  const details = { exchanges: historyLength !== 0, artifacts: includeArtifacts };
  const after = pageToken === undefined ? undefined : positionIn(pageToken);
  const tasks: Task[] = [];
  const page = await services.runs.listChanged(caller, { ...query, limit: pageSize, after, details }, (changed) => {
    const { run, changedAt, exchanges, artifacts } = changed;
    const how = { historyLength, withArtifacts: includeArtifacts, withBytes: false, exchanges, added: artifacts };
    const task = withTimestamp(taskOf(run, how), changedAt);
    // Pauses stored by earlier versions do not record what they wait for.
    if (state === undefined || task.status.state === state || run.status !== "PAUSED") tasks.push(task);
  });
  return { tasks, nextPageToken: page.next ? tokenOf(page.next) : "", pageSize, totalSize: page.total };
}

function tokenOf({ updatedAt, key }: ChangePosition): string {
  return Buffer.from(`${updatedAt}.${key}`).toString("base64url");
}

function positionIn(token: string): ChangePosition {
  const [, updatedAt, key] = /^(\d{1,15})\.(\d{1,15})$/.exec(Buffer.from(token, "base64url").toString()) ?? [];
  if (key === undefined) throw new A2aError("invalidParams", "Invalid parameters: pageToken: is none of this server");
  return { updatedAt: Number(updatedAt), key: Number(key) };
}
