/** Bodies, queries and paths of schedule routes. An error lists all faults at once. */
import { z } from "zod";
import type { FieldFault } from "../../errors.ts";
import { isCron, isTimezone, once } from "../../model/schedule/cron.ts";
import { catchUps, defaultPlan, overlaps, type SchedulePlan, scheduleMethods } from "../../model/schedule/schedule.ts";
import type { BodySpec } from "../input/body.ts";
import { type RawFields, type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";
import { invalid } from "../input/validation-errors.ts";

/** A text that is stored unchanged: no NUL, no unpaired surrogate. */
function text(most: number) {
  return z
    .string()
    .max(most)
    .refine((value) => !value.includes("\0") && value.isWellFormed(), "the text cannot be stored");
}

const name = text(255).refine(
  (value) => /^[a-zA-Z0-9][a-zA-Z0-9 ._-]*$/.test(value),
  "name must start with a letter or a digit, and hold letters, digits, spaces, dots, dashes and underscores only",
);
const endpoint = text(512)
  .refine((value) => value.startsWith("/") && !value.startsWith("//"), "endpoint must be a path that starts with '/'")
  .refine((value) => !value.includes("://"), "endpoint must be a path, not a URL");
const method = z
  .string()
  .max(10)
  .refine(
    (value) => (scheduleMethods as readonly string[]).includes(value.toUpperCase()),
    `method must be one of ${scheduleMethods.join(", ")}`,
  );
const payload = z.record(z.string(), z.unknown());
const seconds = z.int().min(0);

/** Additions to the recorded interface. */
const more = {
  run_at: seconds.nullish(),
  ends_at: seconds.nullish(),
  max_fires: z.int().min(1).max(2_147_483_647).nullish(),
  overlap: z.enum(overlaps).nullish(),
  catch_up: z.enum(catchUps).nullish(),
  jitter_seconds: z.int().min(0).max(3_600).nullish(),
  pause_after_failures: z.int().min(1).max(1_000).nullish(),
};

const created = z.object({
  name,
  cron_expr: text(128),
  endpoint,
  method: method.default("POST"),
  description: text(1024).nullish(),
  payload: payload.nullish(),
  timezone: text(64).default("UTC"),
  timeout_seconds: z.int().min(1).max(86_400).default(defaultPlan.timeoutSeconds),
  max_retries: z.int().min(0).max(10).default(defaultPlan.maxRetries),
  retry_delay_seconds: z.int().min(1).max(3_600).default(defaultPlan.retryDelaySeconds),
  ...more,
});

const changed = z.object({
  name: name.nullish(),
  cron_expr: text(128).nullish(),
  endpoint: endpoint.nullish(),
  method: method.nullish(),
  description: text(1024).nullish(),
  payload: payload.nullish(),
  timezone: text(64).nullish(),
  timeout_seconds: z.int().min(1).max(86_400).nullish(),
  max_retries: z.int().min(0).max(10).nullish(),
  retry_delay_seconds: z.int().min(1).max(3_600).nullish(),
  ...more,
});

type Fields = z.output<typeof changed>;

/** The given fields under internal names. */
function toPlan(fields: Fields): Partial<SchedulePlan> {
  const plan: Record<keyof SchedulePlan, unknown> = {
    name: fields.name,
    cronExpr: fields.cron_expr,
    endpoint: fields.endpoint,
    method: fields.method?.toUpperCase(),
    description: fields.description,
    payload: fields.payload,
    timezone: fields.timezone,
    timeoutSeconds: fields.timeout_seconds,
    maxRetries: fields.max_retries,
    retryDelaySeconds: fields.retry_delay_seconds,
    runAt: milliseconds(fields.run_at),
    endsAt: milliseconds(fields.ends_at),
    maxFires: fields.max_fires,
    overlap: fields.overlap,
    catchUp: fields.catch_up,
    jitterSeconds: fields.jitter_seconds,
    pauseAfter: fields.pause_after_failures,
  };
  const given = Object.entries(plan).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(given) as Partial<SchedulePlan>;
}

/** Checks that involve several fields, and the syntax of cron expressions and time zones. */
function refuseMisfits({ cronExpr, timezone, runAt }: Partial<SchedulePlan>, isNew: boolean): void {
  const faults: FieldFault[] = [];
  const add = (field: string, input: unknown, msg: string): void => {
    faults.push({ type: "value_error", loc: ["body", field], msg, input });
  };
  const isOnce = cronExpr === once;
  if (cronExpr !== undefined && !isOnce && !isCron(cronExpr)) {
    add("cron_expr", cronExpr, `Invalid cron expression: ${cronExpr}`);
  }
  if (timezone !== undefined && !isTimezone(timezone)) add("timezone", timezone, `Invalid timezone: ${timezone}`);
  if (isOnce && isNew && runAt === undefined)
    add("run_at", null, `Value error, ${once} needs the time run_at, in seconds`);
  if (typeof runAt === "number" && !isOnce && (isNew || cronExpr !== undefined)) {
    add("run_at", runAt / 1_000, `Value error, run_at goes with the cron_expr ${once}`);
  }
  if (faults.length > 0) throw invalid(faults);
}

/** The body of `POST /schedules`. */
export const newSchedule: BodySpec<SchedulePlan> = {
  name: "ScheduleCreate",
  reader: reader(created, (fields) => {
    const plan = { ...defaultPlan, ...toPlan(fields) } as SchedulePlan;
    refuseMisfits(toPlan(fields), true);
    return plan;
  }),
  types: ["json"],
  required: true,
};

/** Members that null clears. */
const clearable: Readonly<Record<string, keyof SchedulePlan>> = {
  ...{ description: "description", payload: "payload", ends_at: "endsAt", max_fires: "maxFires" },
  pause_after_failures: "pauseAfter",
};

/** The body of `PATCH /schedules/{schedule_id}`. Null clears a member of `clearable`; for every other member it is a fault. */
export const scheduleChanges: BodySpec<Partial<SchedulePlan>> = {
  name: "ScheduleUpdate",
  reader: {
    schema: changed,
    read(raw: RawFields, location) {
      const nulls = Object.keys(changed.shape).filter((field) => Object.hasOwn(raw, field) && raw[field] === null);
      const wrong = nulls.filter((field) => !Object.hasOwn(clearable, field));
      if (wrong.length > 0) {
        const msg = "Value error, it cannot be null";
        throw invalid(wrong.map((field) => ({ type: "value_error", loc: [location, field], msg, input: null })));
      }
      const cleared = Object.fromEntries(nulls.map((field) => [clearable[field], null]));
      const changes = reader(changed, toPlan).read(raw, location);
      refuseMisfits(changes, false);
      return { ...cleared, ...changes };
    },
  },
  types: ["json"],
  required: true,
};

/** The page of a listing. */
export interface PageQuery {
  readonly page: number;
  readonly limit: number;
  readonly offset: number;
}

const pageMembers = { limit: z.int().min(1).max(1_000).default(100), page: z.int().min(1).default(1) };

function toPage({ limit, page }: { readonly limit: number; readonly page: number }): PageQuery {
  return { limit, page, offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER) };
}

/** The query of `GET /schedules`. */
export const scheduleList: Reader<PageQuery & { readonly enabled: boolean | undefined }> = reader(
  z.object({ enabled: z.boolean().nullish(), ...pageMembers }),
  ({ enabled, ...page }) => ({ ...toPage(page), enabled: enabled ?? undefined }),
);

/** The query of `GET /schedules/{schedule_id}/runs`. */
export const fireList: Reader<PageQuery> = reader(z.object(pageMembers), toPage);

/** The path of a schedule. */
export const schedulePath: Reader<{ scheduleId: string }> = reader(
  z.object({ schedule_id: identifier }),
  ({ schedule_id }) => ({ scheduleId: schedule_id }),
);

/** The path of one fire's record. */
export const firePath: Reader<{ scheduleId: string; fireId: string }> = reader(
  z.object({ schedule_id: identifier, run_id: identifier }),
  ({ schedule_id, run_id }) => ({ scheduleId: schedule_id, fireId: run_id }),
);

function milliseconds(value: number | null | undefined): number | null | undefined {
  return typeof value === "number" ? Math.min(value, 253_402_300_799) * 1_000 : value;
}
