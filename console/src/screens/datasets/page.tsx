/** The datasets of the caller. */
import { Button, Stack, Text } from "@mantine/core";
import { IconPlus, IconTable } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import type { Dataset } from "../../api/datasets.ts";
import { serverUrl } from "../../api/places.ts";
import classes from "../../components/components.module.css";
import type { Column } from "../../components/data-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { List, nextPages } from "../../components/list.tsx";
import { Page } from "../../components/page.tsx";
import { Time, Tokens } from "../../components/values.tsx";
import { useMay } from "../../session/me.ts";
import { AddRows } from "./add.tsx";
import { datasetsQuery } from "./queries.ts";

export const Route = createLazyRoute("/datasets")({ component: Datasets });

const example = `curl ${serverUrl}/datasets --json '{"name":"opening hours","rows":[{"input":"When do you open?"}]}'`;

function Datasets(): ReactNode {
  const { dialog } = Route.useSearch();
  const navigate = Route.useNavigate();
  const may = useMay();
  const list = useInfiniteQuery(datasetsQuery);
  const rows = useMemo(() => list.data?.pages.flatMap(({ datasets }) => datasets), [list.data]);
  const show = (next: "add" | undefined): void =>
    void navigate({ search: { dialog: next }, replace: next === undefined });
  const create = may("POST /datasets") && (
    <Button leftSection={<IconPlus size={14} aria-hidden />} onClick={() => show("add")}>
      New dataset
    </Button>
  );
  return (
    <Page
      title="Datasets"
      description="Inputs with expected answers, on which experiments compare versions."
      actions={create}
    >
      <List
        request={list}
        label="Datasets"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        paging={nextPages(list)}
        empty={
          <Empty icon={IconTable} title="No datasets yet" command={example} action={create}>
            Rows come from JSON, CSV tables and stored runs.
          </Empty>
        }
      />
      {dialog === "add" && create && (
        <AddRows
          dataset={undefined}
          onAdded={({ id }) => void navigate({ to: "/datasets/$dataset", params: { dataset: id }, search: {} })}
          onClose={() => show(undefined)}
        />
      )}
    </Page>
  );
}

const columns: readonly Column<Dataset>[] = [
  {
    id: "name",
    header: "Name",
    cell: ({ id, name, description }) => (
      <Stack gap={0} maw={{ base: 200, sm: 380 }}>
        <Link to="/datasets/$dataset" params={{ dataset: id }} search={{}} className={classes.rowLink}>
          {name}
        </Link>
        {description && (
          <Text size="xs" c="dimmed" truncate>
            {description}
          </Text>
        )}
      </Stack>
    ),
  },
  { id: "rows", header: "Rows", align: "right", cell: ({ row_count: count }) => <Tokens count={count} /> },
  { id: "user", header: "Created by", from: "md", cell: ({ user_id: user }) => user ?? "–" },
  { id: "updated", header: "Last change", from: "sm", cell: ({ updated_at: time }) => <Time value={time} /> },
];
