/** The hosted components that the caller may see, to choose one of them. */
import { queryOptions, useQueries } from "@tanstack/react-query";
import { useMay } from "../session/me.ts";
import { api, dataOf } from "./client.ts";

export interface HostedComponent {
  readonly kind: "agent" | "team" | "workflow";
  readonly id: string;
  readonly name: string;
}

interface Listed {
  readonly id?: string | null;
  readonly name?: string | null;
}

const lists = [
  { kind: "agent", needs: "GET /agents", read: (signal: AbortSignal) => dataOf(api.GET("/agents", { signal })) },
  { kind: "team", needs: "GET /teams", read: (signal: AbortSignal) => dataOf(api.GET("/teams", { signal })) },
  {
    kind: "workflow",
    needs: "GET /workflows",
    read: (signal: AbortSignal) => dataOf(api.GET("/workflows", { signal })),
  },
] as const;

/** Returns the components; those that are still loading, or that the caller may not list, are missing. */
export function useHostedComponents(): readonly HostedComponent[] {
  const may = useMay();
  return useQueries({
    queries: lists.map(({ kind, needs, read }) =>
      queryOptions({
        queryKey: ["component-names", kind],
        queryFn: async ({ signal }) =>
          ((await read(signal)) as readonly Listed[]).map(
            ({ id, name }): HostedComponent => ({ kind, id: id ?? "", name: name ?? id ?? "" }),
          ),
        enabled: may(needs),
        staleTime: 60_000,
      }),
    ),
    combine: (found) => found.flatMap(({ data }) => data ?? []),
  });
}
