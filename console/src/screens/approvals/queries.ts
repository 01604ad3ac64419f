import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, runs, type Schema } from "../../api/client.ts";
import type { ComponentKind } from "../../api/component-kinds.ts";
import { nextCursor } from "../../api/next-page.ts";
import { openQuestions, type Question, type WaitingRun } from "../../components/questions.ts";
import { type ApprovalSearch, componentIn } from "./search.ts";

export type Approval = Schema<"ApprovalResponse">;
export type RunSummary = Schema<"RunSummary">;

const pageSize = 25;
/** Each listed run is read for its questions. */
const waitingPageSize = 12;
const pollInterval = 15_000;

/** Runs that wait for a person, latest pause first. */
export function waitingQuery({ component, user }: ApprovalSearch) {
  const { kind, id } = componentIn(component);
  const query = {
    status: ["PAUSED"] as ["PAUSED"],
    ...(kind && id ? { type: kind, component_id: id } : {}),
    ...(user === undefined ? {} : { user_id: user }),
    limit: waitingPageSize,
  };
  return infiniteQueryOptions({
    queryKey: ["waiting", query],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: cursor, signal }) => {
      const params = { query: { ...query, ...(cursor === undefined ? {} : { cursor }) } };
      const { data = [], response } = await api.GET("/runs", { params, signal });
      return { runs: data, next: nextCursor(response) };
    },
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: pollInterval,
  });
}

/** The questions of a waiting run. They change only with the run. */
export function questionsQuery(run: RunSummary) {
  return queryOptions({
    queryKey: ["waiting-questions", run.run_id, run.updated_at],
    queryFn: async (): Promise<readonly Question[]> => openQuestions(await recordOf(toWaitingRun(run))),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

async function recordOf({ kind, componentId, runId, sessionId }: WaitingRun) {
  return await runs[kind](componentId)
    .follow(runId, sessionId === undefined ? {} : { sessionId })
    .record();
}

export function toWaitingRun(run: RunSummary): WaitingRun {
  return {
    kind: run.component_type,
    componentId: run.component_id,
    runId: run.run_id,
    sessionId: run.session_id,
  };
}

/** One run of the URL that is not on a page of the list. */
export function openRunQuery(runId: string) {
  return queryOptions({
    queryKey: ["waiting", "open", runId],
    queryFn: async ({ signal }) => {
      const query = { status: ["PAUSED"] as ["PAUSED"], limit: 100 };
      const found = await dataOf(api.GET("/runs", { params: { query }, signal }));
      return found.find(({ run_id }) => run_id === runId) ?? null;
    },
  });
}

export function approvalsQuery({ status = "pending", type, component, user, page }: ApprovalSearch) {
  const { kind, id } = componentIn(component);
  const query = {
    ...(status === "all" ? {} : { status }),
    ...(type === undefined ? {} : { pause_type: type }),
    ...(kind && id ? { [`${kind}_id` as "agent_id"]: id } : {}),
    ...(user === undefined ? {} : { user_id: user }),
    limit: pageSize,
    page: page ?? 1,
  };
  return queryOptions({
    queryKey: ["approvals", query],
    queryFn: ({ signal }) => dataOf(api.GET("/approvals", { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: pollInterval,
  });
}

export function approvalQuery(id: string) {
  return queryOptions({
    queryKey: ["approvals", "one", id],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/approvals/{approval_id}", { params: { path: { approval_id: id } }, signal })),
  });
}

/** The run of an approval, for its state. */
export function approvedRunQuery(approval: Approval) {
  return queryOptions({
    queryKey: ["approvals", "run", approval.run_id],
    queryFn: () => recordOf(runOf(approval)),
  });
}

export function runOf(approval: Approval): WaitingRun {
  const { kind, id } = rootOf(approval);
  return { kind, componentId: id, runId: approval.run_id, sessionId: approval.session_id };
}

/** The component of the run: a workflow contains teams and agents, and a team contains agents. */
export function rootOf(approval: Approval): { readonly kind: ComponentKind; readonly id: string } {
  if (approval.workflow_id) return { kind: "workflow", id: approval.workflow_id };
  if (approval.team_id) return { kind: "team", id: approval.team_id };
  return { kind: "agent", id: approval.agent_id ?? "" };
}
