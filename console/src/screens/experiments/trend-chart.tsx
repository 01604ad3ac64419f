/** The chart of a trend: a line for each version. */
import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { LinesChart, maxSeries, type TimePoint } from "../../components/chart.tsx";
import { formatMeasure } from "./format.ts";
import { linesOf, type TrendMeasure, type TrendPoint } from "./summary.ts";

interface TrendChartProps {
  readonly points: readonly TrendPoint[];
  readonly measure: TrendMeasure;
}

export function TrendChart({ points, measure }: TrendChartProps): ReactNode {
  const lines = linesOf(points, measure);
  const shown = lines.slice(0, maxSeries);
  if (shown.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No experiment has this measure.
      </Text>
    );
  const all: readonly TimePoint[] = shown
    .flatMap((line, at) => line.points.map(({ time, value }) => ({ time, values: { [`l${at}`]: value } })))
    .sort((one, other) => one.time - other.time);
  return (
    <>
      <LinesChart
        points={all}
        series={shown.map(({ name }, at) => ({ key: `l${at}`, name }))}
        format={(value) => formatMeasure(measure.unit, value)}
        max={measure.unit === "score" ? 1 : undefined}
      />
      {lines.length > shown.length && (
        <Text size="xs" c="dimmed">
          The chart shows the {shown.length} newest of {lines.length} versions. The table has all of them.
        </Text>
      )}
    </>
  );
}
