import { Anchor, Button, Stack, Text } from "@mantine/core";
import { IconCircleCheck, IconPlayerPlay } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useComponents } from "../../api/components.ts";
import { serverUrl } from "../../api/places.ts";
import { Id } from "../../components/copy.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { List } from "../../components/list.tsx";
import { RunLink } from "../../components/run-link.tsx";
import { Section } from "../../components/section.tsx";
import { Elapsed, StatusBadge, Time, Tokens } from "../../components/values.tsx";
import { failuresQuery, liveRunsQuery, type Run } from "./queries.ts";

const component: Column<Run> = {
  id: "component",
  header: "Component",
  cell: (run) => (
    <Stack gap={0}>
      <RunLink kind={run.component_type} component={run.component_id} run={run.run_id} session={run.session_id}>
        {run.component_name}
      </RunLink>
      <Text size="xs" c="dimmed">
        {run.component_type}
      </Text>
    </Stack>
  ),
};
const id: Column<Run> = {
  id: "run",
  header: "Run",
  from: "sm",
  cell: ({ run_id: value }) => <Id value={value} label="run id" />,
};
const user: Column<Run> = {
  id: "user",
  header: "User",
  from: "md",
  cell: ({ user_id: value }) => value ?? <Text c="dimmed">–</Text>,
};

const liveColumns: readonly Column<Run>[] = [
  component,
  { id: "status", header: "State", cell: ({ status }) => <StatusBadge status={status} /> },
  { id: "age", header: "Age", align: "right", cell: ({ created_at: since }) => <Elapsed since={since} /> },
  {
    id: "tokens",
    header: "Tokens so far",
    align: "right",
    from: "sm",
    cell: ({ input_tokens: input, output_tokens: output }) => (
      <Tokens count={input === null ? null : input + (output ?? 0)} />
    ),
  },
  user,
  {
    id: "replica",
    header: "Replica",
    from: "lg",
    cell: ({ replica_id: replica }) =>
      replica === null ? <Text c="dimmed">–</Text> : <Id value={replica} label="id of the replica" />,
  },
  id,
];

const failureColumns: readonly Column<Run>[] = [
  component,
  {
    id: "error",
    header: "Reason",
    cell: ({ error }) => (
      <Text size="sm" lineClamp={2} maw={480}>
        {error ?? "The reason is too large to list."}
      </Text>
    ),
  },
  { id: "ended", header: "Ended", cell: ({ updated_at: time }) => <Time value={time} /> },
  user,
  id,
];

/** The runs that a process executes, and those that wait for an answer. */
export function LiveRuns(): ReactNode {
  const request = useQuery(liveRunsQuery);
  const command = useStartCommand();
  return (
    <Section title="Live runs" actions={<MoreRuns />}>
      <List
        request={request}
        label="Live runs"
        columns={liveColumns}
        rows={request.data}
        rowKey={({ run_id: key }) => key}
        empty={
          <Empty
            icon={IconPlayerPlay}
            title="No run is live"
            command={command}
            action={
              <Button component={Link} to="/chat" variant="light" size="xs">
                Start a run in the chat
              </Button>
            }
          >
            Runs of all replicas appear here while they run, and while they wait for an answer.
          </Empty>
        }
      />
    </Section>
  );
}

/** The runs that failed last, with their reasons. */
export function RecentFailures(): ReactNode {
  const request = useQuery(failuresQuery);
  return (
    <Section title="Recent failures" actions={<MoreRuns status="ERROR" />}>
      <List
        request={request}
        label="Recent failures"
        columns={failureColumns}
        rows={request.data}
        rowKey={({ run_id: key }) => key}
        empty={
          <Empty icon={IconCircleCheck} title="No run has failed">
            Failed runs appear here with their reasons.
          </Empty>
        }
      />
    </Section>
  );
}

function MoreRuns({ status }: { readonly status?: "ERROR" }): ReactNode {
  return (
    <Anchor component={Link} to="/runs" search={(status ? { status } : {}) as never} size="sm">
      {status ? "All failed runs" : "All runs"}
    </Anchor>
  );
}

/** A command that starts a run of the first team, or of the first component. */
function useStartCommand(): string | undefined {
  const { components } = useComponents();
  const first = components.find(({ kind }) => kind === "team") ?? components[0];
  return first && `curl -N ${serverUrl}/${first.kind}s/${first.id}/runs -d message=Hello`;
}
