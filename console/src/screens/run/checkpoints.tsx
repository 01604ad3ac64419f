/** The checkpoints of a run: its state after each model turn. A new run can continue from each of them. */
import { Button, Group, Text } from "@mantine/core";
import { IconGitBranch, IconRestore } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { notifyDone } from "../../api/queries.ts";
import { askToConfirm } from "../../components/confirm.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Time } from "../../components/values.tsx";
import { clientRun } from "./follow.ts";
import { type Checkpoint, checkpointsQuery } from "./queries.ts";
import type { RunName } from "./run-name.ts";

interface CheckpointsProps {
  readonly name: RunName;
  /** Whether the caller may start runs, and this run has ended. */
  readonly mayContinue: boolean;
}

export function Checkpoints({ name, mayContinue }: CheckpointsProps): ReactNode {
  const { data, error, refetch } = useQuery(checkpointsQuery(name));
  const successor = useSuccessor(name);
  const columns = useMemo(
    () => (mayContinue ? [...facts, actionsColumn(successor.mutate, successor.isPending)] : facts),
    [mayContinue, successor.mutate, successor.isPending],
  );
  if (error && !data) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return (
    <DataTable
      label="Checkpoints"
      columns={columns}
      rows={data}
      rowKey={({ checkpoint_id: id }) => id}
      empty={
        <Empty icon={IconGitBranch} title="No checkpoints yet">
          A run has a checkpoint after each of its model turns, with the results of the turn's tool calls.
        </Empty>
      }
    />
  );
}

interface Choice {
  readonly from: number;
  readonly fork: boolean;
}

/** Starts a run that continues from a checkpoint, and opens its page. */
function useSuccessor(name: RunName) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async ({ from, fork }: Choice) => {
      const stop = new AbortController();
      const run = await clientRun(name).startSuccessor({ continueFrom: from, fork, signal: stop.signal });
      // The first event names the session of a fork. The page of the new run follows it from there.
      for await (const { session_id: session } of run) {
        stop.abort();
        return { run: run.id, session };
      }
      return { run: run.id, session: name.session };
    },
    onSuccess: async ({ run, session }, { fork }) => {
      notifyDone(fork ? "The fork has begun in a new session." : "The new run replaces the earlier one.");
      await navigate({
        to: "/runs/$kind/$component/$run",
        params: { kind: name.kind, component: name.component, run },
        search: { session },
      });
      await queries.invalidateQueries({ queryKey: ["run"] });
    },
  });
}

const facts: readonly Column<Checkpoint>[] = [
  { id: "number", header: "Checkpoint", cell: ({ checkpoint_id: id }) => id },
  { id: "messages", header: "Messages", align: "right", from: "sm", cell: ({ continue_from: count }) => count },
  {
    id: "last",
    header: "Last message",
    cell: ({ message_role: role, message_preview: preview }) => (
      <Text size="sm" lineClamp={2} maw={520}>
        <Text span c="dimmed" size="xs">
          {role}{" "}
        </Text>
        {preview || "calls tools"}
      </Text>
    ),
  },
  { id: "time", header: "Time", from: "md", cell: ({ created_at: time }) => <Time value={time} /> },
];

function actionsColumn(start: (choice: Choice) => void, isPending: boolean): Column<Checkpoint> {
  return {
    id: "actions",
    header: "Actions",
    isHeaderHidden: true,
    align: "right",
    cell: ({ checkpoint_id: id, continue_from: from }) => (
      <Group gap="xs" justify="flex-end" wrap="nowrap">
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconRestore size={14} aria-hidden />}
          aria-label={`Retry from checkpoint ${id}`}
          disabled={isPending}
          onClick={() =>
            askToConfirm({
              title: "Retry from here?",
              message: "A new run continues from this checkpoint. It replaces this run in the history of the session.",
              confirm: "Retry",
              onConfirm: () => start({ from, fork: false }),
            })
          }
        >
          Retry
        </Button>
        <Button
          size="compact-sm"
          variant="light"
          leftSection={<IconGitBranch size={14} aria-hidden />}
          aria-label={`Fork from checkpoint ${id}`}
          disabled={isPending}
          onClick={() => start({ from, fork: true })}
        >
          Fork
        </Button>
      </Group>
    ),
  };
}
