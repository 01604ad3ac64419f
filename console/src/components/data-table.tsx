/** Rows of data with columns, selection, sorting and paging. The screen owns the state, usually in the URL. */
import {
  Button,
  Checkbox,
  Group,
  Pagination,
  Skeleton,
  Table,
  Text,
  UnstyledButton,
  VisuallyHidden,
} from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { type ColumnDef, tableFeatures, useTable } from "@tanstack/react-table";
import { type ReactNode, useMemo } from "react";
import classes from "./components.module.css";

export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  /** Shows the header to screen readers only. */
  readonly isHeaderHidden?: boolean;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: "left" | "right";
  /** Hides the column on screens narrower than this. */
  readonly from?: "sm" | "md" | "lg";
  /** Name of the order; a column without it cannot be sorted by. */
  readonly sortKey?: string;
}

export interface Sort {
  readonly key: string;
  readonly descending: boolean;
}

/** Pages with numbers, or a next page that is appended. */
export type Paging =
  | { readonly kind: "pages"; readonly page: number; readonly pages: number; readonly onPage: (page: number) => void }
  | { readonly kind: "more"; readonly hasMore: boolean; readonly isLoading: boolean; readonly onMore: () => void };

export interface DataTableProps<Row> {
  /** What the rows are, for screen readers: `Sessions`. */
  readonly label: string;
  /** Keep the list stable: define it outside of the component, or with `useMemo`. */
  readonly columns: readonly Column<Row>[];
  /** Undefined while the rows are loading. */
  readonly rows: readonly Row[] | undefined;
  readonly rowKey: (row: Row) => string;
  /** Shown instead of an empty table. */
  readonly empty: ReactNode;
  readonly selection?: {
    readonly selected: ReadonlySet<string>;
    readonly onChange: (selected: ReadonlySet<string>) => void;
    /** Name of a row, for screen readers. */
    readonly nameOf: (row: Row) => string;
  };
  readonly sort?: { readonly current: Sort; readonly onChange: (sort: Sort) => void };
  readonly paging?: Paging;
}

const features = tableFeatures({});
const none: readonly never[] = [];
const skeletonRows = ["1", "2", "3", "4", "5", "6"];

export function DataTable<Row extends object>(props: DataTableProps<Row>): ReactNode {
  const { label, columns, rows, rowKey, empty, selection, sort, paging } = props;
  const definitions = useMemo(
    () =>
      columns.map(
        ({ id, header, cell }): ColumnDef<typeof features, Row> => ({
          id,
          header,
          cell: ({ row }) => cell(row.original),
        }),
      ),
    [columns],
  );
  const table = useTable({ features, columns: definitions, data: rows ?? none, getRowId: rowKey });
  if (rows?.length === 0 && !(paging?.kind === "pages" && paging.page > 1)) return empty;
  const columnOf = new Map(columns.map((column) => [column.id, column]));
  const keys = rows?.map(rowKey) ?? [];
  const chosen = selection ? keys.filter((key) => selection.selected.has(key)) : [];
  return (
    <div>
      <div className={classes.scroll}>
        <Table highlightOnHover verticalSpacing="xs" className={classes.table} aria-label={label} aria-busy={!rows}>
          <Table.Thead>
            <Table.Tr>
              {selection && (
                <Table.Th w={36}>
                  <Checkbox
                    size="xs"
                    aria-label={`Select all ${label.toLowerCase()} of this page`}
                    checked={chosen.length > 0 && chosen.length === keys.length}
                    indeterminate={chosen.length > 0 && chosen.length < keys.length}
                    onChange={(event) => selection.onChange(new Set(event.currentTarget.checked ? keys : []))}
                  />
                </Table.Th>
              )}
              {columns.map((column) => (
                <HeaderCell key={column.id} column={column} sort={sort} />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows
              ? table.getRowModel().rows.map((row) => (
                  <Table.Tr key={row.id}>
                    {selection && (
                      <Table.Td>
                        <Checkbox
                          size="xs"
                          aria-label={`Select ${selection.nameOf(row.original)}`}
                          checked={selection.selected.has(row.id)}
                          onChange={() => selection.onChange(toggled(selection.selected, row.id))}
                        />
                      </Table.Td>
                    )}
                    {row.getAllCells().map((cell) => {
                      const column = columnOf.get(cell.column.id);
                      return (
                        <Table.Td key={cell.id} ta={column?.align ?? "left"} {...visibility(column?.from)}>
                          <table.FlexRender cell={cell} />
                        </Table.Td>
                      );
                    })}
                  </Table.Tr>
                ))
              : skeletonRows.map((key) => (
                  <Table.Tr key={key}>
                    {selection && <Table.Td />}
                    {columns.map((column) => (
                      <Table.Td key={column.id} {...visibility(column.from)}>
                        <Skeleton height={18} my={2} />
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
          </Table.Tbody>
        </Table>
      </div>
      {paging && <PagingControls paging={paging} />}
    </div>
  );
}

function HeaderCell<Row>({
  column,
  sort,
}: {
  readonly column: Column<Row>;
  readonly sort: DataTableProps<Row>["sort"];
}): ReactNode {
  const { header, isHeaderHidden, align = "left", sortKey, from } = column;
  if (!sort || sortKey === undefined) {
    return (
      <Table.Th ta={align} {...visibility(from)}>
        {isHeaderHidden ? <VisuallyHidden>{header}</VisuallyHidden> : header}
      </Table.Th>
    );
  }
  const isCurrent = sort.current.key === sortKey;
  const { descending } = sort.current;
  const Arrow = descending ? IconArrowDown : IconArrowUp;
  return (
    <Table.Th
      ta={align}
      aria-sort={isCurrent ? (descending ? "descending" : "ascending") : "none"}
      {...visibility(from)}
    >
      <UnstyledButton
        fz="sm"
        fw={600}
        onClick={() => sort.onChange({ key: sortKey, descending: isCurrent ? !descending : true })}
      >
        <Group gap={4} wrap="nowrap" component="span">
          {header}
          {isCurrent && <Arrow size={14} aria-hidden />}
        </Group>
      </UnstyledButton>
    </Table.Th>
  );
}

function PagingControls({ paging }: { readonly paging: Paging }): ReactNode {
  if (paging.kind === "more") {
    if (!paging.hasMore) return null;
    return (
      <Group justify="center" mt="md">
        <Button variant="default" size="xs" onClick={paging.onMore} loading={paging.isLoading}>
          Show more
        </Button>
      </Group>
    );
  }
  if (paging.pages <= 1) return null;
  return (
    <Group justify="space-between" mt="md">
      <Text size="sm" c="dimmed">
        Page {paging.page} of {paging.pages}
      </Text>
      <Pagination
        size="sm"
        value={paging.page}
        total={paging.pages}
        onChange={paging.onPage}
        getControlProps={(control) => ({ "aria-label": `${control} page` })}
        getItemProps={(page) => ({ "aria-label": `Page ${page}` })}
      />
    </Group>
  );
}

function toggled(selected: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(selected);
  if (!next.delete(key)) next.add(key);
  return next;
}

function visibility(from: "sm" | "md" | "lg" | undefined): { visibleFrom?: "sm" | "md" | "lg" } {
  return from === undefined ? {} : { visibleFrom: from };
}
