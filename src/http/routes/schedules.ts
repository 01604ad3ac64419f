/** Routes of schedules and of the records of their fires. */
import type { FastifyReply } from "fastify";
import type { z } from "zod";
import { TroupeError } from "../../errors.ts";
import type { SchedulePlan } from "../../model/schedule/schedule.ts";
import type { ScheduleService } from "../../model/schedule/service.ts";
import { toPageInfo } from "../records/pages.ts";
import { scheduleSchemas, toFireRecord, toScheduleRecord, toStateRecord } from "../records/schedules.ts";
import {
  fireList,
  firePath,
  newSchedule,
  type PageQuery,
  scheduleChanges,
  scheduleList,
  schedulePath,
} from "../requests/schedules.ts";
import { sendPage } from "../transport/json-pieces.ts";
import { type Access, type Call, type Operation, type Route, route } from "../transport/route.ts";
import type { Services } from "../transport/services.ts";
import { bodyErrors, storedErrors } from "../transport/statuses.ts";

const access = (action: "read" | "write" | "delete"): Access => ({ resource: "schedules", action });

function described(id: string, summary: string): Pick<Operation, "id" | "summary" | "tag" | "security" | "faults"> {
  return { id, summary, tag: "Schedules", security: "bearer", faults: "list" };
}

function answers(status: number, description: string, json: z.ZodType): Pick<Operation, "success"> {
  return { success: { [status]: { description, json } } };
}

/** @throws TroupeError `unsupported` on a platform without schedules */
function admit({ schedules }: Services): void {
  if (!schedules) throw new TroupeError("unsupported", "Scheduler not supported by the configured database");
}

function serviceOf(services: Services): ScheduleService {
  admit(services);
  return services.schedules as ScheduleService;
}

type One = { readonly scheduleId: string };

const setEnabled =
  (enabled: boolean) =>
  async ({ services, caller, path }: Call<One, undefined, undefined>): Promise<unknown> =>
    toStateRecord(await serviceOf(services).setEnabled(caller, path.scheduleId, enabled));

