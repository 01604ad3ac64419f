import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "../../api/client.ts";
import { notifyDone } from "../../api/queries.ts";
import type { SessionSearch } from "./search.ts";

export type Session = Schema<"SessionSchema">;

const pageSize = 25;

export function sessionsQuery({ name, kind, component, user, sort, order, page }: SessionSearch) {
  const query = {
    ...(name === undefined ? {} : { session_name: name }),
    ...(kind === undefined ? {} : { type: kind }),
    ...(component === undefined ? {} : { component_id: component }),
    ...(user === undefined ? {} : { user_id: user }),
    sort_by: sort ?? "updated_at",
    sort_order: order ?? ("desc" as const),
    limit: pageSize,
    page: page ?? 1,
  };
  return queryOptions({
    queryKey: ["sessions", query],
    queryFn: ({ signal }) => dataOf(api.GET("/sessions", { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
}

export function useRenameSession() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, name }: { readonly id: string; readonly name: string }) =>
      api.POST("/sessions/{session_id}/rename", {
        params: { path: { session_id: id } },
        body: { session_name: name },
      }),
    onSuccess: () => {
      notifyDone("The session has its new name.");
      return queries.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
}

export function useDeleteSessions() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (sessions: readonly Session[]) =>
      api.DELETE("/sessions", {
        body: {
          session_ids: sessions.map(({ session_id }) => session_id),
          session_types: sessions.map(kindOf),
        },
      }),
    onSuccess: (_, { length }) => {
      notifyDone(length === 1 ? "The session is deleted." : `${length} sessions are deleted.`);
      return queries.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
}

export function kindOf({ session_type: kind }: Session): "agent" | "team" | "workflow" {
  return kind === "team" || kind === "workflow" ? kind : "agent";
}

export function componentOf(session: Session): string {
  return session.agent_id ?? session.team_id ?? session.workflow_id ?? "";
}
