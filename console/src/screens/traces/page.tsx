import { Anchor, Button, Group, NumberInput, Select, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconListTree } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { serverUrl } from "../../api/places.ts";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { FilterInput } from "../../components/filter-input.tsx";
import { Page } from "../../components/page.tsx";
import { Cost, Duration, Time, Tokens } from "../../components/values.tsx";
import { componentOf, durationOf, type Trace, totalsOf, tracesQuery } from "./queries.ts";
import { type TraceSearch, traceKinds, type tracePeriods, traceStatuses } from "./search.ts";
import { TraceStatus } from "./status.tsx";

export const Route = createLazyRoute("/traces")({ component: Traces });

const statusChoices = traceStatuses.map((value) => ({ value, label: value === "OK" ? "succeeded" : "failed" }));
const kindChoices = traceKinds.map((value) => ({ value, label: `${value}s` }));
const periodNames: Readonly<Record<keyof typeof tracePeriods, string>> = {
  "1h": "last hour",
  "24h": "last 24 hours",
  "7d": "last 7 days",
  "30d": "last 30 days",
};
const periodChoices = Object.entries(periodNames).map(([value, label]) => ({ value, label }));

function Traces(): ReactNode {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const { data, error, refetch } = useQuery(tracesQuery(search));
  /** Every change of a filter returns to the first page. */
  const filter = (change: TraceSearch): void =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...change }), replace: true });
  const { page: _, ...filters } = search;
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <Page
      title="Traces"
      description="What each run did and how long it took. A trace appears a few seconds after the end of its run."
    >
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm" verticalSpacing="xs">
        <FilterInput
          label="Name or id"
          placeholder="Part of a name, or an id"
          value={search.text}
          onChange={(text) => filter({ text })}
        />
        <Select
          label="Result"
          placeholder="All results"
          data={statusChoices}
          value={search.status ?? null}
          onChange={(status) => filter({ status: status ?? undefined })}
          clearable
        />
        <Select
          label="Kind"
          placeholder="All kinds"
          data={kindChoices}
          value={search.kind ?? null}
          onChange={(kind) => filter({ kind: kind ?? undefined })}
          clearable
        />
        <FilterInput
          label="Component"
          placeholder="Id"
          value={search.component}
          onChange={(component) => filter({ component })}
        />
        <FilterInput label="User" placeholder="Id" value={search.user} onChange={(user) => filter({ user })} />
        <FilterInput
          label="Session"
          placeholder="Id"
          value={search.session}
          onChange={(session) => filter({ session })}
        />
        <Select
          label="Started"
          placeholder="Any time"
          data={periodChoices}
          value={search.period ?? null}
          onChange={(period) => filter({ period: (period ?? undefined) as TraceSearch["period"] })}
          clearable
        />
        <NumberInput
          label="Slower than (ms)"
          placeholder="Any duration"
          value={search.slower ?? ""}
          onChange={(value) => filter({ slower: typeof value === "number" && value >= 1 ? value : undefined })}
          min={1}
          step={500}
          allowDecimal={false}
        />
      </SimpleGrid>
      {error && !data ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label="Traces"
          columns={columns}
          rows={data?.data}
          rowKey={({ run_id: run, trace_id: id }) => `${id}/${run ?? ""}`}
          paging={{
            kind: "pages",
            page: data?.meta.page ?? 1,
            pages: data?.meta.total_pages ?? 1,
            onPage: (page) => void navigate({ search: (before) => ({ ...before, page }) }),
          }}
          empty={
            isFiltered ? (
              <Empty
                icon={IconListTree}
                title="No trace matches the filters"
                action={
                  <Button variant="light" onClick={() => void navigate({ search: {} })}>
                    Remove the filters
                  </Button>
                }
              >
                Names match in any part; ids match as a whole.
              </Empty>
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
      )}
    </Page>
  );
}

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
