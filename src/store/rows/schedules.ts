/** Schedules and fires as rows. Free texts are JSON, because Postgres does not accept every text as it is. */
import type { Fire, FireDetail, Schedule, SchedulePlan, StandingGrant } from "../../model/schedule/schedule.ts";
import type { FireCreation } from "../contract/schedules.ts";
import { type Encryption, sealText, undecryptable } from "../encryption/encryption.ts";
import type { ScheduleFiresTable, SchedulesTable } from "./tables.ts";

/** A grant as rows store it. */
type StoredGrant = Omit<StandingGrant, "kind"> & { readonly kind: StandingGrant["kind"] | "anonymous" };

/**
 * Grants of `open` and `operator` are stored as `anonymous`, the word of version 0.1: its processes read them during a rolling update, and
 * would disable a schedule whose grant they do not know. The server's authorization determines what such a grant permits.
 */
function toStoredGrant(grant: StandingGrant): StoredGrant {
  return grant.kind === "open" || grant.kind === "operator" ? { ...grant, kind: "anonymous" } : grant;
}

function fromStoredGrant({ kind, ...grant }: StoredGrant): StandingGrant {
  return { kind: kind === "anonymous" ? "open" : kind, ...grant };
}

/** The row of a schedule; `definition` is empty for a schedule that was created by a request. */
export function toScheduleRow(schedule: Schedule): Omit<SchedulesTable, "records"> {
  return {
    id: schedule.id,
    owner: schedule.owner,
    name: schedule.name,
    description: toJson(schedule.description),
    method: schedule.method,
    endpoint: schedule.endpoint,
    payload: toJson(schedule.payload),
    cron_expr: schedule.cronExpr,
    timezone: schedule.timezone,
    timeout_seconds: schedule.timeoutSeconds,
    max_retries: schedule.maxRetries,
    retry_delay_seconds: schedule.retryDelaySeconds,
    run_at: schedule.runAt,
    ends_at: schedule.endsAt,
    max_fires: schedule.maxFires,
    overlap: schedule.overlap,
    catch_up: schedule.catchUp,
    jitter_seconds: schedule.jitterSeconds,
    pause_after: schedule.pauseAfter,
    enabled: schedule.enabled ? 1 : 0,
    disabled_reason: toJson(schedule.disabledReason),
    next_run_at: schedule.nextRunAt,
    fires: schedule.fires,
    failures: schedule.failures,
    platform: schedule.platform,
    definition: schedule.platform === null ? "" : definitionOf(schedule),
    standing_grant: JSON.stringify(toStoredGrant(schedule.grant)),
    created_at: schedule.createdAt,
    updated_at: schedule.updatedAt,
  };
}

/** The row with its texts as they are stored. */
export function sealScheduleRow<Row extends Pick<SchedulesTable, "id" | "description" | "payload" | "definition">>(
  row: Row,
  encryption: Encryption | undefined,
): Row {
  const { id, description, payload, definition } = row;
  return {
    ...row,
    description: sealText(encryption, "schedules.description", [id], description),
    payload: sealText(encryption, "schedules.payload", [id], payload),
    definition: sealText(encryption, "schedules.definition", [id], definition),
  };
}

/** The schedule of a row. */
export function toSchedule(row: Omit<SchedulesTable, "records">): Schedule {
  return {
    id: row.id,
    owner: row.owner,
    name: row.name,
    description: fromJson<string>(row.description),
    method: row.method,
    endpoint: row.endpoint,
    payload: fromJson<Record<string, unknown>>(row.payload),
    cronExpr: row.cron_expr,
    timezone: row.timezone,
    timeoutSeconds: row.timeout_seconds,
    maxRetries: row.max_retries,
    retryDelaySeconds: row.retry_delay_seconds,
    runAt: row.run_at,
    endsAt: row.ends_at,
    maxFires: row.max_fires,
    overlap: row.overlap,
    catchUp: row.catch_up,
    jitterSeconds: row.jitter_seconds,
    pauseAfter: row.pause_after,
    enabled: row.enabled === 1,
    disabledReason: fromJson<string>(row.disabled_reason),
    nextRunAt: row.next_run_at,
    fires: row.fires,
    failures: row.failures,
    platform: row.platform,
    grant: fromStoredGrant(JSON.parse(row.standing_grant) as StoredGrant),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Why a schedule is disabled, and why its fires fail. */
export const unreadableText = "A stored value of the schedule cannot be read.";

/** The schedule of a row; undefined if one of its values cannot be read. */
export function readableSchedule(row: Omit<SchedulesTable, "records">): Schedule | undefined {
  try {
    return toSchedule(row);
  } catch {
    return undefined;
  }
}

/** The parts of a schedule that its definition sets. */
export function planOf(schedule: Schedule): SchedulePlan {
  const { id, owner, enabled, disabledReason, nextRunAt, fires, failures, ...rest } = schedule;
  const { platform, grant, createdAt, updatedAt, ...plan } = rest;
  return plan;
}

/** The definition as canonical text: equal definitions give the same text, whatever the order of their members. */
function definitionOf(schedule: Schedule): string {
  return JSON.stringify(Object.entries(planOf(schedule)).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The fire of a row. */
export function toFire(row: ScheduleFiresTable): Fire {
  return {
    id: row.id,
    scheduleId: row.schedule_id,
    tick: row.tick,
    attempt: row.attempt,
    status: row.status,
    runId: row.run_id,
    sessionId: row.session_id,
    detail: row.detail === undecryptable ? null : fromJson<FireDetail>(row.detail),
    dueAt: row.due_at,
    triggeredAt: row.triggered_at,
    completedAt: row.completed_at,
    createdAt: row.created_at,
  };
}

/** The initial row of a fire. */
export function toFireRow(scheduleId: string, fire: FireCreation, at: number): ScheduleFiresTable {
  const isOpen = fire.status === "waiting";
  const why = fire.status === "skipped" ? "An earlier fire was not over." : "A later fire took its place.";
  return {
    id: fire.id,
    schedule_id: scheduleId,
    tick: fire.tick,
    attempt: fire.attempt,
    status: fire.status,
    is_open: isOpen ? 1 : 0,
    queues: fire.queues ? 1 : 0,
    owner: null,
    claims: 0,
    run_id: fire.runId,
    session_id: null,
    cancel_requested: 0,
    detail: isOpen ? null : detailOf(why),
    due_at: fire.dueAt,
    triggered_at: null,
    completed_at: isOpen ? null : at,
    created_at: at,
  };
}

/** A detail that contains only an error text. */
export function detailOf(error: string): string {
  return JSON.stringify({ statusCode: null, input: null, output: null, error } satisfies FireDetail);
}

function toJson(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

function fromJson<Value>(text: string | null): Value | null {
  return text === null ? null : (JSON.parse(text) as Value);
}
