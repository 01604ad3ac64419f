/** Datasets, as several screens use them. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "./client.ts";

export type Dataset = Schema<"Dataset">;

/** What a request adds to a dataset. */
export interface GivenRows {
  readonly rows?: { readonly input: string; readonly expected?: string }[];
  readonly csv?: string;
  readonly run_ids?: string[];
}

/** Choices show the newest datasets only. */
const choiceSize = 100;

/** The newest datasets, for choices. */
export const datasetChoicesQuery = queryOptions({
  queryKey: ["datasets", "choices"],
  queryFn: ({ signal }) => dataOf(api.GET("/datasets", { params: { query: { limit: choiceSize } }, signal })),
});

/** A dataset that exists, or the name of a new one. */
export type Target = { readonly id: string } | { readonly name: string };

/** Adds rows to a dataset, or to a new one. @throws ApiError */
async function addRows(target: Target, given: GivenRows): Promise<Dataset> {
  const body = { ...given, with_expected: true };
  if ("name" in target) return await dataOf(api.POST("/datasets", { body: { ...body, name: target.name } }));
  const params = { path: { dataset_id: target.id } };
  return await dataOf(api.POST("/datasets/{dataset_id}/rows", { params, body }));
}

export function useAddRows() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ target, given }: { readonly target: Target; readonly given: GivenRows }) => addRows(target, given),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["datasets"] }),
  });
}
