import { SegmentedControl } from "@mantine/core";
import { IconChartBar } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { serverUrl } from "../../api/places.ts";
import { BarsChart, ChartSkeleton } from "../../components/chart.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Section } from "../../components/section.tsx";
import { Cost, formatCost, Tokens } from "../../components/values.tsx";
import { type Day, daysQuery, firstDay } from "./queries.ts";
import { measures, type UsageSearch } from "./search.ts";
import classes from "./usage.module.css";

interface DaysProps {
  readonly search: UsageSearch;
  readonly onSearch: (search: UsageSearch) => void;
}

/** Tokens and cost of a model on a day. */
interface ModelDay {
  readonly day: string;
  readonly model: string;
  readonly provider: string;
  readonly runs: number;
  readonly requests: number;
  readonly tokens: number;
  readonly input: number;
  readonly output: number;
  readonly cost: number | undefined;
}

const measureNames = { cost: "Cost", tokens: "Tokens", requests: "Model requests" } as const;
const measureChoices = measures.map((value) => ({ value, label: measureNames[value] }));
const counts = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
/** More models share one colour. */
const maxSeries = 7;

/** Costs, tokens and requests by day and model. */
export function Days({ search, onSearch }: DaysProps): ReactNode {
  const { data, error, refetch } = useQuery(daysQuery(search));
  const measure = search.measure ?? "cost";
  const days = data?.metrics as readonly Day[] | undefined;
  const rows = useMemo(() => days?.flatMap(modelDays).reverse(), [days]);
  const { points, series } = useMemo(() => chartOf(rows ?? [], measure, firstDay(search)), [rows, measure, search]);
  return (
    <Section
      title="By day and model"
      actions={
        <SegmentedControl
          aria-label="Measure"
          size="xs"
          data={measureChoices}
          value={measure}
          onChange={(value) => onSearch({ measure: value as UsageSearch["measure"] })}
        />
      }
    >
      {error && !data && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {days && days.length > 0 && <Totals days={days} rows={rows ?? []} />}
      {!data && !error && <ChartSkeleton />}
      {rows && rows.length > 0 && (
        <BarsChart
          points={points}
          series={series}
          format={measure === "cost" ? formatCost : (value) => counts.format(value)}
          isStacked
        />
      )}
      {!error && (
        <DataTable
          label="Usage by day and model"
          columns={columns}
          rows={rows}
          rowKey={({ day, model, provider }) => `${day}/${provider}/${model}`}
          empty={
            <Empty
              icon={IconChartBar}
              title="No model requests in this period"
              command={`curl ${serverUrl}/agents/AGENT_ID/runs -d message=Hello -d stream=false`}
            >
              A run is counted a few seconds after its end. "Count ended runs now" counts it at once.
            </Empty>
          }
        />
      )}
    </Section>
  );
}

function Totals({ days, rows }: { readonly days: readonly Day[]; readonly rows: readonly ModelDay[] }): ReactNode {
  const sum = <One,>(list: readonly One[], of: (one: One) => number): number =>
    list.reduce((total, one) => total + of(one), 0);
  const costs = rows.flatMap(({ cost }) => cost ?? []);
  const tiles: readonly (readonly [string, ReactNode])[] = [
    ["Runs", <Tokens key="runs" count={sum(days, runsOf)} />],
    ["Model requests", <Tokens key="requests" count={sum(rows, ({ requests }) => requests)} />],
    ["Tokens", <Tokens key="tokens" count={sum(rows, ({ tokens }) => tokens)} />],
    ["Cost", <Cost key="cost" usd={costs.length === 0 ? undefined : sum(costs, (cost) => cost)} />],
    ["Most users on a day", Math.max(...days.map(({ users_count: users }) => users))],
  ];
  return (
    <dl className={classes.tiles}>
      {tiles.map(([name, value]) => (
        <div key={name} className={classes.tile}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const columns: readonly Column<ModelDay>[] = [
  { id: "day", header: "Day", cell: ({ day }) => day },
  { id: "model", header: "Model", cell: ({ model }) => model },
  { id: "provider", header: "Provider", from: "md", cell: ({ provider }) => provider || "–" },
  { id: "runs", header: "Runs", align: "right", from: "md", cell: ({ runs }) => <Tokens count={runs} /> },
  {
    id: "requests",
    header: "Requests",
    align: "right",
    from: "sm",
    cell: ({ requests }) => <Tokens count={requests} />,
  },
  { id: "input", header: "Tokens in", align: "right", from: "sm", cell: ({ input }) => <Tokens count={input} /> },
  { id: "output", header: "Tokens out", align: "right", from: "sm", cell: ({ output }) => <Tokens count={output} /> },
  { id: "cost", header: "Cost", align: "right", cell: ({ cost }) => <Cost usd={cost} /> },
];

function runsOf(day: Day): number {
  return day.agent_runs_count + day.team_runs_count + day.workflow_runs_count;
}

function modelDays({ date, model_metrics: models }: Day): readonly ModelDay[] {
  const count = (value: unknown): number => (typeof value === "number" ? value : 0);
  return models.map((model) => ({
    day: date.slice(0, 10),
    model: String(model.model_id ?? ""),
    provider: String(model.model_provider ?? ""),
    runs: count(model.count),
    requests: count(model.requests),
    input: count(model.input_tokens),
    output: count(model.output_tokens),
    tokens: count(model.total_tokens),
    cost: typeof model.cost === "number" ? model.cost : undefined,
  }));
}

/** A point for each day of the period, also for days without usage. */
function chartOf(rows: readonly ModelDay[], measure: (typeof measures)[number], from: string) {
  const totals = new Map<string, number>();
  for (const row of rows) totals.set(row.model, (totals.get(row.model) ?? 0) + (row[measure] ?? 0));
  const models = [...totals].sort(([, one], [, other]) => other - one).map(([model]) => model);
  const shown = models.slice(0, maxSeries);
  const others = models.length > maxSeries;
  // Keys without dots: the chart reads a dot as a path.
  const keyOf = (model: string): string => (shown.includes(model) ? `m${shown.indexOf(model)}` : "others");
  const byDay = new Map<string, Record<string, number>>();
  for (const row of rows) {
    const values = byDay.get(row.day) ?? {};
    byDay.set(row.day, values);
    const key = keyOf(row.model);
    values[key] = (values[key] ?? 0) + (row[measure] ?? 0);
  }
  const points: { name: string; values: Record<string, number> }[] = [];
  for (let at = Date.parse(from); at <= Date.now(); at += 86_400_000) {
    const day = new Date(at).toISOString().slice(0, 10);
    points.push({ name: day.slice(5), values: byDay.get(day) ?? {} });
  }
  const series = shown.map((model, at) => ({ key: `m${at}`, name: model }));
  return { points, series: others ? [...series, { key: "others", name: "others" }] : series };
}
