import { ActionIcon, Menu, Stack, Text } from "@mantine/core";
import { IconDots, IconMessages, IconPencil, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import { serverUrl } from "../../api/places.ts";
import classes from "../../components/components.module.css";
import { askToConfirm } from "../../components/confirm.tsx";
import type { Column } from "../../components/data-table.tsx";
import { DeleteButton } from "../../components/delete-button.tsx";
import { Empty } from "../../components/empty.tsx";
import { FilterInput } from "../../components/filter-input.tsx";
import { KindFilter } from "../../components/filter-select.tsx";
import { Filters } from "../../components/filters.tsx";
import { List, NoMatch, numberedPages } from "../../components/list.tsx";
import { Page } from "../../components/page.tsx";
import { Time, Tokens } from "../../components/values.tsx";
import { filtersOf, isFiltered } from "../../routing/filters.ts";
import { useMay } from "../../session/me.ts";
import { componentOf, kindOf, nameOf, type Session, sessionsQuery, useDeleteSessions } from "./queries.ts";
import { RenameSession } from "./rename.tsx";

export const Route = createLazyRoute("/sessions")({ component: Sessions });

function Sessions(): ReactNode {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const may = useMay();
  const request = useQuery(sessionsQuery(search));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [renamed, setRenamed] = useState<Session>();
  const deletion = useDeleteSessions();
  const mayDelete = may("DELETE /sessions");
  const mayRename = may("POST /sessions/{session_id}/rename");

  const { filter, bind, toPage, removeAll } = filtersOf(search, (next, { replace }) => {
    // Selected rows stay selected on another page of the same list only.
    if (replace) setSelected(new Set());
    void navigate({ search: next, replace });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: remove only calls functions that stay the same.
  const columns = useMemo(
    () =>
      columnsFor({
        ...{ mayDelete, mayRename, onRename: setRenamed },
        onDelete: (one) => askToConfirm({ ...deletionOf([one]), confirm: "Delete", onConfirm: () => remove([one]) }),
      }),
    [mayDelete, mayRename],
  );
  function remove(sessions: readonly Session[]): void {
    deletion.mutate(sessions.map(nameOf), { onSuccess: () => setSelected(new Set()) });
  }

  const rows = request.data?.data;
  const chosen = rows?.filter((row) => selected.has(keyOf(row))) ?? [];
  return (
    <Page title="Sessions" description="Conversations with agents, teams and workflows, with their runs.">
      <Filters>
        <FilterInput label="Name" placeholder="Any part of the name" {...bind("name")} />
        <KindFilter {...bind("kind")} />
        <FilterInput label="Component" placeholder="Id" {...bind("component")} />
        <FilterInput label="User" placeholder="Id" {...bind("user")} />
        {chosen.length > 0 && (
          <DeleteButton {...deletionOf(chosen)} onDelete={() => remove(chosen)} isPending={deletion.isPending}>
            Delete {chosen.length} selected
          </DeleteButton>
        )}
      </Filters>
      <List
        request={request}
        label="Sessions"
        columns={columns}
        rows={rows}
        rowKey={keyOf}
        {...(mayDelete && { selection: { selected, onChange: setSelected, nameOf: titleOf } })}
        sort={{
          current: { key: search.sort ?? "updated_at", descending: search.order !== "asc" },
          onChange: ({ key, descending }) =>
            filter({ sort: key === "created_at" ? key : undefined, order: descending ? undefined : "asc" }),
        }}
        paging={numberedPages(request.data, toPage)}
        empty={
          isFiltered(search, ["name", "kind", "component", "user"]) ? (
            <NoMatch icon={IconMessages} title="No session matches the filters" onReset={removeAll}>
              Names match in any part; ids match as a whole.
            </NoMatch>
          ) : (
            <Empty
              icon={IconMessages}
              title="No sessions yet"
              command={`curl -N ${serverUrl}/agents/AGENT_ID/runs -d message=Hello -d session_id=first`}
            >
              A session begins with its first run. Runs with the same session id share a history.
            </Empty>
          )
        }
      />
      {renamed && (
        <RenameSession session={nameOf(renamed)} current={renamed.session_name} onClose={() => setRenamed(undefined)} />
      )}
    </Page>
  );
}

interface Abilities {
  readonly mayDelete: boolean;
  readonly mayRename: boolean;
  readonly onRename: (session: Session) => void;
  readonly onDelete: (session: Session) => void;
}

function columnsFor(abilities: Abilities): readonly Column<Session>[] {
  return [
    {
      id: "name",
      header: "Name",
      cell: (session) => (
        <Stack gap={0} maw={{ base: 180, sm: 420 }}>
          <Link
            to="/sessions/$sessionId"
            params={{ sessionId: session.session_id }}
            search={{ kind: kindOf(session), ...(session.user_id ? { user: session.user_id } : {}) }}
            className={classes.rowLink}
          >
            <Text size="sm" fw={500} truncate title={titleOf(session)}>
              {titleOf(session)}
            </Text>
          </Link>
          <Text size="xs" c="dimmed" truncate ff="monospace">
            {session.session_id}
          </Text>
          <Text size="xs" c="dimmed" truncate hiddenFrom="sm">
            {componentOf(session)} {kindOf(session)}
          </Text>
        </Stack>
      ),
    },
    {
      id: "component",
      header: "Component",
      from: "sm",
      cell: (session) => (
        <Text size="sm" span>
          {componentOf(session)}{" "}
          <Text size="xs" c="dimmed" span>
            {kindOf(session)}
          </Text>
        </Text>
      ),
    },
    { id: "user", header: "User", from: "md", cell: ({ user_id: user }) => user ?? <Text c="dimmed">–</Text> },
    {
      id: "tokens",
      header: "Tokens",
      align: "right",
      from: "md",
      cell: ({ total_tokens: tokens }) => <Tokens count={tokens} />,
    },
    {
      id: "created",
      header: "Created",
      from: "lg",
      sortKey: "created_at",
      cell: ({ created_at: time }) => time && <Time value={time} />,
    },
    {
      id: "updated",
      header: "Last change",
      sortKey: "updated_at",
      cell: ({ updated_at: time }) => time && <Time value={time} />,
    },
    ...(abilities.mayDelete || abilities.mayRename
      ? [
          {
            id: "actions",
            header: "Actions",
            isHeaderHidden: true,
            align: "right" as const,
            cell: (session: Session) => <RowMenu session={session} {...abilities} />,
          },
        ]
      : []),
  ];
}

function RowMenu({ session, mayDelete, mayRename, onRename, onDelete }: Abilities & { readonly session: Session }) {
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${titleOf(session)}`}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {mayRename && (
          <Menu.Item leftSection={<IconPencil size={14} aria-hidden />} onClick={() => onRename(session)}>
            Rename
          </Menu.Item>
        )}
        {mayDelete && (
          <Menu.Item color="red" leftSection={<IconTrash size={14} aria-hidden />} onClick={() => onDelete(session)}>
            Delete
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Under user isolation, two users may have sessions with the same id. */
function keyOf({ session_id: id, user_id: user }: Session): string {
  return `${user ?? ""}/${id}`;
}

function titleOf({ session_name: name, session_id: id }: Session): string {
  return name || id;
}

/** What the caller confirms before a deletion. */
function deletionOf(sessions: readonly Session[]): { readonly title: string; readonly message: string } {
  const [only] = sessions;
  return sessions.length === 1 && only
    ? {
        title: "Delete this session?",
        message: `"${titleOf(only)}" and all of its runs are deleted. Runs in progress are cancelled first.`,
      }
    : {
        title: `Delete ${sessions.length} sessions?`,
        message: "The sessions and all of their runs are deleted. Runs in progress are cancelled first.",
      };
}
