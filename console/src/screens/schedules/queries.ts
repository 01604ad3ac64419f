import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "../../api/client.ts";
import { notifyDone } from "../../api/queries.ts";
import type { ScheduleSearch } from "./search.ts";

export type Schedule = Schema<"ScheduleResponse">;
export type Fire = Schema<"ScheduleRunResponse">;

const pageSize = 25;
const pollInterval = 10_000;
const firesPollInterval = 4_000;

export function schedulesQuery({ enabled, page }: ScheduleSearch) {
  const query = {
    ...(enabled === undefined ? {} : { enabled: enabled === "true" }),
    limit: pageSize,
    page: page ?? 1,
  };
  return queryOptions({
    queryKey: ["schedules", query],
    queryFn: ({ signal }) => dataOf(api.GET("/schedules", { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: pollInterval,
  });
}

export function scheduleQuery(id: string) {
  return queryOptions({
    queryKey: ["schedules", "one", id],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/schedules/{schedule_id}", { params: { path: { schedule_id: id } }, signal })),
    refetchInterval: pollInterval,
  });
}

export function firesQuery(id: string, page: number) {
  return queryOptions({
    queryKey: ["schedules", "fires", id, page],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET("/schedules/{schedule_id}/runs", {
          params: { path: { schedule_id: id }, query: { limit: pageSize, page } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: firesPollInterval,
  });
}

type Changed = (schedule: Schedule) => Promise<string>;

/** Runs an action on a schedule, shows the sentence that it returns, and reads the schedules again. */
export function useScheduleAction(action: Changed) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: action,
    onSuccess: notifyDone,
    onSettled: () => queries.invalidateQueries({ queryKey: ["schedules"] }),
  });
}

export async function setEnabled({ id, name, enabled }: Schedule): Promise<string> {
  const params = { path: { schedule_id: id } };
  if (enabled) await api.POST("/schedules/{schedule_id}/disable", { params });
  else await api.POST("/schedules/{schedule_id}/enable", { params });
  return enabled ? `${name} is paused.` : `${name} is enabled.`;
}

export async function trigger({ id, name }: Schedule): Promise<string> {
  const fire = await dataOf(api.POST("/schedules/{schedule_id}/trigger", { params: { path: { schedule_id: id } } }));
  return fire.error ? `${name} fired: ${fire.status}. ${fire.error}` : `${name} fired: ${fire.status}.`;
}

export async function remove({ id, name }: Schedule): Promise<string> {
  await api.DELETE("/schedules/{schedule_id}", { params: { path: { schedule_id: id } } });
  return `${name} is deleted.`;
}

/** Whether the schedule is defined in the code of the platform. Only the code can change or delete it. */
export function isFromCode({ source }: Schedule): boolean {
  return source === "code";
}
