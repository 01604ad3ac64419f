import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { api, dataOf, type Schema, toApiError } from "../../api/client.ts";
import type { ComponentKind } from "../../api/component-kinds.ts";
import { nextCursor } from "../../api/next-page.ts";
import { notifyDone } from "../../api/queries.ts";
import type { ExperimentsSearch } from "./search.ts";
import { isOver } from "./summary.ts";

export type ComparedRow = Schema<"ExperimentRow">;
export type Result = Schema<"ExperimentResult">;
export type NewExperiment = Schema<"ExperimentCreate">;

const pageSize = 25;

/** Runs and versions that the form offers. */
const choiceSize = 25;
const versionSize = 100;

/** Milliseconds between reads of an experiment in progress, and of the list. */
const intervals = { one: 1_500, list: 10_000, trend: 60_000 } as const;

/** Pages of the trend, and experiments of each. */
const trendBounds = { pages: 3, size: 100 } as const;

/** Experiments, the newest first. */
export function experimentsQuery(search: ExperimentsSearch) {
  const filters = filtersIn(search);
  return infiniteQueryOptions({
    queryKey: ["experiments", "list", filters],
    queryFn: async ({ pageParam: cursor, signal }) => {
      const query = { ...filters, limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
      const { data = [], response } = await api.GET("/experiments", { params: { query }, signal });
      return { experiments: data, next: nextCursor(response) };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: intervals.list,
  });
}

function filtersIn({ kind, component, dataset }: ExperimentsSearch) {
  return {
    ...(kind === undefined ? {} : { type: kind }),
    ...(component === undefined ? {} : { component_id: component }),
    ...(dataset === undefined ? {} : { dataset_id: dataset }),
  };
}

/** The newest experiments for the trend, at most `pages` pages of them. */
export function trendQuery(search: ExperimentsSearch) {
  const filters = filtersIn(search);
  return queryOptions({
    queryKey: ["experiments", "trend", filters],
    queryFn: async ({ signal }) => {
      const experiments: Schema<"Experiment">[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < trendBounds.pages; page++) {
        const query = { ...filters, limit: trendBounds.size, ...(cursor === undefined ? {} : { cursor }) };
        const { data = [], response } = await api.GET("/experiments", { params: { query }, signal });
        experiments.push(...data);
        cursor = nextCursor(response);
        if (cursor === undefined) break;
      }
      return { experiments, isComplete: cursor === undefined };
    },
    placeholderData: keepPreviousData,
    refetchInterval: intervals.trend,
  });
}

/** An experiment with its rows. It is read again until it has ended. */
export function experimentQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: ["experiments", "one", id],
    queryFn: async ({ pageParam: cursor, signal }) => {
      const query = { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
      const params = { path: { experiment_id: id }, query };
      const { data, response } = await api.GET("/experiments/{experiment_id}", { params, signal });
      if (!data) throw await toApiError(response);
      return { experiment: data, next: nextCursor(response) };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state: { data } }) => {
      const shown = data?.pages[0]?.experiment;
      return shown && isOver(shown) ? false : intervals.one;
    },
  });
}

/** The versions of a component without their configs, the newest first. */
export function versionsQuery(id: string) {
  return queryOptions({
    queryKey: ["experiments", "versions", id],
    queryFn: ({ signal }) => {
      const params = { path: { component_id: id }, query: { include_config: false, limit: versionSize } };
      return dataOf(api.GET("/components/{component_id}/configs", { params, signal }));
    },
  });
}

/** The definitions in code, which change only with a deployment. */
export const definitionsQuery = queryOptions({
  queryKey: ["definitions"],
  queryFn: ({ signal }) => dataOf(api.GET("/definitions", { signal })),
  staleTime: 60_000,
});

/** The last completed runs of a component, for the rows of a new dataset. */
export function completedRunsQuery(kind: ComponentKind, id: string) {
  return queryOptions({
    queryKey: ["experiments", "runs", kind, id],
    queryFn: ({ signal }) => {
      const query = { status: ["COMPLETED" as const], type: kind, component_id: id, limit: choiceSize };
      return dataOf(api.GET("/runs", { params: { query }, signal }));
    },
  });
}

function useExperimentChange<Input, Output>(change: (input: Input) => Promise<Output>, done: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => {
      notifyDone(done);
      return queries.invalidateQueries({ queryKey: ["experiments"] });
    },
  });
}

export function useStart() {
  return useExperimentChange(
    (body: NewExperiment) => dataOf(api.POST("/experiments", { body })),
    "The experiment has begun.",
  );
}

export function useCancel(id: string) {
  return useExperimentChange(
    () => api.POST("/experiments/{experiment_id}/cancel", { params: { path: { experiment_id: id } } }),
    "The experiment is cancelled.",
  );
}

/** Deletes an experiment. Its own query is not read again, because it no longer exists. */
export function useRemove(onRemoved: () => Promise<void>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.DELETE("/experiments/{experiment_id}", { params: { path: { experiment_id: id } } }),
    onSuccess: async () => {
      notifyDone("The experiment is deleted.");
      await onRemoved();
      await queries.invalidateQueries({ queryKey: ["experiments", "list"] });
    },
  });
}
