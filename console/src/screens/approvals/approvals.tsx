/** Approvals: calls that need an approver, and the record of decisions. */
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconCheck, IconChecklist, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { serverUrl } from "../../api/places.ts";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { questionOfCall } from "../../components/questions.ts";
import { StatusBadge, Time } from "../../components/values.tsx";
import { useMay } from "../../session/me.ts";
import { ApprovalPanel } from "./approval-panel.tsx";
import classes from "./approvals.module.css";
import { nameOf, type Outcome, useDecisions, useResolve } from "./decide.ts";
import { type Asked, DecideDialog } from "./decide-dialog.tsx";
import { type Approval, approvalsQuery, rootOf } from "./queries.ts";
import { Report } from "./report.tsx";
import type { ApprovalSearch } from "./search.ts";
import { NoMatch } from "./waiting.tsx";

interface ApprovalsProps {
  readonly search: ApprovalSearch;
  readonly onOpen: (id: string | undefined) => void;
  readonly onPage: (page: number) => void;
  readonly onReset: () => void;
}

export function ApprovalList({ search, onOpen, onPage, onReset }: ApprovalsProps): ReactNode {
  const { data, error, refetch } = useQuery(approvalsQuery(search));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<Asked>();
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const mayResolve = useMay()("POST /approvals/{approval_id}/resolve");
  const resolve = useResolve();
  const decisions = useDecisions((next) => {
    setOutcomes(next);
    setSelected(new Set());
    onOpen(undefined);
  });
  const ask = (confirmed: boolean, approvals: readonly Approval[]): void =>
    setAsked({
      confirmed,
      names: approvals.map(nameOf),
      onConfirm: (note) =>
        decisions.mutate(approvals.map((one) => resolve(one, undefined, { confirmed, note: note ?? "" }))),
    });
  const columns = useMemo(() => columnsFor(onOpen), [onOpen]);
  const rows = data?.data;
  const chosen = rows?.filter(({ id, status }) => selected.has(id) && status === "pending") ?? [];
  const approvable = chosen.filter(takesYes);
  const isFiltered = Boolean(search.component ?? search.user ?? search.type ?? search.status);
  return (
    <Stack gap="md">
      {chosen.length > 0 && (
        <Group gap="sm">
          <Text size="sm">{chosen.length} selected</Text>
          <Button
            size="xs"
            leftSection={<IconCheck size={14} aria-hidden />}
            disabled={approvable.length === 0}
            loading={decisions.isPending}
            onClick={() => ask(true, approvable)}
          >
            Approve {approvable.length}
          </Button>
          <Button
            size="xs"
            color="red"
            variant="light"
            leftSection={<IconX size={14} aria-hidden />}
            loading={decisions.isPending}
            onClick={() => ask(false, chosen)}
          >
            Reject {chosen.length}
          </Button>
          {approvable.length < chosen.length && (
            <Text size="sm" c="dimmed">
              {chosen.length - approvable.length} need values: open them.
            </Text>
          )}
        </Group>
      )}
      {outcomes.length > 0 && <Report outcomes={outcomes} onClose={() => setOutcomes([])} />}
      {error && !data ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label="Approvals"
          columns={columns}
          rows={rows}
          rowKey={({ id }) => id}
          {...(mayResolve && { selection: { selected, onChange: setSelected, nameOf } })}
          paging={{ kind: "pages", page: data?.meta.page ?? 1, pages: data?.meta.total_pages ?? 1, onPage }}
          empty={
            isFiltered ? (
              <NoMatch onReset={onReset} />
            ) : (
              <Empty
                icon={IconChecklist}
                title="No approval is pending"
                command={`curl ${serverUrl}/approvals?status=pending`}
              >
                A tool with approval: "required" waits here until a person with the right to approve decides.
              </Empty>
            )
          }
        />
      )}
      {asked && <DecideDialog asked={asked} onClose={() => setAsked(undefined)} />}
      {search.open && (
        <ApprovalPanel
          id={search.open}
          isSending={decisions.isPending}
          onSend={(decision) => decisions.mutate([decision])}
          onClose={() => onOpen(undefined)}
        />
      )}
    </Stack>
  );
}

/** Whether a yes is a complete answer. */
function takesYes({ requirements }: Approval): boolean {
  const questions = requirements?.flatMap((one) => questionOfCall(one)) ?? [];
  return questions.every(({ type }) => type === "confirm");
}

function columnsFor(onOpen: (id: string) => void): readonly Column<Approval>[] {
  return [
    {
      id: "call",
      header: "Call",
      cell: (approval) => (
        <Stack gap={0} maw={420}>
          <button type="button" className={classes.question} onClick={() => onOpen(approval.id)}>
            {nameOf(approval)}
          </button>
          <Text size="xs" c="dimmed" ff="monospace" truncate>
            {JSON.stringify(approval.tool_args ?? {})}
          </Text>
        </Stack>
      ),
    },
    {
      id: "component",
      header: "Component",
      from: "sm",
      cell: (approval) => (
        <Text size="sm" span>
          {approval.source_name ?? rootOf(approval).id}{" "}
          <Text size="xs" c="dimmed" span>
            {approval.source_type}
          </Text>
        </Text>
      ),
    },
    { id: "user", header: "User", from: "md", cell: ({ user_id: user }) => user ?? <Text c="dimmed">–</Text> },
    { id: "status", header: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
    {
      id: "created",
      header: "Created",
      from: "sm",
      cell: ({ created_at: time }) => time && <Time value={time} />,
    },
    {
      id: "resolved",
      header: "Resolved",
      from: "md",
      cell: ({ resolved_at: time, resolved_by: by }) =>
        time ? (
          <Text size="sm" span>
            <Time value={time} />
            {by && ` by ${by}`}
          </Text>
        ) : (
          <Text c="dimmed">–</Text>
        ),
    },
  ];
}
