import { Stack, Text } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { serverUrl } from "../../api/places.ts";
import type { Column } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { FilterInput } from "../../components/filter-input.tsx";
import { FilterSelect, KindFilter } from "../../components/filter-select.tsx";
import { Filters } from "../../components/filters.tsx";
import { List, NoMatch, nextPages, useFoundRows } from "../../components/list.tsx";
import { Page } from "../../components/page.tsx";
import { RunLink } from "../../components/run-link.tsx";
import { Duration, Elapsed, StatusBadge, Time, Tokens } from "../../components/values.tsx";
import { filtersOf, isFiltered } from "../../routing/filters.ts";
import { meQuery } from "../../session/me.ts";
import { type Run, runsQuery } from "./queries.ts";
import { runStatuses } from "./search.ts";

export const Route = createLazyRoute("/runs")({ component: Runs });

const statusChoices = runStatuses.map((status) => ({ value: status, label: status.toLowerCase() }));

function Runs(): ReactNode {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const { data: me } = useQuery(meQuery);
  const seesUsers = me !== undefined && !me.sees_only_own;
  const list = useInfiniteQuery(runsQuery(search));
  const found = useMemo(() => list.data?.pages.flatMap(({ runs }) => runs), [list.data]);
  const rows = useFoundRows(list, found);
  const columns = seesUsers ? withUser : common;
  const { bind, removeAll } = filtersOf(search, (next, { replace }) => {
    void navigate({ search: next, replace });
  });
  return (
    <Page title="Runs" description="Runs of all agents, teams and workflows, latest change first.">
      <Filters>
        <FilterSelect label="State" placeholder="All states" choices={statusChoices} {...bind("status")} />
        <KindFilter {...bind("kind")} />
        <FilterInput label="Component" placeholder="Id" {...bind("component")} />
        <FilterInput label="Session" placeholder="Id" {...bind("session")} />
        {seesUsers && <FilterInput label="User" placeholder="Id" {...bind("user")} />}
      </Filters>
      <List
        request={list}
        label="Runs"
        columns={columns}
        rows={rows}
        rowKey={({ run_id: id }) => id}
        paging={nextPages(list)}
        empty={
          isFiltered(search, ["status", "kind", "component", "session", "user"]) ? (
            <NoMatch icon={IconPlayerPlay} title="No run matches the filters" onReset={removeAll}>
              Ids match as a whole.
            </NoMatch>
          ) : (
            <Empty
              icon={IconPlayerPlay}
              title="No runs yet"
              command={`curl -N ${serverUrl}/agents/AGENT_ID/runs -d message=Hello`}
            >
              Runs of all components and all replicas appear here.
            </Empty>
          )
        }
      />
    </Page>
  );
}

const user: Column<Run> = {
  id: "user",
  header: "User",
  from: "md",
  cell: ({ user_id: id }) => id ?? <Text c="dimmed">–</Text>,
};

const common: readonly Column<Run>[] = [
  {
    id: "component",
    header: "Run",
    cell: (run) => (
      <Stack gap={0} maw={300}>
        <RunLink kind={run.component_type} component={run.component_id} run={run.run_id} session={run.session_id}>
          {run.component_name}
        </RunLink>
        <Text size="xs" c="dimmed" truncate>
          {run.component_type} · {run.run_id.slice(0, 8)}
        </Text>
      </Stack>
    ),
  },
  {
    id: "status",
    header: "State",
    cell: ({ status, error }) => (
      <Stack gap={2} align="flex-start">
        <StatusBadge status={status} />
        {error && (
          <Text size="xs" c="dimmed" lineClamp={1} maw={260} title={error}>
            {error}
          </Text>
        )}
      </Stack>
    ),
  },
  {
    id: "session",
    header: "Session",
    from: "lg",
    cell: ({ session_id: session }) => (
      <Text size="xs" ff="monospace" truncate maw={180} title={session}>
        {session}
      </Text>
    ),
  },
  {
    id: "tokens",
    header: "Tokens",
    align: "right",
    from: "sm",
    cell: ({ input_tokens: input, output_tokens: output }) => (
      <Tokens count={input === null ? null : input + (output ?? 0)} />
    ),
  },
  {
    id: "duration",
    header: "Duration",
    align: "right",
    from: "sm",
    cell: ({ status, created_at: begun, updated_at: changed }) =>
      status === "RUNNING" || status === "PENDING" ? (
        <Elapsed since={begun} />
      ) : (
        <Duration ms={Date.parse(changed) - Date.parse(begun)} />
      ),
  },
  { id: "changed", header: "Last change", cell: ({ updated_at: time }) => <Time value={time} /> },
];

const withUser: readonly Column<Run>[] = [...common.slice(0, 3), user, ...common.slice(3)];
