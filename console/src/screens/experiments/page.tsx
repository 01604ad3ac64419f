/** Experiments, and what versions measure over time. */
import { Button, Progress, Stack, Text } from "@mantine/core";
import { IconArrowsDiff, IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import classes from "../../components/components.module.css";
import type { Column } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { FilterInput } from "../../components/filter-input.tsx";
import { KindFilter } from "../../components/filter-select.tsx";
import { Filters } from "../../components/filters.tsx";
import { List, NoMatch, nextPages } from "../../components/list.tsx";
import { Page } from "../../components/page.tsx";
import { StatusBadge, Time } from "../../components/values.tsx";
import { filtersOf, isFiltered } from "../../routing/filters.ts";
import { useMay } from "../../session/me.ts";
import { formatMeasure } from "./format.ts";
import { experimentsQuery } from "./queries.ts";
import { type Experiment, isOver, percentOf, titleOf } from "./summary.ts";
import { Trend } from "./trend.tsx";

export const Route = createLazyRoute("/experiments")({ component: Experiments });

function Experiments(): ReactNode {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const may = useMay();
  const list = useInfiniteQuery(experimentsQuery(search));
  const rows = useMemo(() => list.data?.pages.flatMap(({ experiments }) => experiments), [list.data]);
  const { bind, removeAll } = filtersOf(search, (next, { replace }) => void navigate({ search: next, replace }));
  const create = may("POST /experiments") && (
    <Button
      component={Link}
      {...({ to: "/experiments/new", search } as object)}
      leftSection={<IconPlus size={14} aria-hidden />}
    >
      New experiment
    </Button>
  );
  return (
    <Page
      title="Experiments"
      description="Two versions of a component on the rows of a dataset, side by side."
      actions={create}
    >
      <Filters>
        <KindFilter {...bind("kind")} />
        <FilterInput label="Component" placeholder="Id" {...bind("component")} />
        <FilterInput label="Dataset" placeholder="Id" {...bind("dataset")} />
      </Filters>
      <List
        request={list}
        label="Experiments"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        paging={nextPages(list)}
        empty={
          isFiltered(search, ["kind", "component", "dataset"]) ? (
            <NoMatch icon={IconArrowsDiff} title="No experiment matches the filters" onReset={removeAll}>
              Ids match as a whole.
            </NoMatch>
          ) : (
            <Empty icon={IconArrowsDiff} title="No experiments yet" action={create}>
              An experiment runs each row of a dataset with both versions, and scores the answers.
            </Empty>
          )
        }
      />
      <Trend
        search={search}
        onMeasure={(measure) => void navigate({ search: (before) => ({ ...before, measure }), replace: true })}
      />
    </Page>
  );
}

const columns: readonly Column<Experiment>[] = [
  {
    id: "name",
    header: "Experiment",
    cell: (one) => (
      <Stack gap={0} maw={{ base: 180, sm: 360 }}>
        <Link to="/experiments/$experiment" params={{ experiment: one.id }} className={classes.rowLink}>
          {titleOf(one)}
        </Link>
        <Text size="xs" c="dimmed" truncate>
          {one.component_type} · {one.component_id}
        </Text>
      </Stack>
    ),
  },
  {
    id: "status",
    header: "State",
    cell: (one) => (
      <Stack gap={4} miw={90}>
        <StatusBadge status={one.status} />
        {!isOver(one) && <Progress value={percentOf(one)} size="xs" aria-label={`Progress of ${titleOf(one)}`} />}
      </Stack>
    ),
  },
  {
    id: "scores",
    header: "Scores, A → B",
    from: "sm",
    cell: ({ a, b }) =>
      a && b && a.scores.length > 0 ? (
        <Stack gap={0}>
          {a.scores.map(({ scorer, mean }) => (
            <Text key={scorer} size="xs">
              {scorer}: {formatMeasure("score", mean)} →{" "}
              {formatMeasure("score", b.scores.find((one) => one.scorer === scorer)?.mean ?? null)}
            </Text>
          ))}
        </Stack>
      ) : (
        <Text c="dimmed">–</Text>
      ),
  },
  { id: "rows", header: "Rows", align: "right", from: "md", cell: ({ total }) => total / 2 },
  { id: "created", header: "Created", from: "sm", cell: ({ created_at: time }) => <Time value={time} /> },
];
