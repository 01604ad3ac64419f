import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "../../api/client.ts";
import type { Permission } from "../../session/me.ts";

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

interface Listed {
  readonly id?: string | null;
  readonly name?: string | null;
  readonly description?: string | null;
}

/** A hosted agent, team or workflow. */
export interface Component {
  readonly kind: "agent" | "team" | "workflow";
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
}

const lists = [
  { kind: "team", needs: "GET /teams", read: (signal: AbortSignal) => dataOf(api.GET("/teams", { signal })) },
  { kind: "agent", needs: "GET /agents", read: (signal: AbortSignal) => dataOf(api.GET("/agents", { signal })) },
  {
    kind: "workflow",
    needs: "GET /workflows",
    read: (signal: AbortSignal) => dataOf(api.GET("/workflows", { signal })),
  },
] as const satisfies readonly {
  readonly kind: Component["kind"];
  readonly needs: Permission;
  readonly read: unknown;
}[];

/** The lists of components that the caller may read. */
export function componentQueries(may: (permission: Permission) => boolean) {
  return lists.map(({ kind, needs, read }) =>
    queryOptions({
      queryKey: ["components", kind],
      queryFn: async ({ signal }) => ((await read(signal)) as readonly Listed[]).map((one) => toComponent(kind, one)),
      enabled: may(needs),
      staleTime: 60_000,
    }),
  );
}

function toComponent(kind: Component["kind"], { id, name, description }: Listed): Component {
  return { kind, id: id ?? "", name: name ?? id ?? "", description: description ?? undefined };
}
