/** One dataset with its rows. */
import { ActionIcon, Button, Menu, Stack, Text } from "@mantine/core";
import {
  IconArrowsDiff,
  IconDots,
  IconDownload,
  IconPencil,
  IconPlus,
  IconTable,
  IconTrash,
} from "@tabler/icons-react";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { askToConfirm } from "../../components/confirm.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { DeleteButton } from "../../components/delete-button.tsx";
import { download, downloadJson } from "../../components/download.ts";
import { Empty } from "../../components/empty.tsx";
import { nextPages } from "../../components/list.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { Page } from "../../components/page.tsx";
import { Time } from "../../components/values.tsx";
import { useMay } from "../../session/me.ts";
import { AddRows } from "./add.tsx";
import { ChangeDataset } from "./change.tsx";
import { allRows, type DatasetRow, datasetQuery, useRemoveDataset, useRemoveRow } from "./queries.ts";
import { toCsv, toJson } from "./rows-out.ts";
import type { DatasetSearch } from "./search.ts";

export const Route = createLazyRoute("/datasets/$dataset")({ component: DatasetPage });

function DatasetPage(): ReactNode {
  const { dataset: id } = Route.useParams();
  const { dialog } = Route.useSearch();
  const navigate = useNavigate();
  const may = useMay();
  const list = useInfiniteQuery(datasetQuery(id));
  const { mutate: remove } = useRemoveDataset(() => navigate({ to: "/datasets", search: {} }));
  const { mutate: removeRow } = useRemoveRow(id);
  const rows = useMemo(() => list.data?.pages.flatMap(({ dataset }) => dataset.rows), [list.data]);
  const save = useExport(id);
  const mayRemoveRows = may("DELETE /datasets/{dataset_id}/rows/{row_id}");
  const columns = useMemo(() => (mayRemoveRows ? [...common, removal(removeRow)] : common), [mayRemoveRows, removeRow]);
  const dataset = list.data?.pages[0]?.dataset;
  if (!dataset)
    return (
      <NotLoaded
        title="Dataset"
        error={list.error}
        onRetry={() => void list.refetch()}
        to="/datasets"
        all="All datasets"
      />
    );
  const show = (next: DatasetSearch["dialog"]): void =>
    void navigate({
      to: "/datasets/$dataset",
      params: { dataset: id },
      search: { dialog: next },
      replace: next === undefined,
    });
  const mayChange = may("PATCH /datasets/{dataset_id}");
  const mayAdd = may("POST /datasets/{dataset_id}/rows");
  const add = mayAdd && (
    <Button variant="default" leftSection={<IconPlus size={14} aria-hidden />} onClick={() => show("add")}>
      Add rows
    </Button>
  );
  return (
    <Page
      title={dataset.name}
      description={dataset.description || `${dataset.row_count} ${dataset.row_count === 1 ? "row" : "rows"}`}
      actions={
        <>
          {may("POST /experiments") && dataset.row_count > 0 && (
            <Button
              component={Link}
              {...({ to: "/experiments/new", search: { dataset: id } } as object)}
              leftSection={<IconArrowsDiff size={14} aria-hidden />}
            >
              Compare
            </Button>
          )}
          {add}
          <Menu position="bottom-end" withinPortal>
            <Menu.Target>
              <Button variant="default" leftSection={<IconDots size={14} aria-hidden />} loading={save.isPending}>
                More
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {mayChange && (
                <Menu.Item leftSection={<IconPencil size={14} aria-hidden />} onClick={() => show("change")}>
                  Change
                </Menu.Item>
              )}
              {formats.map((format) => (
                <Menu.Item
                  key={format}
                  leftSection={<IconDownload size={14} aria-hidden />}
                  onClick={() => save.mutate({ name: dataset.name, format })}
                >
                  Export as {format}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
          {may("DELETE /datasets/{dataset_id}") && (
            <DeleteButton
              title={`Delete ${dataset.name}?`}
              message="Its rows and its experiments are deleted, too. Runs stay."
              onDelete={() => remove(id)}
            />
          )}
        </>
      }
    >
      <DataTable
        label="Rows"
        columns={columns}
        rows={rows}
        rowKey={({ id: row }) => row}
        paging={nextPages(list)}
        empty={
          <Empty icon={IconTable} title="No rows yet" action={add}>
            Add a CSV table or JSON, or add stored runs from their pages.
          </Empty>
        }
      />
      {dialog === "change" && mayChange && <ChangeDataset dataset={dataset} onClose={() => show(undefined)} />}
      {dialog === "add" && mayAdd && (
        <AddRows dataset={dataset} onAdded={() => show(undefined)} onClose={() => show(undefined)} />
      )}
    </Page>
  );
}

/** Formats of exported rows. */
const formats = ["JSON", "CSV"] as const;

interface ExportOptions {
  readonly name: string;
  readonly format: (typeof formats)[number];
}

/** Saves all rows as a file. */
function useExport(id: string) {
  return useMutation({
    mutationFn: async ({ name, format }: ExportOptions) => {
      const rows = await allRows(id);
      const file = `${name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")}.${format.toLowerCase()}`;
      if (format === "JSON") downloadJson(file, toJson(rows));
      else download(file, toCsv(rows), "text/csv;charset=utf-8");
    },
  });
}

const common: readonly Column<DatasetRow>[] = [
  { id: "input", header: "Input", cell: ({ input }) => <Cell text={input} /> },
  { id: "expected", header: "Expected", cell: ({ expected }) => <Cell text={expected} /> },
  {
    id: "source",
    header: "Source",
    from: "md",
    cell: ({ run_id: run }) => (run === null ? "added" : `run ${run.slice(0, 8)}`),
  },
  { id: "created", header: "Added", from: "lg", cell: ({ created_at: time }) => <Time value={time} /> },
];

function removal(onRemove: (row: string) => void): Column<DatasetRow> {
  return {
    id: "actions",
    header: "Actions",
    isHeaderHidden: true,
    align: "right",
    cell: ({ id, input }) => (
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={`Delete the row ${input.slice(0, 60)}`}
        onClick={() =>
          askToConfirm({
            title: "Delete this row?",
            message: "Its results in experiments are deleted, too.",
            confirm: "Delete",
            onConfirm: () => onRemove(id),
          })
        }
      >
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
    ),
  };
}

function Cell({ text }: { readonly text: string | null }): ReactNode {
  return (
    <Stack gap={0} maw={{ base: 140, sm: 420 }}>
      <Text size="sm" lineClamp={3} title={text ?? undefined}>
        {text ?? "–"}
      </Text>
    </Stack>
  );
}
