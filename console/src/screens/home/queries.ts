import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "../../api/client.ts";

export type Run = Schema<"RunSummary">;
export type Overview = Schema<"OverviewResponse">;

/** Interval in milliseconds at which live data is read again while the tab is visible. */
const liveInterval = 3_000;

export const overviewQuery = queryOptions({
  queryKey: ["overview"],
  queryFn: ({ signal }) => dataOf(api.GET("/overview", { signal })),
  refetchInterval: liveInterval,
});

export const liveRunsQuery = queryOptions({
  queryKey: ["runs", "live"],
  queryFn: ({ signal }) =>
    dataOf(api.GET("/runs", { params: { query: { status: ["RUNNING", "PAUSED"], limit: 20 } }, signal })),
  refetchInterval: liveInterval,
});

export const failuresQuery = queryOptions({
  queryKey: ["runs", "failures"],
  queryFn: ({ signal }) => dataOf(api.GET("/runs", { params: { query: { status: ["ERROR"], limit: 5 } }, signal })),
  refetchInterval: liveInterval * 5,
});
