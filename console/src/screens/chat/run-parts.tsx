/** What a run did, in order: text, reasoning, tool calls, members and steps. */
import { Badge, Collapse, Group, Loader, Stack, Text, UnstyledButton } from "@mantine/core";
import {
  IconAlertTriangle,
  IconBulb,
  IconChevronRight,
  IconHandStop,
  IconListDetails,
  IconPencil,
  IconTool,
  IconUsers,
} from "@tabler/icons-react";
import { type ReactNode, useId, useState } from "react";
import { Json } from "../../components/json.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { searchTool } from "../../components/source.ts";
import { Sources } from "../../components/sources.tsx";
import { formatDuration } from "../../components/values.tsx";
import classes from "./chat.module.css";
import type { Item, RunNode, RunStatus, RunView, StepItem, ToolItem } from "./run-view.ts";

interface RunPartsProps {
  readonly view: RunView;
  readonly node: RunNode;
}

export function RunParts({ view, node }: RunPartsProps): ReactNode {
  return (
    <Stack gap="xs">
      {node.items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items are only appended, and never change their place.
        <Part key={at} item={item} view={view} isOpen={node.status === "running" && at === node.items.length - 1} />
      ))}
      <Sources of={node.citations} />
      {node.error && (
        <Group gap="xs" c="red" wrap="nowrap" align="flex-start" role="alert">
          <IconAlertTriangle size={16} aria-hidden className={classes.fixed} />
          <Text size="sm">
            {node.error.refusedBy !== undefined && <strong>{node.error.refusedBy} refused: </strong>}
            {node.error.message}{" "}
            {node.error.id && (
              <Text span size="xs" c="dimmed">
                Error id: {node.error.id}
              </Text>
            )}
          </Text>
        </Group>
      )}
      {node.status === "cancelled" && (
        <Text size="sm" c="dimmed">
          The run was cancelled.
        </Text>
      )}
    </Stack>
  );
}

function Part({
  item,
  view,
  isOpen,
}: {
  readonly item: Item;
  readonly view: RunView;
  readonly isOpen: boolean;
}): ReactNode {
  switch (item.type) {
    case "text":
      return <Markdown text={item.text} isStreaming={isOpen} />;
    case "reasoning":
      return (
        <Fold icon={<IconBulb size={16} aria-hidden />} title={isOpen ? "Reasoning…" : "Reasoning"} isBusy={isOpen}>
          <Text size="sm" c="dimmed" className={classes.reasoning}>
            {item.text}
          </Text>
        </Fold>
      );
    case "draft":
      return (
        <Fold icon={<IconPencil size={16} aria-hidden />} title="Draft" isBusy={isOpen}>
          <Markdown text={item.text} isStreaming={isOpen} />
        </Fold>
      );
    case "value":
      return <Json value={item.value} label="answer" />;
    case "tool":
      return <ToolPart tool={item} view={view} />;
    case "run": {
      const node = view.nodes[item.runId];
      return node ? <Member view={view} node={node} /> : null;
    }
    case "step":
      return <Step step={item} view={view} />;
    case "note":
      return (
        <Text size="xs" c="dimmed">
          {item.text}
        </Text>
      );
  }
}

function ToolPart({ tool, view }: { readonly tool: ToolItem; readonly view: RunView }): ReactNode {
  const child = tool.childRunId === undefined ? undefined : view.nodes[tool.childRunId];
  if (child) return <Member view={view} node={child} task={(tool.args as { task?: unknown } | null)?.task} />;
  return (
    <Fold
      icon={tool.status === "waiting" ? <IconHandStop size={16} aria-hidden /> : <IconTool size={16} aria-hidden />}
      title={tool.name}
      detail={
        tool.status === "error"
          ? undefined
          : tool.duration === undefined
            ? undefined
            : formatDuration(tool.duration * 1000)
      }
      badge={tool.status === "error" ? "failed" : tool.status === "waiting" ? "waits" : undefined}
      badgeColor={tool.status === "error" ? "red" : "yellow"}
      isBusy={tool.status === "running"}
    >
      <Stack gap="xs">
        <Text size="xs" fw={600}>
          Arguments
        </Text>
        <Json value={tool.args} label="arguments" />
        {tool.name === searchTool && <Sources of={tool.result} label="Found" />}
        {tool.result !== undefined && (
          <>
            <Text size="xs" fw={600}>
              {tool.status === "error" ? "Error" : "Result"}
            </Text>
            <Json value={parsed(tool.result)} label="result" />
          </>
        )}
      </Stack>
    </Fold>
  );
}

