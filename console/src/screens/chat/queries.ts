/** Requests of the chat. */
import { queryOptions } from "@tanstack/react-query";
import type { RunRecord } from "@troupe/client";
import { api, dataOf, runs } from "../../api/client.ts";
import type { Place } from "./followed-run.ts";

/** The first messages that the platform suggests for a component. */
export function promptsQuery(id: string) {
  return queryOptions({
    queryKey: ["config"],
    queryFn: ({ signal }) => dataOf(api.GET("/config", { signal })),
    select: ({ chat }) => chat?.quick_prompts[id],
    staleTime: 60_000,
  });
}

/** A chat shows at most this many runs of its session. */
export const maxTurns = 20;

/** The newest runs of a session, oldest first. */
export function turnsQuery({ kind, id, sessionId }: Place) {
  return queryOptions({
    queryKey: ["chat", kind, id, sessionId],
    queryFn: async () => {
      if (sessionId === undefined) return [];
      const records = await runs[kind](id).runs({ sessionId, limit: maxTurns });
      return records.filter(isShown).reverse();
    },
  });
}

/** The whole record of a run: a list of runs omits the bytes of media. */
export function recordQuery({ kind, id, sessionId }: Place, runId: string) {
  return queryOptions({
    queryKey: ["chat", kind, id, sessionId, runId],
    queryFn: () =>
      runs[kind](id)
        .follow(runId, sessionId === undefined ? {} : { sessionId })
        .record(),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** A replaced run is no longer part of the conversation. */
function isShown({ status, parent_run_id: parent }: RunRecord): boolean {
  return (status as string) !== "REGENERATED" && (parent === null || parent === undefined);
}

/** The message of a run, as its record has it. */
export function messageOf({ run_input: input }: RunRecord): string {
  return typeof input === "string" ? input : input === undefined || input === null ? "" : JSON.stringify(input);
}
