/** Task mode: the leader's tools for the shared task list, and the iterations of its work. */
import { z } from "zod";
import { defaultIterations, type Team, taskTools } from "../../../define/team.ts";
import { toNamedSection } from "../../../model/prompt-text.ts";
import { emitOnce } from "../../answer/once.ts";
import { type Callable, errorAnswer, type ToolResult } from "../../tool-call/callable.ts";
import { type Delegation, runMember, typed } from "../delegate.ts";
import type { LoopPlan } from "../turns.ts";
import {
  findTask,
  isFinished,
  isSame,
  summaryOf,
  type Task,
  type TaskCall,
  type TaskList,
  taskIdOf,
  taskListOf,
} from "./task-list.ts";

/** Maximum number of tasks in one run. */
const maxTasks = 200;

type Tool = Pick<Callable, "name" | "description" | "inputSchema" | "input">;

const title = z.string().min(1).max(200).describe("A short title that says what is to be done.");
const taskId = z.string().min(1).describe("The id of the task.");
const summary = z.string().describe("What was done, and the outcome.");
const note = z.string().min(1).max(2_000);
const status = z.enum(["pending", "in_progress", "completed", "failed"]);

const create = (ids: readonly string[]) =>
  z.object({
    title,
    description: z.string().default("").describe("Everything that the member needs to know to do it."),
    assignee: z.enum(ids).optional().describe("The member who is to do it."),
    depends_on: z
      .array(z.string())
      .max(50)
      .default([])
      .describe("Ids or titles of tasks that must be completed before."),
  });
const execute = (ids: readonly string[]) =>
  z.object({
    task_id: taskId,
    member_id: z.enum(ids).optional().describe("The member that works on the task. Default: the assignee."),
  });
const update = z.object({ task_id: taskId, status, result: z.string().optional() });
const annotate = z.object({ task_id: taskId, note });
const complete = z.object({ summary });

/** Cached for each team, which never changes: creating and describing a schema is slow. */
const toolsOfTeams = new WeakMap<Team, Readonly<Record<keyof typeof taskTools, Tool & ReturnType<typeof typed>>>>();

function toolsOf(team: Team) {
  const known = toolsOfTeams.get(team);
  if (known) return known;
  const ids = team.members.map(({ id }) => id);
  const made = {
    create: named(taskTools.create, "Adds a task to the list.", create(ids)),
    execute: named(
      taskTools.execute,
      "Has a member do a task, and waits for the result. Call it for several tasks in one turn to have them done at the same time.",
      execute(ids),
    ),
    update: named(taskTools.update, "Sets the state of a task that you do yourself, or that needs no work.", update),
    list: named(taskTools.list, "Shows all tasks with their state, assignees, dependencies and results.", z.object({})),
    note: named(taskTools.note, "Adds a note to a task.", annotate),
    complete: named(taskTools.complete, "Marks the goal as complete. Call it when nothing is left to do.", complete),
  };
  toolsOfTeams.set(team, made);
  return made;
}

function named(name: string, description: string, input: z.ZodType): Tool & ReturnType<typeof typed> {
  return { name, description, ...typed(input) };
}

/** The task tools of a team's leader as its model sees them. */
export function taskToolsOf(team: Team): readonly Pick<Callable, "name" | "description" | "inputSchema">[] {
  return Object.values(toolsOf(team));
}

