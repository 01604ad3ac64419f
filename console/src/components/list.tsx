/** A list that the server sends in pages: its rows in a table, or the error of its request. */
import { Button } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import { type ReactNode, useEffect } from "react";
import { DataTable, type DataTableProps, type Paging } from "./data-table.tsx";
import { Empty } from "./empty.tsx";
import { ErrorPanel } from "./error-panel.tsx";

interface ListProps<Row> extends DataTableProps<Row> {
  /** The query that reads the rows. */
  readonly request: { readonly error: Error | null; readonly refetch: () => unknown };
}

/** Shows the last rows if a later request fails. */
export function List<Row extends object>({ request, ...table }: ListProps<Row>): ReactNode {
  if (request.error && !table.rows) return <ErrorPanel error={request.error} onRetry={() => void request.refetch()} />;
  return <DataTable {...table} />;
}

interface Page {
  readonly meta: { readonly page?: number; readonly total_pages?: number };
}

/** The pages of a list that the server counts. */
export function numberedPages(list: Page | undefined, onPage: (page: number) => void): Paging {
  return { kind: "pages", page: list?.meta.page ?? 1, pages: list?.meta.total_pages ?? 1, onPage };
}

interface PagedRequest {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}

/** The pages of a list that is read with a cursor. */
export function nextPages({ hasNextPage, isFetchingNextPage, fetchNextPage }: PagedRequest): Paging {
  return { kind: "more", hasMore: hasNextPage, isLoading: isFetchingNextPage, onMore: () => void fetchNextPage() };
}

/**
 * The rows of a list that is read with a cursor; undefined while none is found. The server may end its search with an empty page: the next page
 * continues it.
 */
export function useFoundRows<Row>(
  {
    hasNextPage,
    isFetching,
    fetchNextPage,
  }: Omit<PagedRequest, "isFetchingNextPage"> & { readonly isFetching: boolean },
  found: readonly Row[] | undefined,
): readonly Row[] | undefined {
  const goesOn = found?.length === 0 && hasNextPage;
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage();
  }, [goesOn, isFetching, fetchNextPage]);
  return goesOn ? undefined : found;
}

interface NoMatchProps {
  readonly icon: Icon;
  readonly title: string;
  /** What the filters compare. */
  readonly children: ReactNode;
  /** Removes the filters. */
  readonly onReset: () => void;
}

/** What a list shows while its filters exclude every row. */
export function NoMatch({ icon, title, children, onReset }: NoMatchProps): ReactNode {
  return (
    <Empty
      icon={icon}
      title={title}
      action={
        <Button variant="light" onClick={onReset}>
          Remove the filters
        </Button>
      }
    >
      {children}
    </Empty>
  );
}
