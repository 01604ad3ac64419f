/** Parts that the list and the panel of one memory share. */
import { Badge, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
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

export const origins = {
  request: "Entered by hand",
  extraction: "Learned after a run",
  tool: "Noted in a run",
  optimization: "Merged by a model",
} as const;

/** Where a memory comes from: `Noted in a run of clerk`. */
export function originOf({ source, agent_id: agent, team_id: team }: Memory): string {
  const text = origins[source?.origin ?? "request"];
  const component = agent ?? team;
  return source?.run_id && component ? `${text} of ${component}` : text;
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
