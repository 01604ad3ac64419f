/** Bars over groups. The table beside a chart has the same facts, so screen readers skip the chart. */
import { Paper, Skeleton } from "@mantine/core";
import { useReducedMotion } from "@mantine/hooks";
import type { ReactNode } from "react";
import { Bar, BarChart, CartesianGrid, Legend, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import classes from "./usage.module.css";

export interface Series {
  readonly key: string;
  readonly name: string;
}

/** A group with its values by the key of their series. */
export interface Point {
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

export function BarsChart({ points, series, format, isStacked = false }: ChartProps): ReactNode {
  const isStill = useReducedMotion();
  const data = points.map(({ name, values }) => ({ name, ...values }));
  return (
    <Paper withBorder p="md" className={classes.chart} aria-hidden>
      <ResponsiveContainer width="100%" height={height}>
        <BarChart data={data} margin={{ top: 4, right: 4, bottom: 0, left: 0 }} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--mantine-color-default-border)" />
          <XAxis dataKey="name" tickLine={false} axisLine={false} tick={tick} minTickGap={8} />
          <YAxis tickLine={false} axisLine={false} tick={tick} tickFormatter={format} width={72} />
          <Tooltip
            formatter={(value) => format(Number(value))}
            cursor={{ fill: "var(--mantine-color-default-hover)" }}
            contentStyle={tooltip}
            isAnimationActive={false}
          />
          {series.length > 1 && (
            <Legend
              wrapperStyle={{ fontSize: 12, paddingTop: 8 }}
              iconType="circle"
              iconSize={8}
              // In the order of the bars, in the colour of text: the colours of bars have too little contrast.
              itemSorter={null}
              formatter={(name) => <span style={{ color: "var(--mantine-color-text)" }}>{name}</span>}
            />
          )}
          {series.map(({ key, name }, at) => (
            <Bar
              key={key}
              dataKey={key}
              name={name}
              fill={`var(--mantine-color-${colors[at % colors.length]})`}
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
