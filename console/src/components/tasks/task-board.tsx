/** The shared task list of a team. */
import { Badge, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Markdown } from "../markdown.tsx";
import type { Task, TaskList, TaskStatus } from "./task-list.ts";
import classes from "./tasks.module.css";

const colors: Readonly<Record<TaskStatus, string>> = {
  pending: "gray",
  blocked: "yellow",
  in_progress: "blue",
  completed: "green",
  failed: "red",
};

interface TaskBoardProps {
  readonly list: TaskList;
  /** What the list belongs to, for screen readers. */
  readonly label: string;
}

export function TaskBoard({ list, label }: TaskBoardProps): ReactNode {
  const { tasks, completion, iteration, maxIterations } = list;
  const done = tasks.filter(({ status }) => status === "completed").length;
  const titles = new Map(tasks.map(({ id, title }) => [id, title]));
  return (
    <Stack gap="xs" component="section" aria-label={label}>
      <Text size="sm" c="dimmed" role="status">
        {done} of {tasks.length} {tasks.length === 1 ? "task" : "tasks"} completed
        {iteration > 0 && `, pass ${iteration} of at most ${maxIterations}`}
      </Text>
      <ol className={classes.tasks}>
        {tasks.map((task) => (
          <li key={task.id} className={classes.task}>
            <Item task={task} titles={titles} />
          </li>
        ))}
      </ol>
      {completion && (
        <div>
          <Text size="sm" fw={600}>
            The goal is complete
          </Text>
          <Markdown text={completion} isStreaming={false} />
        </div>
      )}
    </Stack>
  );
}

function Item({ task, titles }: { readonly task: Task; readonly titles: ReadonlyMap<string, string> }): ReactNode {
  const { title, status, assignee, dependencies, description, result } = task;
  const head = (
    <Group gap="xs" component="span" display="inline-flex" wrap="wrap">
      <Badge variant="light" radius="sm" size="sm" tt="none" color={colors[status] ?? "gray"} miw="max-content">
        {status.replaceAll("_", " ")}
      </Badge>
      <Text size="sm" fw={550} span>
        {title}
      </Text>
      {assignee && (
        <Text size="xs" c="dimmed" span>
          {assignee}
        </Text>
      )}
      {dependencies.length > 0 && (
        <Text size="xs" c="dimmed" span>
          after {dependencies.map((id) => titles.get(id) ?? id).join(", ")}
        </Text>
      )}
    </Group>
  );
  if (!description && !result) return head;
  return (
    <details>
      <summary className={classes.summary}>{head}</summary>
      <div className={classes.body}>
        {description && (
          <Text size="sm" c="dimmed">
            {description}
          </Text>
        )}
        {result && <Markdown text={result} isStreaming={false} />}
      </div>
    </details>
  );
}
