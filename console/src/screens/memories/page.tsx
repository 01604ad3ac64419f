/** What agents remember about users. */
import { Button, Stack, Text } from "@mantine/core";
import { IconBrain, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { serverUrl } from "../../api/places.ts";
import classes from "../../components/components.module.css";
import type { Column } from "../../components/data-table.tsx";
import { DeleteButton } from "../../components/delete-button.tsx";
import { Empty } from "../../components/empty.tsx";
import { FilterInput } from "../../components/filter-input.tsx";
import { FilterSelect } from "../../components/filter-select.tsx";
import { Filters } from "../../components/filters.tsx";
import { List, NoMatch, numberedPages } from "../../components/list.tsx";
import { Page } from "../../components/page.tsx";
import { UserFilter } from "../../components/user-filter.tsx";
import { Time } from "../../components/values.tsx";
import { filtersOf, isFiltered } from "../../routing/filters.ts";
import { meQuery, useMay } from "../../session/me.ts";
import { CreateMemory } from "./create.tsx";
import { MemoryPanel } from "./memory.tsx";
import { deletionOf, originOf, Topics } from "./parts.tsx";
import { type Memory, memoriesQuery, topicsQuery, useDeleteMemories, usersQuery } from "./queries.ts";
import type { MemoriesSearch } from "./search.ts";

export const Route = createLazyRoute("/memories")({ component: Memories });

function Memories(): ReactNode {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const may = useMay();
  const { data: me } = useQuery(meQuery);
  const isOwn = me?.sees_only_own === true;
  const user = isOwn ? (me.user_id ?? undefined) : search.user;
  const request = useQuery(memoriesQuery(search));
  const topics = useQuery(topicsQuery(search.user));
  const { data: users } = useQuery({ ...usersQuery, enabled: !isOwn && may("GET /user_memory_stats") });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const deletion = useDeleteMemories();
  const mayCreate = may("POST /memories");
  const mayDelete = may("DELETE /memories");
  const { filter, bind, toPage, removeAll } = filtersOf(search, (next, { replace }) => {
    if (replace) setSelected(new Set());
    void navigate({ search: next, replace });
  });
  const show = useCallback(
    (change: Pick<MemoriesSearch, "open" | "dialog">): void =>
      void navigate({ search: (before) => ({ ...before, ...change }), replace: change.open === undefined }),
    [navigate],
  );
  const columns = useMemo(() => columnsFor(!isOwn, (id) => show({ open: id })), [isOwn, show]);
  const rows = request.data?.data;
  const chosen = rows?.filter(({ memory_id: id }) => selected.has(id)) ?? [];
  const remove = (memories: readonly Memory[]): void => {
    // An open memory would be read again when it no longer exists.
    show({ open: undefined });
    deletion.mutate(memories, { onSuccess: () => setSelected(new Set()) });
  };
  const create = mayCreate && (
    <Button leftSection={<IconPlus size={14} aria-hidden />} onClick={() => show({ dialog: "create" })}>
      New memory
    </Button>
  );
  return (
    <Page title="Memories" description="What agents remember about users, across sessions." actions={create}>
      <Filters>
        <FilterInput label="Search" placeholder="Any part of the text" {...bind("text")} />
        {!isOwn && <UserFilter users={users?.map(({ user_id: id }) => id)} {...bind("user")} />}
        <FilterSelect
          label="Topic"
          placeholder="All topics"
          choices={topicChoices(topics.data, search.topic)}
          searchable
          {...bind("topic")}
        />
        {chosen.length > 0 && (
          <DeleteButton {...deletionOf(chosen.length)} onDelete={() => remove(chosen)} isPending={deletion.isPending}>
            Delete {chosen.length} selected
          </DeleteButton>
        )}
      </Filters>
      <List
        request={request}
        label="Memories"
        columns={columns}
        rows={rows}
        rowKey={({ memory_id: id }) => id}
        {...(mayDelete && {
          selection: { selected, onChange: setSelected, nameOf: ({ memory }: Memory) => memory.slice(0, 80) },
        })}
        sort={{
          current: { key: "updated_at", descending: search.order !== "asc" },
          onChange: ({ descending }) => filter({ order: descending ? undefined : "asc" }),
        }}
        paging={numberedPages(request.data, toPage)}
        empty={
          isFiltered(search, ["text", "user", "topic"]) ? (
            <NoMatch icon={IconBrain} title="No memory matches the filters" onReset={removeAll}>
              Texts match in any part; topics and users match as a whole.
            </NoMatch>
          ) : (
            <Empty icon={IconBrain} title="No memories yet" command={example} action={create}>
              Agents and teams with the option memory learn facts about their users in runs. You can also store them
              yourself.
            </Empty>
          )
        }
      />
      {search.open && (
        <MemoryPanel
          id={search.open}
          onDelete={mayDelete ? (memory) => remove([memory]) : undefined}
          onClose={() => show({ open: undefined })}
        />
      )}
      {search.dialog === "create" && mayCreate && (
        <CreateMemory user={user} isOwn={isOwn} onClose={() => show({ dialog: undefined })} />
      )}
    </Page>
  );
}

const example = `curl ${serverUrl}/memories -H 'content-type: application/json' -d '{
  "user_id": "USER_ID", "memory": "Prefers trains to planes", "topics": ["travel"]
}'`;

/** The topic of the URL stays a choice, also if no memory has it. */
function topicChoices(topics: readonly string[] | undefined, current: string | undefined) {
  const all = new Set([...(topics ?? []), ...(current === undefined ? [] : [current])]);
  return [...all].map((topic) => ({ value: topic, label: topic }));
}

function columnsFor(seesUsers: boolean, onOpen: (id: string) => void): readonly Column<Memory>[] {
  return [
    {
      id: "memory",
      header: "Memory",
      cell: (memory) => (
        <Stack gap={2} maw={{ base: 220, sm: 460 }} align="flex-start">
          <button type="button" className={classes.rowButton} onClick={() => onOpen(memory.memory_id)}>
            <Text size="sm" fw={500} lineClamp={2} span>
              {memory.memory}
            </Text>
          </button>
          <Text size="xs" c="dimmed" truncate maw="100%" hiddenFrom="sm">
            {[memory.user_id, ...(memory.topics ?? [])].filter(Boolean).join(" · ")}
          </Text>
        </Stack>
      ),
    },
    { id: "topics", header: "Topics", from: "sm", cell: ({ topics }) => <Topics topics={topics} /> },
    ...(seesUsers
      ? [
          {
            id: "user",
            header: "User",
            from: "sm" as const,
            cell: ({ user_id: user }: Memory) => user ?? <Text c="dimmed">–</Text>,
          },
        ]
      : []),
    { id: "source", header: "Source", from: "md", cell: (memory) => <Text size="sm">{originOf(memory)}</Text> },
    {
      id: "updated",
      header: "Last change",
      sortKey: "updated_at",
      from: "sm",
      cell: ({ updated_at: time }) => time && <Time value={time} />,
    },
  ];
}
