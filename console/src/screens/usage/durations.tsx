import { Anchor, SegmentedControl, Text } from "@mantine/core";
import { IconClock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { BarsChart, ChartSkeleton } from "../../components/chart.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Section } from "../../components/section.tsx";
import { Cost, Duration, formatDuration, Tokens } from "../../components/values.tsx";
import { type Group, type Statistics, statisticsQuery } from "./queries.ts";
import { groupings, type UsageSearch } from "./search.ts";

interface DurationsProps {
  readonly search: UsageSearch;
  readonly onSearch: (search: UsageSearch) => void;
}

interface NamedGroup extends Group {
  readonly key: string;
  readonly name: string;
  /** What the group is, behind its name: `agent`. */
  readonly detail?: string | undefined;
  /** Filters of the traces of the group. */
  readonly traces?: Readonly<Record<string, string>> | undefined;
}

type Grouping = (typeof groupings)[number];

const groupingNames: Readonly<Record<Grouping, string>> = {
  component: "Component",
  model: "Model",
  user: "User",
  day: "Day",
};
const groupingChoices = groupings.map((value) => ({ value, label: groupingNames[value] }));
const series = [
  { key: "p50", name: "median" },
  { key: "p95", name: "95th percentile" },
];
const maxBars = 12;

/** Durations, failures, tokens and costs by component, model, user or day. */
export function Durations({ search, onSearch }: DurationsProps): ReactNode {
  const { data, error, refetch } = useQuery(statisticsQuery(search));
  const by = search.by ?? "component";
  const rows = useMemo(() => data && groupsOf(data, by), [data, by]);
  const columns = useMemo(() => columnsFor(by), [by]);
  return (
    <Section
      title="Durations and failures"
      actions={
        <SegmentedControl
          aria-label="Group by"
          size="xs"
          data={groupingChoices}
          value={by}
          onChange={(value) => onSearch({ by: value as Grouping })}
        />
      }
    >
      {error && !data && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {!data && !error && <ChartSkeleton />}
      {rows && rows.length > 0 && (
        <BarsChart
          points={rows.slice(0, maxBars).map(({ name, duration_ms: { p50, p95 } }) => ({ name, values: { p50, p95 } }))}
          series={series}
          format={formatDuration}
        />
      )}
      {!error && (
        <DataTable
          label={`Durations by ${by}`}
          columns={columns}
          rows={rows}
          rowKey={({ key }) => key}
          empty={
            <Empty icon={IconClock} title="No ended runs in this period">
              A run is counted a few seconds after its end.
            </Empty>
          }
        />
      )}
      {data && data.traces > 0 && (
        <Text size="xs" c="dimmed">
          {by === "model" ? "A duration is that of a model request with its retries. " : ""}
          {data.is_complete
            ? `Of ${data.traces.toLocaleString("en")} runs.`
            : `Of the newest ${data.traces.toLocaleString("en")} runs of the period.`}
        </Text>
      )}
    </Section>
  );
}

function columnsFor(by: Grouping): readonly Column<NamedGroup>[] {
  return [
    {
      id: "name",
      header: groupingNames[by],
      cell: ({ name, detail, traces }) => (
        <Text size="sm" span>
          {traces ? (
            <Anchor component={Link} to="/traces" search={traces as never} size="sm">
              {name}
            </Anchor>
          ) : (
            name
          )}{" "}
          {detail && (
            <Text size="xs" c="dimmed" span>
              {detail}
            </Text>
          )}
        </Text>
      ),
    },
    {
      id: "count",
      header: by === "model" ? "Requests" : "Runs",
      align: "right",
      cell: ({ count }) => <Tokens count={count} />,
    },
    {
      id: "failed",
      header: "Failed",
      align: "right",
      from: "sm",
      cell: ({ error_count: failed, count }) =>
        failed === 0 ? "0" : `${failed} (${Math.max(1, Math.round((failed / count) * 100))} %)`,
    },
    { id: "p50", header: "Median", align: "right", cell: ({ duration_ms: { p50 } }) => <Duration ms={p50} /> },
    { id: "p95", header: "95 %", align: "right", cell: ({ duration_ms: { p95 } }) => <Duration ms={p95} /> },
    {
      id: "max",
      header: "Longest",
      align: "right",
      from: "md",
      cell: ({ duration_ms: { max } }) => <Duration ms={max} />,
    },
    {
      id: "tokens",
      header: "Tokens",
      align: "right",
      from: "md",
      cell: ({ input_tokens: input, output_tokens: output }) => <Tokens count={input + output} />,
    },
    { id: "cost", header: "Cost", align: "right", from: "sm", cell: ({ cost }) => <Cost usd={cost} /> },
  ];
}

function groupsOf(data: Statistics, by: Grouping): readonly NamedGroup[] {
  switch (by) {
    case "component":
      return data.components.map(({ type, id, ...group }) => ({
        ...group,
        ...{ key: `${type}/${id}`, name: id, detail: type, traces: { kind: type, component: id } },
      }));
    case "model":
      return data.models.map(({ id, provider, ...group }) => ({
        ...group,
        ...{ key: `${provider}/${id}`, name: id || "unknown model", detail: provider ?? undefined },
      }));
    case "user":
      return data.users.map(({ id, ...group }) => ({
        ...group,
        ...{ key: id ?? "", name: id ?? "no user", traces: id === null ? undefined : { user: id } },
      }));
    case "day":
      return data.days.map(({ date, ...group }) => ({ ...group, key: date, name: date }));
  }
}
