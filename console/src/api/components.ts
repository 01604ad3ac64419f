/** The hosted components that the caller may see. */
import { queryOptions, type UseQueryResult, useQueries } from "@tanstack/react-query";
import { useMay } from "../session/me.ts";
import { api, dataOf } from "./client.ts";
import { type ComponentKind, componentKinds } from "./component-kinds.ts";

/** A hosted agent, team or workflow. */
export interface Component {
  readonly kind: ComponentKind;
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
}

interface Listed {
  readonly id?: string | null;
  readonly name?: string | null;
  readonly description?: string | null;
}

const lists: Readonly<Record<ComponentKind, (signal: AbortSignal) => Promise<unknown>>> = {
  agent: (signal) => dataOf(api.GET("/agents", { signal })),
  team: (signal) => dataOf(api.GET("/teams", { signal })),
  workflow: (signal) => dataOf(api.GET("/workflows", { signal })),
};

function componentsQuery(kind: ComponentKind) {
  return queryOptions({
    queryKey: ["components", kind],
    queryFn: async ({ signal }) =>
      ((await lists[kind](signal)) as readonly Listed[]).map(
        ({ id, name, description }): Component => ({
          kind,
          id: id ?? "",
          name: name ?? id ?? "",
          description: description ?? undefined,
        }),
      ),
    staleTime: 60_000,
  });
}

interface Components {
  /** Components of kinds that are still loading, or that the caller may not list, are missing. */
  readonly components: readonly Component[];
  readonly isLoading: boolean;
  /** The first list that could not be read. */
  readonly failed: UseQueryResult | undefined;
}

export function useComponents(): Components {
  const may = useMay();
  return useQueries({
    queries: componentKinds.map((kind) => ({ ...componentsQuery(kind), enabled: may(`GET /${kind}s`) })),
    combine,
  });
}

function combine(lists: readonly UseQueryResult<readonly Component[]>[]): Components {
  return {
    components: lists.flatMap(({ data }) => data ?? []),
    isLoading: lists.some((list) => list.isLoading),
    failed: lists.find(({ error }) => error !== null),
  };
}
