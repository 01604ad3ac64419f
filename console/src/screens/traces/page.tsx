import { Anchor, Group, NumberInput, Stack, Text } from "@mantine/core";
import { IconListTree } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { serverUrl } from "../../api/places.ts";
import type { Column } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { FilterInput } from "../../components/filter-input.tsx";
import { FilterSelect, KindFilter } from "../../components/filter-select.tsx";
import { Filters } from "../../components/filters.tsx";
import { List, NoMatch, numberedPages } from "../../components/list.tsx";
import { Page } from "../../components/page.tsx";
import { Cost, Duration, Time, Tokens } from "../../components/values.tsx";
import { filtersOf, isFiltered } from "../../routing/filters.ts";
import { componentOf, durationOf, type Trace, totalsOf, tracesQuery } from "./queries.ts";
import { type tracePeriods, traceStatuses } from "./search.ts";
import { TraceStatus } from "./status.tsx";

export const Route = createLazyRoute("/traces")({ component: Traces });

const statusChoices = traceStatuses.map((value) => ({ value, label: value === "OK" ? "succeeded" : "failed" }));
const periodChoices = [
  { value: "1h", label: "last hour" },
  { value: "24h", label: "last 24 hours" },
  { value: "7d", label: "last 7 days" },
  { value: "30d", label: "last 30 days" },
] as const satisfies readonly { readonly value: keyof typeof tracePeriods; readonly label: string }[];

function Traces(): ReactNode {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const request = useQuery(tracesQuery(search));
  const { filter, bind, toPage, removeAll } = filtersOf(search, (next, { replace }) => {
    void navigate({ search: next, replace });
  });
  return (
    <Page
      title="Traces"
      description="What each run did and how long it took. A trace appears a few seconds after the end of its run."
    >
      <Filters>
        <FilterInput label="Name or id" placeholder="Part of a name, or an id" {...bind("text")} />
        <FilterSelect label="Result" placeholder="All results" choices={statusChoices} {...bind("status")} />
        <KindFilter {...bind("kind")} />
        <FilterInput label="Component" placeholder="Id" {...bind("component")} />
        <FilterInput label="User" placeholder="Id" {...bind("user")} />
        <FilterInput label="Session" placeholder="Id" {...bind("session")} />
        <FilterSelect label="Started" placeholder="Any time" choices={periodChoices} {...bind("period")} />
        <NumberInput
          label="Slower than (ms)"
          placeholder="Any duration"
          value={search.slower ?? ""}
          onChange={(value) => filter({ slower: typeof value === "number" && value >= 1 ? value : undefined })}
          min={1}
          step={500}
          allowDecimal={false}
        />
      </Filters>
      <List
        request={request}
        label="Traces"
        columns={columns}
        rows={request.data?.data}
        rowKey={({ run_id: run, trace_id: id }) => `${id}/${run ?? ""}`}
        paging={numberedPages(request.data, toPage)}
        empty={
          isFiltered(search, traceFilters) ? (
            <NoMatch icon={IconListTree} title="No trace matches the filters" onReset={removeAll}>
              Names match in any part; ids match as a whole.
            </NoMatch>
          ) : (
            <Empty
              icon={IconListTree}
              title="No traces yet"
              command={`curl ${serverUrl}/agents/AGENT_ID/runs -d message=Hello -d stream=false`}
            >
              Every run has a trace: its model requests, tool calls, members, steps and pauses.
            </Empty>
          )
        }
      />
    </Page>
  );
}

const traceFilters = ["text", "status", "kind", "component", "user", "session", "period", "slower"] as const;

const columns: readonly Column<Trace>[] = [
  {
    id: "run",
    header: "Run",
    cell: (trace) => (
      <Stack gap={0} maw={420}>
        <Anchor
          component={Link}
          to="/traces/$traceId"
          params={{ traceId: trace.trace_id } as never}
          search={{ run: trace.run_id ?? undefined } as never}
          size="sm"
          fw={500}
          c="inherit"
          truncate
        >
          {trace.input || trace.name}
        </Anchor>
        <Text size="xs" c="dimmed" truncate>
          {componentOf(trace)?.id ?? trace.name} {componentOf(trace)?.kind}
        </Text>
        <Group hiddenFrom="sm" gap="xs" mt={4}>
          <TraceStatus status={trace.status} />
          <Text size="xs">
            <Duration ms={durationOf(trace)} />
          </Text>
        </Group>
      </Stack>
    ),
  },
  { id: "status", header: "Result", from: "sm", cell: ({ status }) => <TraceStatus status={status} /> },
  {
    id: "duration",
    header: "Duration",
    align: "right",
    from: "sm",
    cell: (trace) => <Duration ms={durationOf(trace)} />,
  },
  { id: "spans", header: "Spans", align: "right", from: "lg", cell: ({ total_spans: spans }) => spans },
  {
    id: "tokens",
    header: "Tokens",
    align: "right",
    from: "md",
    cell: (trace) => {
      const { input, output } = totalsOf(trace);
      return <Tokens count={input === undefined && output === undefined ? undefined : (input ?? 0) + (output ?? 0)} />;
    },
  },
  { id: "cost", header: "Cost", align: "right", from: "md", cell: (trace) => <Cost usd={totalsOf(trace).cost} /> },
  { id: "user", header: "User", from: "lg", cell: ({ user_id: user }) => user ?? <Text c="dimmed">–</Text> },
  { id: "started", header: "Started", cell: ({ start_time: time }) => <Time value={time} /> },
];
