/** What agents know from earlier runs: profiles, contexts of sessions, entities, knowledge and decisions. */
import { Button, Stack, Text } from "@mantine/core";
import { IconPlus, IconSchool } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { type ReactNode, useCallback, useMemo } from "react";
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
import { CreateLearning } from "./create.tsx";
import { LearningPanel } from "./learning.tsx";
import { type Learning, learningsQuery, useDeleteLearning, useDeleteUserLearnings, usersQuery } from "./queries.ts";
import type { LearningsSearch } from "./search.ts";
import { labelOfType, learningTypes, titleOf } from "./types.ts";

export const Route = createLazyRoute("/learnings")({ component: Learnings });

function Learnings(): ReactNode {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const may = useMay();
  const { data: me } = useQuery(meQuery);
  const isOwn = me?.sees_only_own === true;
  const user = isOwn ? (me.user_id ?? undefined) : search.user;
  const request = useQuery(learningsQuery(search));
  const { data: users } = useQuery({ ...usersQuery, enabled: !isOwn && may("GET /learnings/users") });
  const { mutate: drop } = useDeleteLearning();
  const dropAll = useDeleteUserLearnings();
  const { filter, bind, toPage, removeAll } = filtersOf(search, (next, { replace }) => {
    void navigate({ search: next, replace });
  });
  const show = useCallback(
    (change: Pick<LearningsSearch, "open" | "owner" | "dialog">): void =>
      void navigate({ search: (before) => ({ ...before, ...change }), replace: change.open === undefined }),
    [navigate],
  );
  const columns = useMemo(
    () => columnsFor(({ learning_id: id, user_id: owner }) => show({ open: id, owner: owner ?? undefined })),
    [show],
  );
  const remove = (learning: Learning): void => {
    // An open learning would be read again when it no longer exists.
    show({ open: undefined, owner: undefined });
    drop(learning);
  };
  const those = search.type === undefined ? "All learnings" : `The learnings of the type ${search.type}`;
  const rows = request.data?.data;
  const create = may("POST /learnings") && (
    <Button leftSection={<IconPlus size={14} aria-hidden />} onClick={() => show({ dialog: "create" })}>
      New learning
    </Button>
  );
  return (
    <Page
      title="Learnings"
      description="What agents know from earlier runs: profiles, sessions, entities, knowledge and decisions."
      actions={
        <>
          {user !== undefined && (rows?.length ?? 0) > 0 && may("DELETE /learnings/users/{user_id}") && (
            <DeleteButton
              title={`Delete the learnings of ${user}?`}
              message={`${those} of ${user} are deleted, on all pages.`}
              onDelete={() => dropAll.mutate({ user, type: search.type })}
              isPending={dropAll.isPending}
            >
              Delete those of {user}
            </DeleteButton>
          )}
          {create}
        </>
      }
    >
      <Filters>
        <FilterSelect
          label="Type"
          placeholder="All types"
          choices={typeChoices(search.type)}
          searchable
          {...bind("type")}
        />
        {!isOwn && <UserFilter users={users?.map(({ user_id: id }) => id)} {...bind("user")} />}
        <FilterInput label="Entity" placeholder="Id" {...bind("entity")} />
        <FilterInput label="Session" placeholder="Id" {...bind("session")} />
      </Filters>
      <List
        request={request}
        label="Learnings"
        columns={columns}
        rows={rows}
        rowKey={({ learning_id: id, user_id: owner }) => `${owner ?? ""}/${id}`}
        sort={{
          current: { key: "updated_at", descending: search.order !== "asc" },
          onChange: ({ descending }) => filter({ order: descending ? undefined : "asc" }),
        }}
        paging={numberedPages(request.data, toPage)}
        empty={
          isFiltered(search, ["type", "user", "entity", "session"]) ? (
            <NoMatch icon={IconSchool} title="No learning matches the filters" onReset={removeAll}>
              Types and ids match as a whole.
            </NoMatch>
          ) : (
            <Empty icon={IconSchool} title="No learnings yet" command={example} action={create}>
              Agents and teams with the option learning note what they learn in runs. You can also store it yourself.
            </Empty>
          )
        }
      />
      {search.open && (
        <LearningPanel
          id={search.open}
          owner={search.owner}
          isOwn={isOwn}
          onDelete={may("DELETE /learnings/{learning_id}") ? remove : undefined}
          onClose={() => show({ open: undefined, owner: undefined })}
        />
      )}
      {search.dialog === "create" && create && (
        <CreateLearning user={user} isOwn={isOwn} onClose={() => show({ dialog: undefined })} />
      )}
    </Page>
  );
}

const example = `curl ${serverUrl}/learnings -H 'content-type: application/json' -d '{
  "learning_type": "user_profile", "user_id": "USER_ID", "content": {"name": "Ada"}
}'`;

/** The type of the URL stays a choice, also if it is not among the known ones. */
function typeChoices(current: string | undefined) {
  const known = learningTypes.map(({ name, label }) => ({ value: name, label }));
  if (current === undefined || known.some(({ value }) => value === current)) return known;
  return [...known, { value: current, label: current }];
}

function columnsFor(onOpen: (learning: Learning) => void): readonly Column<Learning>[] {
  return [
    {
      id: "learning",
      header: "Learning",
      cell: (learning) => (
        <Stack gap={2} maw={{ base: 240, sm: 420 }} align="flex-start">
          <button type="button" className={classes.rowButton} onClick={() => onOpen(learning)}>
            <Text size="sm" fw={500} lineClamp={2} span>
              {titleOf(learning.content)}
            </Text>
          </button>
          <Text size="xs" c="dimmed" truncate maw="100%" hiddenFrom="sm">
            {[labelOfType(learning.learning_type), learning.user_id].filter(Boolean).join(" · ")}
          </Text>
        </Stack>
      ),
    },
    { id: "type", header: "Type", from: "sm", cell: ({ learning_type: type }) => labelOfType(type) },
    {
      id: "about",
      header: "About",
      from: "md",
      cell: ({ entity_id: entity, entity_type: type, session_id: session }) =>
        entity ? `${type ?? "entity"} ${entity}` : session ? `session ${session}` : <Text c="dimmed">–</Text>,
    },
    {
      id: "user",
      header: "User",
      from: "sm",
      cell: ({ user_id: owner }) => owner ?? <Text c="dimmed">all users</Text>,
    },
    {
      id: "updated",
      header: "Last change",
      from: "sm",
      sortKey: "updated_at",
      cell: ({ updated_at: time }) => time && <Time value={time} />,
    },
  ];
}
