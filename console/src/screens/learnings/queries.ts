import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "../../api/client.ts";
import { notifyDone } from "../../api/queries.ts";
import type { LearningsSearch } from "./search.ts";

export type Learning = Schema<"LearningResponse">;
export type NewLearning = Schema<"LearningCreate">;
type Content = Readonly<Record<string, unknown>>;

const pageSize = 25;

/** Agents learn in the background, so the list is read again at this interval in milliseconds. */
const pollInterval = 10_000;

export function learningsQuery({ type, user, session, entity, order, page }: LearningsSearch) {
  const query = {
    ...(type === undefined ? {} : { learning_type: type }),
    ...(user === undefined ? {} : { user_id: user }),
    ...(session === undefined ? {} : { session_id: session }),
    ...(entity === undefined ? {} : { entity_id: entity }),
    sort_by: "updated_at",
    sort_order: order ?? ("desc" as const),
    limit: pageSize,
    page: page ?? 1,
  };
  return queryOptions({
    queryKey: ["learnings", "list", query],
    queryFn: ({ signal }) => dataOf(api.GET("/learnings", { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: pollInterval,
  });
}

export function learningQuery(id: string, owner: string | undefined) {
  return queryOptions({
    queryKey: ["learnings", "one", id, owner],
    queryFn: ({ signal }) => dataOf(api.GET("/learnings/{learning_id}", { params: placeOf(id, owner), signal })),
  });
}

/** Users with learnings, the latest change first. */
export const usersQuery = queryOptions({
  queryKey: ["learnings", "users"],
  queryFn: async ({ signal }) =>
    (await dataOf(api.GET("/learnings/users", { params: { query: { limit: 100 } }, signal }))).data,
});

function useLearningChange<Input>(change: (input: Input) => Promise<unknown>, done: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => {
      notifyDone(done);
      return queries.invalidateQueries({ queryKey: ["learnings"] });
    },
  });
}

export function useCreateLearning() {
  return useLearningChange((body: NewLearning) => api.POST("/learnings", { body }), "The learning is stored.");
}

export function useUpdateLearning({ learning_id: id, user_id: owner }: Learning) {
  return useLearningChange(
    (content: Content) =>
      api.PATCH("/learnings/{learning_id}", { params: placeOf(id, owner), body: { content: { ...content } } }),
    "The learning is changed.",
  );
}

export function useDeleteLearning() {
  return useLearningChange(
    ({ learning_id: id, user_id: owner }: Learning) =>
      api.DELETE("/learnings/{learning_id}", { params: placeOf(id, owner) }),
    "The learning is deleted.",
  );
}

/** Deletes the learnings of a user, of one type or of all. */
export function useDeleteUserLearnings() {
  return useLearningChange(
    ({ user, type }: { readonly user: string; readonly type: string | undefined }) =>
      api.DELETE("/learnings/users/{user_id}", {
        params: { path: { user_id: user }, query: type === undefined ? {} : { learning_type: type } },
      }),
    "The learnings of the user are deleted.",
  );
}

function placeOf(id: string, owner: string | null | undefined) {
  return { path: { learning_id: id }, query: owner ? { user_id: owner } : {} };
}
