import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { api, type Schema } from "../../api/client.ts";
import { nextCursor } from "../../api/next-page.ts";
import type { RunsSearch } from "./search.ts";

export type Run = Schema<"RunSummary">;

interface RunPage {
  readonly runs: readonly Run[];
  /** Where the next page begins; undefined on the last page. */
  readonly next: string | undefined;
}

const pageSize = 25;

/** Milliseconds after which the first page is read again, while it is the only one. */
const liveInterval = 5_000;

export function runsQuery({ status, kind, component, session, user }: RunsSearch) {
  const filters = {
    ...(status === undefined ? {} : { status: [status] }),
    ...(kind === undefined ? {} : { type: kind }),
    ...(component === undefined ? {} : { component_id: component }),
    ...(session === undefined ? {} : { session_id: session }),
    ...(user === undefined ? {} : { user_id: user }),
  };
  return infiniteQueryOptions({
    queryKey: ["runs", "list", filters],
    queryFn: async ({ pageParam: cursor, signal }): Promise<RunPage> => {
      const query = { ...filters, limit: pageSize, ...(cursor === undefined ? {} : { cursor }) };
      const { data = [], response } = await api.GET("/runs", { params: { query }, signal });
      return { runs: data, next: nextCursor(response) };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => ((data?.pages.length ?? 0) > 1 ? false : liveInterval),
  });
}
