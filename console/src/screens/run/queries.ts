/** Requests of the run screen. */

import { queryOptions } from "@tanstack/react-query";
import { RequestError, type RunRecord } from "@troupe/client";
import { api, dataOf } from "../../api/client.ts";
import { clientRun } from "./follow.ts";
import type { LogEvent } from "./log-event.ts";
import type { RunName } from "./run-name.ts";

/** A run's record, with the members that the screen reads. */
export interface ShownRecord extends RunRecord {
  readonly events?: readonly LogEvent[];
  readonly messages?: readonly ShownMessage[];
  /** The version of the component that the run began with. */
  readonly component_version?: number;
  readonly member_responses?: readonly ShownRecord[];
  readonly step_executor_runs?: readonly ShownRecord[];
}

/** A message of a model's conversation. */
export interface ShownMessage {
  readonly id?: string;
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly unknown[];
  readonly tool_name?: string;
  readonly from_history?: boolean;
}

export function recordQuery(name: RunName) {
  return queryOptions({
    queryKey: ["run", name.kind, name.component, name.run, name.session ?? ""],
    queryFn: async () => (await clientRun(name).record()) as ShownRecord,
    enabled: name.session !== undefined,
  });
}

/** A checkpoint: the state of a run after a model turn. */
export interface Checkpoint {
  readonly checkpoint_id: string;
  /** Number of messages that a run keeps which continues from here. */
  readonly continue_from: number;
  readonly created_at: number;
  readonly message_role: string | null;
  readonly message_preview: string | null;
  readonly is_latest: boolean;
}

export function checkpointsQuery({ kind, component, run, session = "" }: RunName) {
  return queryOptions({
    queryKey: ["checkpoints", kind, component, run, session],
    queryFn: async ({ signal }) => {
      const query = { session_id: session };
      const answer = await (kind === "team"
        ? dataOf(
            api.GET("/teams/{team_id}/runs/{run_id}/checkpoints", {
              params: { path: { team_id: component, run_id: run }, query },
              signal,
            }),
          )
        : dataOf(
            api.GET("/agents/{agent_id}/runs/{run_id}/checkpoints", {
              params: { path: { agent_id: component, run_id: run }, query },
              signal,
            }),
          ));
      return (answer as { readonly checkpoints: readonly Checkpoint[] }).checkpoints;
    },
    enabled: session !== "" && kind !== "workflow",
  });
}

/** The record of a run or of one below it. */
export function findRecord(record: ShownRecord | undefined, runId: string): ShownRecord | undefined {
  if (!record || record.run_id === runId) return record;
  for (const child of [...(record.member_responses ?? []), ...(record.step_executor_runs ?? [])]) {
    const found = findRecord(child, runId);
    if (found) return found;
  }
  return undefined;
}

/** The messages of a model request and its answer. `turn` counts the finished requests of the run, of which there are `turns`. */
export function turnOf(
  record: ShownRecord | undefined,
  turn: number,
  turns: number,
): { readonly request: readonly ShownMessage[]; readonly response: ShownMessage } | undefined {
  const messages = record?.messages ?? [];
  const answers = messages.flatMap(({ role, from_history }, place) =>
    role === "assistant" && !from_history ? [place] : [],
  );
  // A run that continues from another one begins with that run's messages.
  const place = answers[answers.length - turns + turn];
  const response = place === undefined ? undefined : messages[place];
  return response && { request: messages.slice(0, place), response };
}

/** Whether the server knows no such run, or the caller may not see it. */
export function isNotFound(error: unknown): boolean {
  return error instanceof RequestError && error.status === 404;
}