/** The part of a plan that task mode adds. */
export function taskMode(delegation: Delegation): Pick<LoopPlan, "callables" | "begin" | "continues"> {
  const { scope, team } = delegation;
  const max = team.maxIterations ?? defaultIterations;
  const running = new Map<string, TaskCall>();
  const startedMark = (callId: string): string => `task/${callId}/started`;
  const hasStarted = (callId: string): boolean => scope.mark(startedMark(callId)) !== undefined;
  const list = (): TaskList =>
    taskListOf(
      scope.messages.map(({ message }) => message),
      running.values(),
      hasStarted,
    );
  const iteration = (): number => {
    const own = scope.messages.slice(scope.copiedMessages);
    return own.reduce((last, { message }) => (message.role === "user" ? (message.iteration ?? last) : last), 1);
  };
  const startIteration = (number: number): void => {
    const fields = { iteration: number, max_iterations: max };
    emitOnce(scope, `iteration/${number}/started`, "TaskIterationStarted", fields);
  };
  /** Emits a task's change, once for each call. */
  const updated = (mark: string, before: Task, after: Task | undefined): void => {
    if (!after) return;
    const { id, title: name, status: now, assignee, result } = after;
    const ended = now === "completed" || now === "failed";
    emitOnce(scope, mark, "TaskUpdated", {
      ...{ task_id: id, title: name, status: now, previous_status: before.status },
      ...{ result: ended ? result : undefined, assignee },
    });
  };

  /** Makes a tool whose calls take effect at once: their messages follow. */
  const tool = (
    spec: Tool & ReturnType<typeof typed>,
    run: (given: never, callId: string) => Promise<ToolResult> | ToolResult,
  ): Callable => ({
    ...spec,
    stopAfterCall: false,
    async run(input, { toolCallId: id }) {
      const result = await run(input as never, id);
      running.set(id, { id, name: spec.name, args: input, result });
      return result;
    },
  });

  const tools = toolsOf(team);
  const createTask = (given: z.output<ReturnType<typeof create>>, callId: string): ToolResult => {
    const { tasks } = list();
    const same = tasks.find((task) => isSame(task.title, given.title) && task.id !== taskIdOf(callId));
    if (same) return errorAnswer(`There is such a task already: [${same.id}] ${same.title} (${same.status}).`);
    if (tasks.length >= maxTasks) return errorAnswer(`The list is full: it has ${maxTasks} tasks.`);
    const missing = given.depends_on.find((reference) => !findTask(tasks, reference));
    if (missing !== undefined) return errorAnswer(`There is no task "${missing}" to depend on.\n${summaryOf(list())}`);
    running.set(callId, { id: callId, name: taskTools.create, args: given, result: { text: "", isError: false } });
    const task = findTask(list().tasks, taskIdOf(callId)) as Task;
    emitOnce(scope, `task/${callId}/created`, "TaskCreated", {
      ...{ task_id: task.id, title: task.title, description: task.description, assignee: task.assignee },
      ...{ status: task.status, dependencies: task.dependencies },
    });
    return answer(`Created task [${task.id}] ${task.title} (${task.status}).`);
  };

  const executeTask = async (given: z.output<ReturnType<typeof execute>>, callId: string): Promise<ToolResult> => {
    const { tasks } = list();
    const task = findTask(tasks, given.task_id);
    if (!task) return unknown(given.task_id, list());
    const memberId = given.member_id ?? task.assignee;
    const member = delegation.members.find(({ id }) => id === memberId);
    if (!member) return errorAnswer(`The task has no assignee: specify member_id.`);
    if (!hasStarted(callId)) {
      if (task.status === "in_progress" || task.status === "completed")
        return errorAnswer(`The task [${task.id}] is ${task.status} already.`);
      const open = needsOf(task, tasks).filter((one) => one.status !== "completed");
      if (open.length > 0) {
        const names = open.map((one) => `[${one.id}] ${one.title} (${one.status})`).join(", ");
        return errorAnswer(`The task [${task.id}] depends on tasks that are not completed: ${names}.`);
      }
    }
    const args = { ...given, member_id: member.id };
    running.set(callId, { id: callId, name: taskTools.execute, args });
    updated(startedMark(callId), task, findTask(list().tasks, task.id));
    const result = await runMember(delegation, member, messageOf(task, tasks), callId);
    running.set(callId, { id: callId, name: taskTools.execute, args, result });
    const before = { ...task, status: "in_progress" } as const;
    updated(`task/${callId}/ended`, before, findTask(list().tasks, task.id));
    return result;
  };

  const updateTask = (given: z.output<typeof update>, callId: string): ToolResult => {
    const task = findTask(list().tasks, given.task_id);
    if (!task) return unknown(given.task_id, list());
    if (task.status === "in_progress" && runs(task, running.values()))
      return errorAnswer(`A member is doing the task [${task.id}]: its state follows from the member's answer.`);
    running.set(callId, { id: callId, name: taskTools.update, args: given, result: { text: "", isError: false } });
    const after = findTask(list().tasks, task.id);
    updated(`task/${callId}/updated`, task, after);
    return answer(`The task [${task.id}] is ${after?.status}.`);
  };

  const addNote = (given: z.output<typeof annotate>): ToolResult => {
    const task = findTask(list().tasks, given.task_id);
    return task ? answer(`Added a note to [${task.id}].`) : unknown(given.task_id, list());
  };

  return {
    callables: () => [
      tool(tools.create, createTask),
      tool(tools.execute, executeTask),
      tool(tools.update, updateTask),
      tool(tools.list, () => answer(summaryOf(list()))),
      tool(tools.note, addNote),
      tool(tools.complete, (given: z.output<typeof complete>) => answer(`The goal is complete: ${given.summary}`)),
    ],
    begin: () => startIteration(iteration()),
    continues() {
      const number = iteration();
      const state = list();
      const text = summaryOf(state);
      const counts = { iteration: number, max_iterations: max };
      emitOnce(scope, `iteration/${number}/ended`, "TaskIterationCompleted", { ...counts, task_summary: text });
      emitOnce(scope, `iteration/${number}/state`, "TaskStateUpdated", {
        ...{ task_summary: text, goal_complete: state.completion !== undefined },
        tasks: state.tasks.map(({ notes: _, ...task }) => task),
        completion_summary: state.completion,
      });
      if (isFinished(state) || number >= max) return false;
      scope.appendMessage({
        role: "user",
        content: `Some tasks are not finished. Continue with them, or call ${taskTools.complete} if the goal is complete.\n${text}`,
        isCorrection: true,
        iteration: number + 1,
      });
      startIteration(number + 1);
      return true;
    },
  };
}

function answer(text: string): ToolResult {
  return { text, isError: false };
}

function unknown(reference: string, list: TaskList): ToolResult {
  return errorAnswer(`There is no task "${reference}".\n${summaryOf(list)}`);
}

function needsOf({ dependencies }: Task, tasks: readonly Task[]): readonly Task[] {
  return tasks.filter(({ id }) => dependencies.includes(id));
}

/** Whether a call of this process executes the task. */
function runs({ id }: Task, calls: Iterable<TaskCall>): boolean {
  for (const { args, result } of calls)
    if (result === undefined && (args as { readonly task_id?: unknown }).task_id === id) return true;
  return false;
}

/** The message to the member: the task, and the results that it builds on. */
function messageOf(task: Task, tasks: readonly Task[]): string {
  const results = needsOf(task, tasks).map((one) => toNamedSection("result", { task: one.title }, one.result ?? ""));
  const text = task.description === "" ? task.title : `${task.title}\n\n${task.description}`;
  return results.length === 0
    ? text
    : `${text}\n\nResults of the tasks that this one depends on:\n${results.join("\n")}`;
}
