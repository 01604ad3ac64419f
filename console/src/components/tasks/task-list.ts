/** The shared task list of a team in task mode, from the events of its run. */

export type TaskStatus = "pending" | "blocked" | "in_progress" | "completed" | "failed";

export interface Task {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly status: TaskStatus;
  readonly assignee: string | undefined;
  /** Ids of the tasks that must be completed before it. */
  readonly dependencies: readonly string[];
  readonly result: string | undefined;
}

export interface TaskList {
  readonly tasks: readonly Task[];
  /** The leader's summary, once it has marked the goal as complete. */
  readonly completion: string | undefined;
  readonly iteration: number;
  readonly maxIterations: number;
}

type Fields = Readonly<Record<string, unknown>>;

const empty: TaskList = { tasks: [], completion: undefined, iteration: 0, maxIterations: 0 };

/**
 * Returns the list after one more event; the same list for an event of something else.
 *
 * @param name without the prefix of the team
 */
export function withTaskEvent(before: TaskList | undefined, name: string, event: Fields): TaskList | undefined {
  if (!name.startsWith("Task")) return before;
  const list = before ?? empty;
  switch (name) {
    case "TaskCreated":
    case "TaskUpdated":
      return { ...list, tasks: merged(list.tasks, event) };
    case "TaskIterationStarted":
      return {
        ...list,
        iteration: Number(event.iteration ?? list.iteration),
        maxIterations: Number(event.max_iterations ?? list.maxIterations),
      };
    case "TaskStateUpdated": {
      const all = (event.tasks ?? []) as readonly Fields[];
      const completion = textIn(event, "completion_summary") ?? list.completion;
      return { ...list, tasks: all.map((one) => toTask(undefined, { ...one, task_id: one.id })), completion };
    }
    default:
      return list;
  }
}

function merged(tasks: readonly Task[], event: Fields): readonly Task[] {
  const place = tasks.findIndex(({ id }) => id === event.task_id);
  const task = toTask(tasks[place], event);
  return place === -1 ? [...tasks, task] : tasks.with(place, task);
}

function toTask(known: Task | undefined, event: Fields): Task {
  return {
    id: String(event.task_id),
    title: textIn(event, "title") ?? known?.title ?? "",
    description: textIn(event, "description") ?? known?.description ?? "",
    status: (textIn(event, "status") ?? known?.status ?? "pending") as TaskStatus,
    assignee: textIn(event, "assignee") ?? known?.assignee,
    dependencies: Array.isArray(event.dependencies)
      ? (event.dependencies as readonly string[])
      : (known?.dependencies ?? []),
    result: textIn(event, "result") ?? known?.result,
  };
}

function textIn(event: Fields, name: string): string | undefined {
  const value = event[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
