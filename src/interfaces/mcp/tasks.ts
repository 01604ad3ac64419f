/** Tasks of revision 2025-11-25: a task is a root run, and its id is the run's. A call as a task begins a run in the background. */
import { TroupeError } from "../../errors.ts";
import type { RouteServices } from "../../http/transport/services.ts";
import type { Principal } from "../../model/principal.ts";
import { isTerminal, type RunStatus } from "../../model/run/run.ts";
import { optionsOf } from "../../model/run/stored-run.ts";
import type { LocatedRun } from "../../runs/find.ts";
import { isPermitted, type RunAction } from "../../runs/permissions.ts";
import { RpcError } from "./protocol.ts";

/** A task as clients see it. */
export interface Task {
  readonly taskId: string;
  readonly status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  readonly statusMessage?: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** Milliseconds for which the task is kept; null, because retention is a rule of the platform. */
  readonly ttl: number | null;
  /** Milliseconds between two requests for the task. */
  readonly pollInterval: number;
}

/** The caller of a task's operation. */
export interface TaskCaller {
  readonly services: Pick<RouteServices, "runs">;
  readonly caller: Principal;
}

const pollInterval = 1_000;

const statuses: Readonly<Record<RunStatus, Task["status"]>> = {
  PENDING: "working",
  RUNNING: "working",
  PAUSED: "input_required",
  COMPLETED: "completed",
  ERROR: "failed",
  CANCELLED: "cancelled",
};

type TaskRun = Pick<LocatedRun, "runId" | "status" | "createdAt">;

function toTask({ runId: taskId, status, createdAt }: TaskRun, changedAt: number): Task {
  return {
    taskId,
    status: statuses[status],
    ...(status === "PAUSED" && { statusMessage: "The run waits for answers to its requirements: call continue_run." }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(changedAt).toISOString(),
    ttl: null,
    pollInterval,
  };
}

/** The run of a task, if the caller may perform the action on it. @throws RpcError for all other tasks, always the same */
export async function findTask(
  { services: { runs }, caller }: TaskCaller,
  taskId: string,
  action: RunAction,
): Promise<LocatedRun> {
  const run = await found(runs.locate(caller, taskId));
  const isVisible = run && !run.parentRunId && isPermitted(() => runs.authorize(caller, action, run));
  if (!isVisible) throw new RpcError(-32602, "Task not found");
  return run;
}

/** An id that no run can have is not found either. */
async function found<Value>(value: Promise<Value | undefined>): Promise<Value | undefined> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof TroupeError && (error.code === "badRequest" || error.code === "notFound")) return undefined;
    throw error;
  }
}

/** `tasks/get`. */
export async function readTask(context: TaskCaller, taskId: string, action: RunAction = "read"): Promise<Task> {
  const run = await findTask(context, taskId, action);
  const details = await context.services.runs.details(run, { exchanges: false, artifacts: false });
  return toTask(run, details.changedAt ?? run.createdAt);
}

/** `tasks/cancel`: the task after its cancellation. @throws RpcError for a task that is over */
export async function cancelTask(context: TaskCaller, taskId: string): Promise<Task> {
  const { services, caller } = context;
  const { kind, componentId, runId, status } = await findTask(context, taskId, "cancel");
  if (isTerminal(status)) throw new RpcError(-32602, `The task is over: its status is ${statuses[status]}`);
  await services.runs.cancelAndWait(caller, { kind, componentId, runId });
  return await readTask(context, taskId, "cancel");
}

/** Tasks of a page. */
const pageSize = 50;

/** `tasks/list`: the tasks that the caller may read, latest change first. */
export async function listTasks(
  { services: { runs }, caller }: TaskCaller,
  cursor: string | undefined,
): Promise<{ readonly tasks: readonly Task[]; readonly nextCursor?: string }> {
  const after = cursor === undefined ? undefined : positionIn(cursor);
  const page = await runs.listAll(caller, { limit: pageSize, after });
  const shown = page.runs.filter((run) => isPermitted(() => runs.authorize(caller, "read", run)));
  return {
    tasks: shown.map((run) => toTask(run, run.updatedAt)),
    ...(page.next && { nextCursor: `${page.next.updatedAt}.${page.next.key}` }),
  };
}

function positionIn(cursor: string): { readonly updatedAt: number; readonly key: number } {
  const [, updatedAt, key] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (updatedAt === undefined || key === undefined) throw new RpcError(-32602, "The cursor is not one of this server");
  return { updatedAt: Number(updatedAt), key: Number(key) };
}

/** Pages of active runs that a cancellation searches. */
const maxPages = 10;

/**
 * Cancels the run that a call started (`notifications/cancelled`). The call is identified by the client's session and its JSON-RPC id, which the run's row has, so
 * any replica can cancel it. Does nothing for a call that is over, unknown, or of another caller.
 */
export async function cancelCall(
  { services: { runs }, caller }: TaskCaller,
  { session, request }: { readonly session: string; readonly request: unknown },
): Promise<void> {
  let after: Parameters<typeof runs.listAll>[1]["after"];
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await runs.listAll(caller, { statuses: ["PENDING", "RUNNING"], limit: pageSize, after });
    for (const { kind, componentId, runId } of page.runs) {
      const name = { kind, componentId, runId };
      const row = await found(runs.load(caller, name));
      const call = row && optionsOf(row).mcp;
      if (call?.session !== session || call.request !== request) continue;
      runs.authorize(caller, "cancel", name);
      await runs.cancel(caller, name);
      return;
    }
    if (page.next === null) return;
    after = page.next;
  }
}
