/** Approvals: calls that need an approver, and the record of decisions. */
import { Stack, Text } from "@mantine/core";
import { IconChecklist } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { serverUrl } from "../../api/places.ts";
import classes from "../../components/components.module.css";
import type { Column } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { List, numberedPages } from "../../components/list.tsx";
import { questionOfCall } from "../../components/questions.ts";
import { StatusBadge, Time } from "../../components/values.tsx";
import { isFiltered } from "../../routing/filters.ts";
import { useMay } from "../../session/me.ts";
import { ApprovalPanel } from "./approval-panel.tsx";
import { BatchControls, useBatch } from "./batch.tsx";
import { nameOf, useResolve } from "./decide.ts";
import { type Approval, approvalsQuery, rootOf } from "./queries.ts";
import type { ApprovalSearch } from "./search.ts";
import { NoRequest } from "./waiting.tsx";

const filters = ["component", "user", "type"] as const;

interface ApprovalsProps {
  readonly search: ApprovalSearch;
  readonly onOpen: (id: string | undefined) => void;
  readonly onPage: (page: number) => void;
  readonly onReset: () => void;
}

export function ApprovalList({ search, onOpen, onPage, onReset }: ApprovalsProps): ReactNode {
  const request = useQuery(approvalsQuery(search));
  const mayResolve = useMay()("POST /approvals/{approval_id}/resolve");
  const resolve = useResolve();
  const batch = useBatch(() => onOpen(undefined));
  const ask = (confirmed: boolean, approvals: readonly Approval[]): void =>
    batch.ask({
      confirmed,
      names: approvals.map(nameOf),
      onConfirm: (note) => batch.send(approvals.map((one) => resolve(one, undefined, { confirmed, note: note ?? "" }))),
    });
  const columns = useMemo(() => columnsFor(onOpen), [onOpen]);
  const rows = request.data?.data;
  const chosen = rows?.filter(({ id, status }) => batch.selected.has(id) && status === "pending") ?? [];
  const approvable = chosen.filter(takesYes);
  return (
    <Stack gap="md">
      <BatchControls
        batch={batch}
        chosen={chosen}
        approvable={approvable}
        rejectable={chosen}
        others="need values"
        onDecide={ask}
      />
      <List
        request={request}
        label="Approvals"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        {...(mayResolve && { selection: { selected: batch.selected, onChange: batch.select, nameOf } })}
        paging={numberedPages(request.data, onPage)}
        empty={
          isFiltered(search, search.status === "all" ? filters : [...filters, "status"]) ? (
            <NoRequest onReset={onReset} />
          ) : (
            <Empty
              icon={IconChecklist}
              title={search.status === "all" ? "No approvals yet" : "No approval is pending"}
              command={`curl ${serverUrl}/approvals?status=pending`}
            >
              A tool with approval: "required" waits here until a person with the right to approve decides.
            </Empty>
          )
        }
      />
      {search.open && (
        <ApprovalPanel
          id={search.open}
          isSending={batch.isSending}
          onSend={(decision) => batch.send([decision])}
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
          <button type="button" className={classes.rowButton} onClick={() => onOpen(approval.id)}>
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
    { id: "status", header: "State", cell: ({ status }) => <StatusBadge status={status} /> },
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
