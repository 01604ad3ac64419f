/** Schedules and their fires in their wire form. Times are in seconds. */
import { z } from "zod";
import type { Fire, Schedule } from "../../model/schedule/schedule.ts";
import { named } from "../input/named-schemas.ts";
import { pageInfo } from "./pages.ts";

const object = z.record(z.string(), z.unknown());

const schedule = named(
  "ScheduleResponse",
  z.object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullish(),
    method: z.string(),
    endpoint: z.string(),
    payload: object.nullish(),
    cron_expr: z.string(),
    timezone: z.string(),
    timeout_seconds: z.int(),
    max_retries: z.int(),
    retry_delay_seconds: z.int(),
    enabled: z.boolean(),
    next_run_at: z.int().nullish(),
    created_at: z.int().nullish(),
    updated_at: z.int().nullish(),
    run_at: z.int().nullish(),
    ends_at: z.int().nullish(),
    max_fires: z.int().nullish(),
    overlap: z.string().optional(),
    catch_up: z.string().optional(),
    jitter_seconds: z.int().optional(),
    pause_after_failures: z.int().nullish(),
    disabled_reason: z.string().nullish(),
    source: z.string().optional(),
  }),
);

const state = named(
  "ScheduleStateResponse",
  z.object({
    id: z.string(),
    name: z.string(),
    enabled: z.boolean(),
    next_run_at: z.int().nullish(),
    updated_at: z.int().nullish(),
  }),
);

const fire = named(
  "ScheduleRunResponse",
  z.object({
    id: z.string(),
    schedule_id: z.string(),
    attempt: z.int(),
    triggered_at: z.int().nullish(),
    completed_at: z.int().nullish(),
    status: z.string(),
    status_code: z.int().nullish(),
    run_id: z.string().nullish(),
    session_id: z.string().nullish(),
    error: z.string().nullish(),
    input: object.nullish(),
    output: object.nullish(),
    requirements: z.array(object).nullish(),
    created_at: z.int().nullish(),
    planned_at: z.int().nullish(),
  }),
);

/** Schemas of the answers. */
export const scheduleSchemas: Readonly<Record<"schedule" | "state" | "fire" | "schedules" | "fires", z.ZodType>> = {
  schedule,
  state,
  fire,
  schedules: named("PaginatedResponse_ScheduleResponse_", z.object({ data: z.array(schedule), meta: pageInfo })),
  fires: named("PaginatedResponse_ScheduleRunResponse_", z.object({ data: z.array(fire), meta: pageInfo })),
};

/** The wire form of a schedule. */
export function toScheduleRecord(stored: Schedule): Record<string, unknown> {
  return {
    id: stored.id,
    name: stored.name,
    description: stored.description,
    method: stored.method,
    endpoint: stored.endpoint,
    payload: stored.payload,
    cron_expr: stored.cronExpr,
    timezone: stored.timezone,
    timeout_seconds: stored.timeoutSeconds,
    max_retries: stored.maxRetries,
    retry_delay_seconds: stored.retryDelaySeconds,
    enabled: stored.enabled,
    next_run_at: seconds(stored.nextRunAt),
    created_at: seconds(stored.createdAt),
    updated_at: seconds(stored.updatedAt),
    run_at: seconds(stored.runAt),
    ends_at: seconds(stored.endsAt),
    max_fires: stored.maxFires,
    overlap: stored.overlap,
    catch_up: stored.catchUp,
    jitter_seconds: stored.jitterSeconds,
    pause_after_failures: stored.pauseAfter,
    disabled_reason: stored.disabledReason,
    source: stored.platform === null ? "api" : "code",
  } satisfies z.input<typeof schedule>;
}

/** The short form of a schedule's state. */
export function toStateRecord(stored: Schedule): Record<string, unknown> {
  const { id, name, enabled, nextRunAt, updatedAt } = stored;
  return { id, name, enabled, next_run_at: seconds(nextRunAt), updated_at: seconds(updatedAt) };
}

/** The wire form of one attempt of a fire. An attempt that has not begun is `pending`. */
export function toFireRecord(stored: Fire): Record<string, unknown> {
  const { status, sessionId, detail } = stored;
  const isPending = status === "waiting" || (status === "running" && stored.triggeredAt === null);
  return {
    id: stored.id,
    schedule_id: stored.scheduleId,
    attempt: stored.attempt,
    triggered_at: seconds(stored.triggeredAt),
    completed_at: seconds(stored.completedAt),
    status: isPending ? "pending" : status,
    status_code: detail?.statusCode ?? null,
    run_id: sessionId === null ? null : stored.runId,
    session_id: sessionId,
    error: detail?.error ?? null,
    input: detail?.input ?? null,
    output: detail?.output ?? null,
    requirements: detail?.requirements ? [...detail.requirements] : null,
    created_at: seconds(stored.createdAt),
    planned_at: seconds(stored.tick),
  } satisfies z.input<typeof fire>;
}

function seconds(milliseconds: number | null): number | null {
  return milliseconds === null ? null : Math.floor(milliseconds / 1000);
}
