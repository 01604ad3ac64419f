/** What versions of components measure over time, of the newest experiments: a chart, and a table with the same facts. */
import { Select, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useMemo, useState } from "react";
import classes from "../../components/components.module.css";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Section } from "../../components/section.tsx";
import { Time } from "../../components/values.tsx";
import { formatMeasure } from "./format.ts";
import { trendQuery } from "./queries.ts";
import type { ExperimentsSearch } from "./search.ts";
import { type TrendMeasure, type TrendPoint, trendMeasures, trendOf } from "./summary.ts";

/** The library of charts is read when there is something to show. */
const TrendChart = lazy(() => import("./trend-chart.tsx").then((module) => ({ default: module.TrendChart })));

/** Rows that the table shows at first, and for each "Show more". */
const pageSize = 10;

interface TrendProps {
  readonly search: ExperimentsSearch;
  readonly onMeasure: (measure: string) => void;
}

export function Trend({ search, onMeasure }: TrendProps): ReactNode {
  const { data, error, refetch } = useQuery(trendQuery(search));
  const points = useMemo(() => trendOf(data?.experiments ?? []), [data]);
  const measures = useMemo(() => trendMeasures(points), [points]);
  const columns = useMemo(() => columnsFor(measures), [measures]);
  const [count, setCount] = useState(pageSize);
  if (!data) return error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : null;
  const chosen = measures.find(({ id }) => id === search.measure) ?? measures[0];
  if (points.length === 0 || !chosen) return null;
  return (
    <Section
      title="Measures over time"
      description="Ended experiments with these filters. Scores of different datasets are not comparable."
      actions={
        <Select
          aria-label="Measure"
          size="xs"
          data={measures.map(({ id, label }) => ({ value: id, label }))}
          value={chosen.id}
          onChange={(id) => id && onMeasure(id)}
          allowDeselect={false}
        />
      }
    >
      <Suspense fallback={<Skeleton height={294} radius="md" />}>
        <TrendChart points={points} measure={chosen} />
      </Suspense>
      <DataTable
        label="Measures over time"
        columns={columns}
        rows={points.slice(0, count)}
        rowKey={({ key }) => key}
        empty={null}
        paging={{
          ...{ kind: "more", hasMore: points.length > count, isLoading: false },
          onMore: () => setCount(count + pageSize),
        }}
      />
      {!data.isComplete && (
        <Text size="xs" c="dimmed">
          The chart and the table show the newest {data.experiments.length} experiments.
        </Text>
      )}
    </Section>
  );
}

function columnsFor(measures: readonly TrendMeasure[]): readonly Column<TrendPoint>[] {
  return [
    {
      id: "experiment",
      header: "Experiment",
      cell: ({ experiment, name, endedAt }) => (
        <Stack gap={0} maw={{ base: 160, sm: 300 }}>
          <Link to="/experiments/$experiment" params={{ experiment }} className={classes.rowLink}>
            {name}
          </Link>
          <Text size="xs" c="dimmed">
            <Time value={endedAt} />
          </Text>
        </Stack>
      ),
    },
    { id: "component", header: "Component", from: "md", cell: ({ component }) => component },
    { id: "version", header: "Runs of", cell: ({ version }) => version },
    ...measures.map(
      ({ id, label, unit, of }): Column<TrendPoint> => ({
        ...{ id, header: label, align: "right" },
        cell: (point) => formatMeasure(unit, of(point)),
      }),
    ),
  ];
}
