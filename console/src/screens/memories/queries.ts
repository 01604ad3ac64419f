import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "../../api/client.ts";
import { notifyDone } from "../../api/queries.ts";
import type { MemoriesSearch } from "./search.ts";

export type Memory = Schema<"UserMemorySchema">;

/** A memory as a person enters it. */
export interface GivenMemory {
  readonly memory: string;
  readonly topics: string[];
  /** Undefined for callers who have only their own memories. */
  readonly user_id?: string;
}

const pageSize = 25;

/** Runs among which the source of a memory is searched. */
const sourceRuns = 100;

/** Agents learn in the background, so the list is read again at this interval in milliseconds. */
const pollInterval = 10_000;

export function memoriesQuery({ text, user, topic, order, page }: MemoriesSearch) {
  const query = {
    ...(text === undefined ? {} : { search_content: text }),
    ...(topic === undefined ? {} : { topics: [topic] }),
    ...ofUser(user),
    sort_order: order ?? ("desc" as const),
    limit: pageSize,
    page: page ?? 1,
  };
  return queryOptions({
    queryKey: ["memories", "list", query],
    queryFn: ({ signal }) => dataOf(api.GET("/memories", { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: pollInterval,
  });
}

export function memoryQuery(id: string) {
  return queryOptions({
    queryKey: ["memories", "one", id],
    queryFn: ({ signal }) => dataOf(api.GET("/memories/{memory_id}", { params: { path: { memory_id: id } }, signal })),
  });
}

/** The run in which a memory was learned, of the newest runs of its session; null if none of them is it. */
export function sourceRunQuery(run: string, session: string) {
  return queryOptions({
    queryKey: ["memories", "run", run, session],
    queryFn: async ({ signal }) => {
      const query = { session_id: session, limit: sourceRuns };
      const runs = await dataOf(api.GET("/runs", { params: { query }, signal }));
      return runs.find(({ run_id: id }) => id === run) ?? null;
    },
  });
}

export function topicsQuery(user: string | undefined) {
  return queryOptions({
    queryKey: ["memories", "topics", user],
    queryFn: ({ signal }) => dataOf(api.GET("/memory_topics", { params: { query: ofUser(user) }, signal })),
  });
}

/** Users with memories, the latest change first. */
export const usersQuery = queryOptions({
  queryKey: ["memories", "users"],
  queryFn: async ({ signal }) =>
    (await dataOf(api.GET("/user_memory_stats", { params: { query: { limit: 100 } }, signal }))).data,
});

function useMemoryChange<Input>(change: (input: Input) => Promise<unknown>, done: (input: Input) => string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (_, input) => {
      notifyDone(done(input));
      return queries.invalidateQueries({ queryKey: ["memories"] });
    },
  });
}

export function useCreateMemory() {
  return useMemoryChange(
    (body: GivenMemory) => api.POST("/memories", { body }),
    () => "The memory is stored.",
  );
}

export function useUpdateMemory(id: string) {
  return useMemoryChange(
    (body: GivenMemory) => api.PATCH("/memories/{memory_id}", { params: { path: { memory_id: id } }, body }),
    () => "The memory is changed.",
  );
}

export function useDeleteMemories() {
  return useMemoryChange(
    (memories: readonly Memory[]) =>
      api.DELETE("/memories", { body: { memory_ids: memories.map(({ memory_id: id }) => id) } }),
    ({ length }) => (length === 1 ? "The memory is deleted." : `${length} memories are deleted.`),
  );
}

function ofUser(user: string | undefined): { readonly user_id?: string } {
  return user === undefined ? {} : { user_id: user };
}
