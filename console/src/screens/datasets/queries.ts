import { infiniteQueryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, type Schema, toApiError } from "../../api/client.ts";
import { nextCursor } from "../../api/next-page.ts";
import { notifyDone } from "../../api/queries.ts";

export type DatasetRow = Schema<"DatasetRow">;

const pageSize = 25;

/** Rows that one request of an export reads. */
const exportSize = 100;

/** Datasets, the newest first. */
export const datasetsQuery = infiniteQueryOptions({
  queryKey: ["datasets", "list"],
  queryFn: async ({ pageParam: cursor, signal }) => {
    const query = { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
    const { data = [], response } = await api.GET("/datasets", { params: { query }, signal });
    return { datasets: data, next: nextCursor(response) };
  },
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }) => next,
});

/** A dataset with its rows, in the order in which they were added. */
export function datasetQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: ["datasets", "one", id],
    queryFn: async ({ pageParam: cursor, signal }) => {
      const query = { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
      const params = { path: { dataset_id: id }, query };
      const { data, response } = await api.GET("/datasets/{dataset_id}", { params, signal });
      if (!data) throw await toApiError(response);
      return { dataset: data, next: nextCursor(response) };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
}

/** Reads the rows of a dataset, a page after the other. A dataset has at most 10,000 rows. */
export async function allRows(id: string): Promise<readonly DatasetRow[]> {
  const rows: DatasetRow[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: exportSize, ...(cursor === undefined ? {} : { cursor }) };
    const params = { path: { dataset_id: id }, query };
    const { data, response } = await api.GET("/datasets/{dataset_id}", { params });
    if (!data) throw await toApiError(response);
    rows.push(...data.rows);
    cursor = nextCursor(response);
  } while (cursor !== undefined);
  return rows;
}

/** Changes the name and the description of a dataset. */
export function useChangeDataset(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Schema<"DatasetUpdate">) =>
      api.PATCH("/datasets/{dataset_id}", { params: { path: { dataset_id: id } }, body }),
    onSuccess: () => {
      notifyDone("The dataset is changed.");
      return queries.invalidateQueries({ queryKey: ["datasets"] });
    },
  });
}

/** Deletes a dataset. Its own query is not read again, because it no longer exists. */
export function useRemoveDataset(onRemoved: () => Promise<void>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.DELETE("/datasets/{dataset_id}", { params: { path: { dataset_id: id } } }),
    onSuccess: async () => {
      notifyDone("The dataset is deleted.");
      await onRemoved();
      await queries.invalidateQueries({ queryKey: datasetsQuery.queryKey });
      await queries.invalidateQueries({ queryKey: ["datasets", "choices"] });
      await queries.invalidateQueries({ queryKey: ["experiments"] });
    },
  });
}

export function useRemoveRow(dataset: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (row: string) =>
      api.DELETE("/datasets/{dataset_id}/rows/{row_id}", { params: { path: { dataset_id: dataset, row_id: row } } }),
    onSuccess: () => {
      notifyDone("The row is deleted.");
      return queries.invalidateQueries({ queryKey: ["datasets"] });
    },
  });
}
