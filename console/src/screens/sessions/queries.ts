import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { api, dataOf, type Schema } from "../../api/client.ts";
import type { ComponentKind } from "../../api/component-kinds.ts";
import { nextCursor } from "../../api/next-page.ts";
import { notifyDone } from "../../api/queries.ts";
import { isInProgress, type Turn, turnsIn, type WireRun } from "./conversation-runs.ts";
import type { ConversationSearch, SessionSearch } from "./search.ts";

export type Session = Schema<"SessionSchema">;

/** A session in requests. Sessions of several kinds and users may have the same id. */
export interface SessionName {
  readonly id: string;
  readonly kind?: ComponentKind | undefined;
  readonly user?: string | null | undefined;
}

/** What the page of a session shows above its conversation. */
export interface SessionFacts {
  readonly session_name: string;
  readonly user_id?: string | null;
  readonly agent_id?: string | null;
  readonly team_id?: string | null;
  readonly workflow_id?: string | null;
  readonly total_tokens?: number | null;
  readonly metrics?: { readonly cost?: number } | null;
  readonly created_at?: string | null;
  readonly updated_at?: string | null;
}

interface TurnPage {
  readonly turns: readonly Turn[];
  readonly next: string | undefined;
}

const pageSize = 25;
const turnsPerPage = 20;
const allStatuses = ["PENDING", "RUNNING", "PAUSED", "COMPLETED", "CANCELLED", "ERROR", "REGENERATED"] as const;

/** A conversation with a live run is read again at this interval in milliseconds, as long as it has few pages. */
const liveInterval = 3_000;
const maxLivePages = 3;

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

export function sessionQuery(name: SessionName) {
  return queryOptions({
    queryKey: ["session", name],
    queryFn: async ({ signal }) => {
      const params = { path: { session_id: name.id }, query: choiceOf(name) };
      return (await dataOf(api.GET("/sessions/{session_id}", { params, signal }))) as SessionFacts;
    },
  });
}

/** The runs of a session in pages, with the runs of members and steps inside the run that started them. */
export function turnsQuery(name: SessionName, order: ConversationSearch["order"]) {
  return infiniteQueryOptions({
    queryKey: ["session", name, "runs", order],
    queryFn: async ({ pageParam: cursor, signal }): Promise<TurnPage> => {
      const query = {
        ...choiceOf(name),
        status: [...allStatuses],
        sort_order: order ?? ("asc" as const),
        limit: turnsPerPage,
        ...(cursor === undefined ? {} : { cursor }),
      };
      const params = { path: { session_id: name.id }, query };
      const { data = [], response } = await api.GET("/sessions/{session_id}/runs", { params, signal });
      return { turns: turnsIn(data as readonly WireRun[]), next: nextCursor(response) };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state: { data } }) => {
      const pages = data?.pages ?? [];
      const isLive = pages.some(({ turns }) => turns.some(({ run }) => isInProgress(run)));
      return isLive && pages.length <= maxLivePages ? liveInterval : false;
    },
  });
}

export function useRenameSession() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ session, name }: { readonly session: SessionName; readonly name: string }) =>
      api.POST("/sessions/{session_id}/rename", {
        params: { path: { session_id: session.id }, query: choiceOf(session) },
        body: { session_name: name },
      }),
    onSuccess: async () => {
      notifyDone("The session has its new name.");
      await Promise.all([
        queries.invalidateQueries({ queryKey: ["sessions"] }),
        queries.invalidateQueries({ queryKey: ["session"] }),
      ]);
    },
  });
}

export function useDeleteSessions() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (sessions: readonly SessionName[]) => {
      // A request names the sessions of one user.
      for (const [user, own] of Map.groupBy(sessions, ({ user }) => user ?? undefined))
        await api.DELETE("/sessions", {
          params: { query: user === undefined ? {} : { user_id: user } },
          body: { session_ids: own.map(({ id }) => id), session_types: own.map(({ kind = "agent" }) => kind) },
        });
    },
    onSuccess: (_, { length }) => {
      notifyDone(length === 1 ? "The session is deleted." : `${length} sessions are deleted.`);
      return queries.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
}

function choiceOf({ kind, user }: SessionName) {
  return { ...(kind ? { type: kind } : {}), ...(user ? { user_id: user } : {}) };
}

export function nameOf(session: Session): SessionName {
  return { id: session.session_id, kind: kindOf(session), user: session.user_id };
}

export function kindOf({ session_type: kind }: Session): ComponentKind {
  return kind === "team" || kind === "workflow" ? kind : "agent";
}

/** The component of a session. */
export function componentOf(session: Pick<SessionFacts, "agent_id" | "team_id" | "workflow_id">): string {
  return session.agent_id ?? session.team_id ?? session.workflow_id ?? "";
}

export function kindOfComponent(session: Pick<SessionFacts, "team_id" | "workflow_id">): ComponentKind {
  return session.team_id ? "team" : session.workflow_id ? "workflow" : "agent";
}