export const scheduleRoutes: readonly Route[] = [
  route({
    method: "DELETE",
    path: "/schedules/{schedule_id}",
    access: access("delete"),
    operation: {
      ...described("delete_schedule_schedules__schedule_id__delete", "Delete a schedule with its records"),
      success: { 204: { description: "Deleted: it never fires again. Runs that it has started continue." } },
      errors: [...storedErrors, 409],
    },
    admit,
    pathParams: schedulePath,
    handle: remove,
  }),
  route({
    method: "GET",
    path: "/schedules",
    access: access("read"),
    operation: {
      ...described("list_schedules_schedules_get", "List schedules, newest first, in pages"),
      ...answers(200, "Schedules", scheduleSchemas.schedules),
      errors: storedErrors,
    },
    admit,
    query: scheduleList,
    handle: list,
  }),
  route({
    method: "POST",
    path: "/schedules",
    access: access("write"),
    operation: {
      ...described("create_schedule_schedules_post", "Create a schedule"),
      ...answers(201, "The schedule", scheduleSchemas.schedule),
      errors: [...bodyErrors, 409],
    },
    admit,
    body: newSchedule,
    handle: create,
  }),
  route({
    method: "GET",
    path: "/schedules/{schedule_id}",
    access: access("read"),
    operation: {
      ...described("get_schedule_schedules__schedule_id__get", "Get a schedule"),
      ...answers(200, "The schedule", scheduleSchemas.schedule),
      errors: storedErrors,
    },
    admit,
    pathParams: schedulePath,
    handle: async ({ services, caller, path }: Call<One, undefined, undefined>) =>
      toScheduleRecord(await serviceOf(services).get(caller, path.scheduleId)),
  }),
  route({
    method: "PATCH",
    path: "/schedules/{schedule_id}",
    access: access("write"),
    operation: {
      ...described("update_schedule_schedules__schedule_id__patch", "Change a schedule"),
      ...answers(200, "The schedule as it is now", scheduleSchemas.schedule),
      errors: [...bodyErrors, 409],
    },
    admit,
    pathParams: schedulePath,
    body: scheduleChanges,
    handle: async ({ services, caller, path, body }: Call<One, undefined, Partial<SchedulePlan>>) =>
      toScheduleRecord(await serviceOf(services).change(caller, path.scheduleId, body)),
  }),
  route({
    method: "POST",
    path: "/schedules/{schedule_id}/enable",
    access: access("write"),
    operation: {
      ...described("enable_schedule_schedules__schedule_id__enable_post", "Enable a schedule"),
      ...answers(200, "Its state", scheduleSchemas.state),
      errors: storedErrors,
    },
    admit,
    pathParams: schedulePath,
    handle: setEnabled(true),
  }),
  route({
    method: "POST",
    path: "/schedules/{schedule_id}/disable",
    access: access("write"),
    operation: {
      ...described("disable_schedule_schedules__schedule_id__disable_post", "Disable a schedule"),
      ...answers(200, "Its state", scheduleSchemas.state),
      errors: storedErrors,
    },
    admit,
    pathParams: schedulePath,
    handle: setEnabled(false),
  }),
  route({
    method: "POST",
    path: "/schedules/{schedule_id}/trigger",
    access: access("write"),
    operation: {
      ...described(
        "trigger_schedule_schedules__schedule_id__trigger_post",
        "Fire a schedule now and wait for the result",
      ),
      ...answers(200, "The last attempt, successful or not", scheduleSchemas.fire),
      errors: [...storedErrors, 409, 429],
    },
    waits: true,
    admit,
    pathParams: schedulePath,
    handle: async ({ services, caller, path }: Call<One, undefined, undefined>) =>
      toFireRecord(await serviceOf(services).trigger(caller, path.scheduleId)),
  }),
  route({
    method: "GET",
    path: "/schedules/{schedule_id}/runs",
    access: access("read"),
    operation: {
      ...described(
        "list_schedule_runs_schedules__schedule_id__runs_get",
        "List the attempts of a schedule, newest first",
      ),
      ...answers(200, "Attempts", scheduleSchemas.fires),
      errors: storedErrors,
    },
    admit,
    pathParams: schedulePath,
    query: fireList,
    handle: listFires,
  }),
  route({
    method: "GET",
    path: "/schedules/{schedule_id}/runs/{run_id}",
    access: access("read"),
    operation: {
      ...described("get_schedule_run_schedules__schedule_id__runs__run_id__get", "Get an attempt of a schedule"),
      ...answers(200, "The attempt", scheduleSchemas.fire),
      errors: storedErrors,
    },
    admit,
    pathParams: firePath,
    handle: async ({ services, caller, path }: Call<One & { readonly fireId: string }, undefined, undefined>) =>
      toFireRecord(await serviceOf(services).getFire(caller, path.scheduleId, path.fireId)),
  }),
];

async function remove({ services, caller, path, reply }: Call<One, undefined, undefined>): Promise<FastifyReply> {
  await serviceOf(services).remove(caller, path.scheduleId);
  return reply.code(204).send();
}

async function create({ services, caller, body, reply }: Call<undefined, undefined, SchedulePlan>): Promise<unknown> {
  const made = await serviceOf(services).create(caller, body);
  reply.code(201);
  return toScheduleRecord(made);
}

type ListCall = Call<undefined, PageQuery & { readonly enabled: boolean | undefined }, undefined>;

async function list(call: ListCall): Promise<unknown> {
  const { services, caller, query } = call;
  return await timed(call, toScheduleRecord, async (maxBytes) => {
    const { schedules, total } = await serviceOf(services).list(caller, { ...query, maxBytes });
    return { rows: schedules, total };
  });
}

async function listFires(call: Call<One, PageQuery, undefined>): Promise<unknown> {
  const { services, caller, path, query } = call;
  return await timed(call, toFireRecord, async (maxBytes) => {
    const { fires, total } = await serviceOf(services).listFires(caller, path.scheduleId, { ...query, maxBytes });
    return { rows: fires, total };
  });
}

async function timed<Row>(
  { services, query: { page, limit }, reply }: Call<unknown, PageQuery, undefined>,
  show: (row: Row) => unknown,
  look: (maxBytes: number) => Promise<{ rows: readonly Row[]; total: number }>,
): Promise<unknown> {
  const { clock } = services.runtime;
  const begun = clock.monotonic();
  const { rows, total } = await look(services.platform.settings.maxListingBytes);
  return await sendPage(reply, rows, show, () =>
    toPageInfo({ page, limit, total, milliseconds: clock.monotonic() - begun }),
  );
}
