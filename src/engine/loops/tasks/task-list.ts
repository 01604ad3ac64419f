/**
 * The shared task list of a team in task mode. It follows from the messages of the run alone: a run that another process takes over, continues or
 * forks has the same list.
 */
import { createHash } from "node:crypto";
import { taskTools } from "../../../define/team.ts";
import type { Message } from "../../../model/run/message.ts";
import { cut } from "../../tool-call/callable.ts";

/** The state of a task. `blocked`: it waits for other tasks. */
export type TaskStatus = "pending" | "blocked" | "in_progress" | "completed" | "failed";

/** A task, with the names of its members on the wire. */
export interface Task {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly status: TaskStatus;
  readonly assignee?: string | undefined;
  /** Ids of the tasks that must be completed before it. */
  readonly dependencies: readonly string[];
  readonly result?: string | undefined;
  readonly notes?: readonly string[] | undefined;
}

/** The list after the calls so far. */
export interface TaskList {
  readonly tasks: readonly Task[];
  /** The summary of the leader, if it has marked the goal as complete. */
  readonly completion: string | undefined;
}

/** A call of a task tool that has taken effect, or that runs. */
export interface TaskCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  /** Undefined while the call runs. */
  readonly result?: { readonly text: string; readonly isError: boolean } | undefined;
}

/** Longest result of a task in the summary. */
const maxShownResult = 200;

/** The id of the task that a call creates: the same when the call is repeated. */
export function taskIdOf(callId: string): string {
  return createHash("sha256").update(callId).digest("hex").slice(0, 8);
}

/**
 * Makes the list.
 *
 * @param running calls of this process that have no message yet
 * @param hasStarted whether a call has begun to execute its task: its error is then the task's
 */
export function taskListOf(
  messages: readonly Message[],
  running: Iterable<TaskCall>,
  hasStarted: (callId: string) => boolean,
): TaskList {
  const builder = new Builder(hasStarted);
  const done = new Set<string>();
  for (const message of messages) {
    if (message.role !== "tool") continue;
    const { toolCallId: id, toolName: name, toolArgs: args, content: text, isError } = message;
    done.add(id);
    builder.take({ id, name, args, result: { text, isError } });
  }
  for (const call of running) if (!done.has(call.id)) builder.take(call);
  return builder.list();
}

type Draft = { -readonly [Name in keyof Task]: Task[Name] } & { references: readonly string[]; texts: string[] };

class Builder {
  readonly #tasks: Draft[] = [];
  readonly #hasStarted: (callId: string) => boolean;
  #completion: string | undefined;

  constructor(hasStarted: (callId: string) => boolean) {
    this.#hasStarted = hasStarted;
  }

  take({ id, name, args, result }: TaskCall): void {
    const given = Object(args) as Readonly<Record<string, unknown>>;
    if (name === taskTools.execute) {
      this.#execute(id, given, result);
      return;
    }
    if (result?.isError) return;
    if (name === taskTools.create) this.#create(id, given);
    else if (name === taskTools.complete) this.#completion = textOf(given.summary);
    const task = this.find(given.task_id);
    if (!task) return;
    if (name === taskTools.note) task.texts.push(textOf(given.note));
    if (name !== taskTools.update) return;
    task.status = given.status as TaskStatus;
    task.result = typeof given.result === "string" ? given.result : task.result;
  }

  find(reference: unknown): Draft | undefined {
    return findTask(this.#tasks, reference);
  }

  list(): TaskList {
    const made = new Map<Draft, Task>();
    const make = (draft: Draft): Task => {
      const known = made.get(draft);
      if (known) return known;
      const { references, texts, ...task } = draft;
      // The results of calls of one turn have no order: a task may come before a task that it depends on.
      made.set(draft, task);
      const needed = references.flatMap((reference) => this.find(reference) ?? []).map(make);
      const notes = texts.length > 0 ? { notes: texts } : {};
      const whole = { ...task, ...notes, ...waiting(task, needed), dependencies: needed.map(({ id }) => id) };
      made.set(draft, whole);
      return whole;
    };
    return { tasks: this.#tasks.map(make), completion: this.#completion };
  }

  #create(
    callId: string,
    { title, description, assignee, depends_on: references }: Readonly<Record<string, unknown>>,
  ): void {
    // New work: the goal is not complete any more.
    this.#completion = undefined;
    this.#tasks.push({
      ...{ id: taskIdOf(callId), title: textOf(title), description: textOf(description), status: "pending" },
      assignee: typeof assignee === "string" ? assignee : undefined,
      dependencies: [],
      references: Array.isArray(references) ? references.map(textOf) : [],
      texts: [],
    });
  }

  #execute(callId: string, given: Readonly<Record<string, unknown>>, result: TaskCall["result"]): void {
    const task = this.find(given.task_id);
    if (!task || (result?.isError && !this.#hasStarted(callId))) return;
    if (typeof given.member_id === "string") task.assignee = given.member_id;
    task.status = result === undefined ? "in_progress" : result.isError ? "failed" : "completed";
    task.result = result?.text;
  }
}

/** The task of an id, or of a title. */
export function findTask<T extends Pick<Task, "id" | "title">>(tasks: readonly T[], reference: unknown): T | undefined {
  if (typeof reference !== "string") return undefined;
  return tasks.find(({ id }) => id === reference) ?? tasks.find(({ title }) => isSame(title, reference));
}

/** Whether two titles name the same task. */
export function isSame(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

/** Whether nothing is left to do: the goal is complete, or every task has ended. */
export function isFinished({ tasks, completion }: TaskList): boolean {
  return completion !== undefined || tasks.every(({ status }) => status === "completed" || status === "failed");
}

/** The list as text for the leader, and in events. */
export function summaryOf({ tasks, completion }: TaskList): string {
  if (tasks.length === 0) return "There are no tasks yet.";
  const counts = new Map<string, number>();
  for (const { status } of tasks) counts.set(status, (counts.get(status) ?? 0) + 1);
  const lines = tasks.flatMap(({ id, title, status, assignee, dependencies, result, notes = [] }) => [
    `- [${id}] ${title}: ${status}${assignee === undefined ? "" : `, ${assignee}`}`,
    ...(dependencies.length > 0 ? [`  depends on: ${dependencies.join(", ")}`] : []),
    ...(result === undefined ? [] : [`  result: ${cut(result, maxShownResult)}`]),
    ...notes.map((note) => `  note: ${note}`),
  ]);
  const counted = [...counts].map(([status, count]) => `${count} ${status}`).join(", ");
  return [
    `${tasks.length} tasks (${counted}):`,
    ...lines,
    ...(completion === undefined ? [] : [`The goal is complete: ${completion}`]),
  ].join("\n");
}

/** The state of a task that has not begun, which follows from the tasks that it depends on. */
function waiting({ status }: Pick<Task, "status">, needed: readonly Task[]): Partial<Task> {
  if (status !== "pending") return {};
  if (needed.some((one) => one.status === "failed"))
    return { status: "failed", result: "A task that it depends on failed." };
  return needed.every((one) => one.status === "completed") ? {} : { status: "blocked" };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
