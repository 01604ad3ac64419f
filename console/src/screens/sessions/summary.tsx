/** The summary of a session, which agents read in place of its old runs. */
import { Paper, Spoiler, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Section } from "../../components/section.tsx";
import { Time } from "../../components/values.tsx";
import type { SessionFacts } from "./queries.ts";

/** Pixels of a long summary before a click. */
const maxHeight = 160;

export function SessionSummary({ facts }: { readonly facts: SessionFacts }): ReactNode {
  const { summary, topics, updated_at: changed } = facts.session_summary ?? {};
  if (!summary) return null;
  return (
    <Section
      title="Summary"
      description={
        <>
          A model keeps it. Agents read it in place of the old runs.{" "}
          {changed && (
            <>
              Last change: <Time value={changed} />.
            </>
          )}
        </>
      }
    >
      <Paper withBorder p="md">
        <Stack gap="xs">
          <Spoiler maxHeight={maxHeight} showLabel="Show all of it" hideLabel="Show less">
            <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
              {summary}
            </Text>
          </Spoiler>
          {topics && topics.length > 0 && (
            <Text size="xs" c="dimmed">
              Topics: {topics.join(", ")}
            </Text>
          )}
        </Stack>
      </Paper>
    </Section>
  );
}
