/** Parts that the list and the panel of one memory share. */
import { Badge, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { RunLink } from "../../components/run-link.tsx";
import type { Memory } from "./queries.ts";

export function Topics({ topics }: { readonly topics: readonly string[] | null | undefined }): ReactNode {
  if (!topics?.length) return <Text c="dimmed">–</Text>;
  return (
    <Group gap={4}>
      {topics.map((topic) => (
        <Badge key={topic} variant="default" radius="sm" tt="none" fw={500}>
          {topic}
        </Badge>
      ))}
    </Group>
  );
}

const origins = {
  request: "Entered by hand",
  extraction: "Learned after a run",
  tool: "Noted in a run",
  optimization: "Merged by a model",
} as const;

interface SourceProps {
  readonly memory: Memory;
  /** Shows the link in the colour of links. */
  readonly isColoured?: boolean;
}

/** Where a memory comes from, as a link to its run. */
export function Source({ memory, isColoured = false }: SourceProps): ReactNode {
  const { source, agent_id: agent, team_id: team } = memory;
  const text = origins[source?.origin ?? "request"];
  const component = agent ?? team;
  if (!source?.run_id || !component) return <Text size="sm">{text}</Text>;
  return (
    <RunLink
      kind={agent ? "agent" : "team"}
      component={component}
      run={source.run_id}
      session={source.session_id}
      isColoured={isColoured}
    >
      {text} of {component}
    </RunLink>
  );
}

/** What the caller confirms before a deletion. */
export function deletionOf(count: number): { readonly title: string; readonly message: string } {
  return count === 1
    ? {
        title: "Delete this memory?",
        message: "Agents no longer see it. A later run may learn the same again.",
      }
    : {
        title: `Delete ${count} memories?`,
        message: "Agents no longer see them. A later run may learn the same again.",
      };
}
