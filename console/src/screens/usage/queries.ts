import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "../../api/client.ts";
import { notifyDone } from "../../api/queries.ts";
import { periods, type UsageSearch } from "./search.ts";

export type Statistics = Schema<"TraceStatistics">;
export type Day = Schema<"DayAggregatedMetrics">;

/** One group of runs, or of model turns. */
export type Group = Omit<Statistics["days"][number], "date">;

const dayLength = 86_400_000;

/** The first UTC day of a period that ends today. */
export function firstDay({ period = "7d" }: UsageSearch, now = Date.now()): string {
  return new Date(now - (periods[period] - 1) * dayLength).toISOString().slice(0, 10);
}

export function daysQuery(search: UsageSearch) {
  const from = firstDay(search);
  return queryOptions({
    queryKey: ["metrics", from],
    queryFn: ({ signal }) => dataOf(api.GET("/metrics", { params: { query: { starting_date: from } }, signal })),
    placeholderData: keepPreviousData,
  });
}

export function statisticsQuery(search: UsageSearch) {
  const query = { start_time: `${firstDay(search)}T00:00:00Z` };
  return queryOptions({
    queryKey: ["trace-statistics", query],
    queryFn: ({ signal }) => dataOf(api.GET("/traces/stats", { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
}

export function limitsQuery({ user, session }: UsageSearch) {
  const query = {
    ...(user === undefined ? {} : { user_id: user }),
    ...(session === undefined ? {} : { session_id: session }),
  };
  return queryOptions({
    queryKey: ["limits", query],
    queryFn: ({ signal }) => dataOf(api.GET("/usage", { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
}

/** Counts the runs that have ended. */
export function useRefresh() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => dataOf(api.POST("/metrics/refresh", {})),
    onSuccess: async () => {
      notifyDone("All ended runs are counted.");
      await Promise.all(
        ["metrics", "trace-statistics", "limits"].map((key) => queries.invalidateQueries({ queryKey: [key] })),
      );
    },
  });
}
