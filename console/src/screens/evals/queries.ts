import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import { asFormError } from "../../api/form-faults.ts";
import { notifyDone } from "../../api/queries.ts";
import type { EvalsSearch } from "./search.ts";

export type Eval = Schema<"EvalSchema">;

const pageSize = 25;

/** Milliseconds between reads of an eval in progress, and of the list. */
const intervals = { one: 2_000, list: 10_000 } as const;

export function evalsQuery({ type, agent, team, page }: EvalsSearch) {
  const query = {
    ...(type === undefined ? {} : { eval_types: type }),
    ...(agent === undefined ? {} : { agent_id: agent }),
    ...(team === undefined ? {} : { team_id: team }),
    limit: pageSize,
    page: page ?? 1,
  };
  return queryOptions({
    queryKey: ["evals", "list", query],
    queryFn: ({ signal }) => dataOf(api.GET("/eval-runs", { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: intervals.list,
  });
}

export function evalQuery(id: string) {
  return queryOptions({
    queryKey: ["evals", "one", id],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/eval-runs/{eval_run_id}", { params: { path: { eval_run_id: id } }, signal })),
    refetchInterval: ({ state: { data } }) =>
      data && data.status !== "PENDING" && data.status !== "RUNNING" ? false : intervals.one,
  });
}

/** Starts an eval in the background. Returns the error if the server rejects a value of the form. */
export function useStartEval() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Schema<"EvalRunInput">) => dataOf(api.POST("/eval-runs", { body })).catch(asFormError),
    onSuccess: async (answer) => {
      if (answer instanceof ApiError) return;
      notifyDone("The eval has begun.");
      await queries.invalidateQueries({ queryKey: ["evals", "list"] });
    },
  });
}

/** Deletes an eval. Its own query is not read again, because it no longer exists. */
export function useRemoveEval(onRemoved: () => Promise<void>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Eval) => api.DELETE("/eval-runs", { body: { eval_run_ids: [id] } }),
    onSuccess: async () => {
      notifyDone("The eval is deleted.");
      await onRemoved();
      await queries.invalidateQueries({ queryKey: ["evals", "list"] });
    },
  });
}
