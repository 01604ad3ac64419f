/** Charts. The table beside a chart has the same facts, so screen readers skip the chart. */
import { Paper, Skeleton } from "@mantine/core";
import { useReducedMotion } from "@mantine/hooks";
import type { ReactNode } from "react";
import {
  Bar,
  BarChart,
  CartesianGrid,
  Legend,
  type LegendProps,
  Line,
  LineChart,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";

interface Series {
  readonly key: string;
  readonly name: string;
}

/** A group with its values by the key of their series. */
interface Point {
  readonly name: string;
  readonly values: Readonly<Record<string, number>>;
}

interface ChartProps {
  readonly points: readonly Point[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Whether the bars of a group are on top of each other. */
  readonly isStacked?: boolean;
}

/** Colours that differ in both schemes, and for people who see fewer colours. */
const colors = ["indigo-5", "teal-6", "orange-5", "grape-5", "yellow-6", "cyan-6", "pink-5", "lime-7"];
const height = 260;

/** The largest number of series with colours of their own. */
export const maxSeries = colors.length;

export function BarsChart({ points, series, format, isStacked = false }: ChartProps): ReactNode {
  const isStill = useReducedMotion();
  const data = points.map(({ name, values }) => ({ name, ...values }));
  return (
    <Paper withBorder p="md" miw={0} aria-hidden>
      <ResponsiveContainer width="100%" height={height}>
        <BarChart data={data} margin={margin} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--mantine-color-default-border)" />
          <XAxis dataKey="name" tickLine={false} axisLine={false} tick={tick} minTickGap={8} />
          <YAxis tickLine={false} axisLine={false} tick={tick} tickFormatter={format} width={72} />
          <Tooltip
            formatter={(value) => format(Number(value))}
            cursor={{ fill: "var(--mantine-color-default-hover)" }}
            contentStyle={tooltip}
            isAnimationActive={false}
          />
          {series.length > 1 && <Legend {...legend} />}
          {series.map(({ key, name }, at) => (
            <Bar
              key={key}
              dataKey={key}
              name={name}
              fill={colorOf(at)}
              maxBarSize={36}
              isAnimationActive={!isStill}
              {...(isStacked && { stackId: "all" })}
            />
          ))}
        </BarChart>
      </ResponsiveContainer>
    </Paper>
  );
}

/** Values at a time in milliseconds, by the key of their series. */
export interface TimePoint {
  readonly time: number;
  readonly values: Readonly<Record<string, number>>;
}

interface LinesProps {
  readonly points: readonly TimePoint[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** The end of the axis of values. Default: the largest value. */
  readonly max?: number | undefined;
}

const day = 86_400_000;
const dates = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });
const times = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const dateTimes = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });

/** Lines over time: a point for each value. */
export function LinesChart({ points, series, format, max }: LinesProps): ReactNode {
  const isStill = useReducedMotion();
  const data = points.map(({ time, values }) => ({ time, ...values }));
  const [first, last] = [Math.min(...points.map(({ time }) => time)), Math.max(...points.map(({ time }) => time))];
  // A single point is in the middle.
  const margins = Math.max((last - first) * 0.03, 60_000);
  const label = last - first < 2 * day ? times : dates;
  return (
    <Paper withBorder p="md" miw={0} aria-hidden>
      <ResponsiveContainer width="100%" height={height}>
        <LineChart data={data} margin={margin} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--mantine-color-default-border)" />
          <XAxis
            dataKey="time"
            type="number"
            scale="time"
            domain={[first - margins, last + margins]}
            tickFormatter={(time) => label.format(Number(time))}
            tickLine={false}
            axisLine={false}
            tick={tick}
            minTickGap={24}
          />
          <YAxis
            domain={[0, max ?? "auto"]}
            tickLine={false}
            axisLine={false}
            tick={tick}
            tickFormatter={format}
            width={72}
          />
          <Tooltip
            formatter={(value) => format(Number(value))}
            labelFormatter={(time) => dateTimes.format(Number(time))}
            contentStyle={tooltip}
            isAnimationActive={false}
          />
          {series.length > 1 && <Legend {...legend} />}
          {series.map(({ key, name }, at) => (
            <Line
              key={key}
              dataKey={key}
              name={name}
              stroke={colorOf(at)}
              fill={colorOf(at)}
              strokeWidth={2}
              dot={{ r: 3 }}
              connectNulls
              isAnimationActive={!isStill}
            />
          ))}
        </LineChart>
      </ResponsiveContainer>
    </Paper>
  );
}

function colorOf(at: number): string {
  return `var(--mantine-color-${colors[at % colors.length]})`;
}

/** A placeholder of the chart's size. */
export function ChartSkeleton(): ReactNode {
  return <Skeleton height={height + 34} radius="md" />;
}

const tick = { fontSize: 12, fill: "var(--mantine-color-dimmed)" };
const tooltip = {
  background: "var(--mantine-color-body)",
  border: "1px solid var(--mantine-color-default-border)",
  borderRadius: 8,
  fontSize: 12,
};

const margin = { top: 4, right: 4, bottom: 0, left: 0 };
const legend: LegendProps = {
  wrapperStyle: { fontSize: 12, paddingTop: 8 },
  iconType: "circle",
  iconSize: 8,
  // In the order of the series, in the colour of text: the colours of series have too little contrast.
  itemSorter: null,
  formatter: (name) => <span style={{ color: "var(--mantine-color-text)" }}>{name}</span>,
};