/** The run of a member or of a step's agent. */
function Member({ view, node, task }: RunPartsProps & { readonly task?: unknown }): ReactNode {
  return (
    <Fold
      icon={<IconUsers size={16} aria-hidden />}
      title={node.name}
      detail={typeof task === "string" ? task : undefined}
      badge={badgeOf(node.status)}
      badgeColor={node.status === "error" ? "red" : node.status === "paused" ? "yellow" : "gray"}
      isBusy={node.status === "running"}
      isOpenAtFirst={node.status !== "completed"}
    >
      <RunParts view={view} node={node} />
    </Fold>
  );
}

function Step({ step, view }: { readonly step: StepItem; readonly view: RunView }): ReactNode {
  const nodes = step.runIds.flatMap((id) => view.nodes[id] ?? []);
  return (
    <Fold
      icon={<IconListDetails size={16} aria-hidden />}
      title={step.name}
      detail={nodes.map(({ name }) => name).join(", ") || undefined}
      badge={badgeOf(step.status)}
      badgeColor={step.status === "error" ? "red" : step.status === "paused" ? "yellow" : "gray"}
      isBusy={step.status === "running"}
      isOpenAtFirst={step.status === "running"}
    >
      <Stack gap="sm">
        {nodes.map((node) => (
          <RunParts key={node.runId} view={view} node={node} />
        ))}
        {nodes.length === 0 && typeof step.content === "string" && step.content !== "" && (
          <Markdown text={step.content} isStreaming={false} />
        )}
        {nodes.length === 0 && typeof step.content === "object" && step.content !== null && (
          <Json value={step.content} />
        )}
        {step.error && (
          <Text size="sm" c="red">
            {step.error}
          </Text>
        )}
        {nodes.length === 0 && !step.content && !step.error && (
          <Text size="sm" c="dimmed">
            No output yet.
          </Text>
        )}
      </Stack>
    </Fold>
  );
}

interface FoldProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly detail?: string | undefined;
  readonly badge?: string | undefined;
  readonly badgeColor?: string;
  readonly isBusy?: boolean;
  readonly isOpenAtFirst?: boolean;
  readonly children: ReactNode;
}

/** A line that opens to its details. */
function Fold({
  icon,
  title,
  detail,
  badge,
  badgeColor = "gray",
  isBusy = false,
  isOpenAtFirst = false,
  children,
}: FoldProps): ReactNode {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const content = useId();
  return (
    <div className={classes.fold}>
      <UnstyledButton
        className={classes.foldHead}
        onClick={() => setOpen(!isOpen)}
        aria-expanded={isOpen}
        aria-controls={content}
      >
        <IconChevronRight size={14} aria-hidden className={classes.chevron} data-open={isOpen || undefined} />
        <span className={classes.foldIcon}>{icon}</span>
        <Text size="sm" fw={550} span className={classes.nowrap}>
          {title}
        </Text>
        {detail && (
          <Text size="xs" c="dimmed" span truncate className={classes.detail}>
            {detail}
          </Text>
        )}
        <span className={classes.foldEnd}>
          {badge && (
            <Badge size="sm" variant="light" color={badgeColor} radius="sm" tt="none">
              {badge}
            </Badge>
          )}
          {isBusy && <Loader size={14} type="dots" aria-label={`${title} is running`} />}
        </span>
      </UnstyledButton>
      <Collapse expanded={isOpen} id={content}>
        <div className={classes.foldBody}>{isOpen && children}</div>
      </Collapse>
    </div>
  );
}

function badgeOf(status: RunStatus): string | undefined {
  if (status === "error") return "failed";
  if (status === "cancelled") return "cancelled";
  return status === "paused" ? "waits" : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
