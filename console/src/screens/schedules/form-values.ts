/** The form of a schedule: its values, and the requests that they become. */
import type { Schema } from "../../api/client.ts";
import type { ComponentKind } from "../../api/component-kinds.ts";
import { once } from "./cron.ts";
import type { Schedule } from "./queries.ts";

export const overlaps = ["skip", "queue", "cancelPrevious", "allow"] as const;
export const catchUps = ["none", "last", "all"] as const;
export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** What a person enters. Empty texts and undefined numbers stand for no value. */
export interface FormValues {
  readonly name: string;
  readonly description: string;
  readonly cronExpr: string;
  readonly timezone: string;
  /** `component` starts runs; `path` calls any path of the platform. */
  readonly target: "component" | "path";
  /** Kind and id: `agent:weather`. */
  readonly component: string;
  readonly message: string;
  readonly method: string;
  readonly endpoint: string;
  /** JSON; with a component, the fields beside the message. */
  readonly payload: string;
  /** Local time, as the browser's input has it: `2026-11-23T08:00`. */
  readonly runAt: string;
  readonly endsAt: string;
  readonly maxFires: number | undefined;
  readonly overlap: (typeof overlaps)[number];
  readonly catchUp: (typeof catchUps)[number];
  readonly jitterSeconds: number | undefined;
  readonly timeoutSeconds: number | undefined;
  readonly maxRetries: number | undefined;
  readonly retryDelaySeconds: number | undefined;
  readonly pauseAfter: number | undefined;
}

type Create = Schema<"ScheduleCreate">;
type Update = Schema<"ScheduleUpdate">;

/** Names of the interface for the values, for errors of the server. */
export const valueNames: Readonly<Record<string, keyof FormValues>> = {
  name: "name",
  description: "description",
  cron_expr: "cronExpr",
  timezone: "timezone",
  endpoint: "endpoint",
  method: "method",
  payload: "payload",
  run_at: "runAt",
  ends_at: "endsAt",
  max_fires: "maxFires",
  overlap: "overlap",
  catch_up: "catchUp",
  jitter_seconds: "jitterSeconds",
  timeout_seconds: "timeoutSeconds",
  max_retries: "maxRetries",
  retry_delay_seconds: "retryDelaySeconds",
  pause_after_failures: "pauseAfter",
};

export function newValues(timezone: string): FormValues {
  return {
    name: "",
    description: "",
    cronExpr: "0 9 * * 1-5",
    timezone,
    target: "component",
    component: "",
    message: "",
    method: "POST",
    endpoint: "",
    payload: "",
    runAt: "",
    endsAt: "",
    maxFires: undefined,
    overlap: "skip",
    catchUp: "last",
    jitterSeconds: 0,
    timeoutSeconds: 3600,
    maxRetries: 0,
    retryDelaySeconds: 60,
    pauseAfter: undefined,
  };
}

export function valuesOf(schedule: Schedule): FormValues {
  const target = componentOf(schedule);
  const { message, ...others } = schedule.payload ?? {};
  const isRun = target !== undefined && typeof message === "string";
  const payload = isRun ? (Object.keys(others).length > 0 ? others : undefined) : (schedule.payload ?? undefined);
  return {
    name: schedule.name,
    description: schedule.description ?? "",
    cronExpr: schedule.cron_expr,
    timezone: schedule.timezone,
    target: isRun ? "component" : "path",
    component: isRun ? `${target.kind}:${target.id}` : "",
    message: isRun ? message : "",
    method: schedule.method,
    endpoint: schedule.endpoint,
    payload: payload === undefined ? "" : JSON.stringify(payload, null, 2),
    runAt: toLocal(schedule.run_at),
    endsAt: toLocal(schedule.ends_at),
    maxFires: schedule.max_fires ?? undefined,
    overlap: overlaps.find((one) => one === schedule.overlap) ?? "skip",
    catchUp: catchUps.find((one) => one === schedule.catch_up) ?? "last",
    jitterSeconds: schedule.jitter_seconds ?? 0,
    timeoutSeconds: schedule.timeout_seconds,
    maxRetries: schedule.max_retries,
    retryDelaySeconds: schedule.retry_delay_seconds,
    pauseAfter: schedule.pause_after_failures ?? undefined,
  };
}

/** The component whose runs a schedule starts; undefined for other paths. */
export function componentOf({ method, endpoint }: Pick<Schedule, "method" | "endpoint">) {
  const [, kind, id] = /^\/(agent|team|workflow)s\/([^/]+)\/runs$/.exec(endpoint) ?? [];
  if (method !== "POST" || !kind || !id) return undefined;
  return { kind: kind as ComponentKind, id: decodeURIComponent(id) };
}

/** What is wrong with the values before they are sent, by value. */
export function faultsIn(values: FormValues): Partial<Record<keyof FormValues, string>> {
  const payload = parsedPayload(values.payload);
  return {
    ...(values.name.trim() === "" && { name: "Enter a name." }),
    ...(values.cronExpr.trim() === "" && { cronExpr: "Enter an expression." }),
    ...(values.target === "component" && values.component === "" && { component: "Choose a component." }),
    ...(values.target === "component" && values.message.trim() === "" && { message: "Enter a message." }),
    ...(values.target === "path" && values.endpoint.trim() === "" && { endpoint: "Enter a path." }),
    ...(payload === invalidJson && { payload: "Enter a JSON object." }),
    ...(values.cronExpr.trim() === once && values.runAt === "" && { runAt: "Enter the time of the only fire." }),
  };
}

export function toCreate(values: FormValues): Create {
  const { ends_at, max_fires, pause_after_failures, description, payload, run_at, ...given } = toBody(values);
  const optional = { ends_at, max_fires, pause_after_failures, description, payload, run_at };
  return { ...given, ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== null)) };
}

/** Only the members that differ, because a change of the target replaces the grant of the schedule. */
export function toUpdate(values: FormValues, before: FormValues): Update {
  const old: Readonly<Record<string, unknown>> = toBody(before);
  const changes = Object.entries(toBody(values)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name]) && !(name === "run_at" && value === null),
  );
  return Object.fromEntries(changes);
}

function toBody(values: FormValues) {
  const isRun = values.target === "component";
  const [, kind, id = ""] = /^(\w+):(.*)$/.exec(values.component) ?? [];
  const more = parsedPayload(values.payload);
  const others = more === invalidJson ? undefined : more;
  const isOnce = values.cronExpr.trim() === once;
  return {
    name: values.name.trim(),
    description: values.description.trim() || null,
    cron_expr: values.cronExpr.trim(),
    timezone: values.timezone,
    method: isRun ? "POST" : values.method,
    endpoint: isRun ? `/${kind}s/${encodeURIComponent(id)}/runs` : values.endpoint.trim(),
    payload: isRun ? { ...others, message: values.message } : (others ?? null),
    run_at: isOnce ? toSeconds(values.runAt) : null,
    ends_at: toSeconds(values.endsAt),
    max_fires: values.maxFires ?? null,
    overlap: values.overlap,
    catch_up: values.catchUp,
    jitter_seconds: values.jitterSeconds ?? 0,
    timeout_seconds: values.timeoutSeconds ?? 3600,
    max_retries: values.maxRetries ?? 0,
    retry_delay_seconds: values.retryDelaySeconds ?? 60,
    pause_after_failures: values.pauseAfter ?? null,
  };
}

const invalidJson = Symbol("invalid JSON");

function parsedPayload(text: string): Record<string, unknown> | undefined | typeof invalidJson {
  if (text.trim() === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : invalidJson;
  } catch {
    return invalidJson;
  }
}

/** Seconds since the epoch of a local time; null for none. */
export function toSeconds(local: string): number | null {
  const time = Date.parse(local);
  return Number.isNaN(time) ? null : Math.floor(time / 1000);
}

function toLocal(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return "";
  const time = new Date(seconds * 1000);
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, time.getSeconds() === 0 ? 16 : 19);
}
