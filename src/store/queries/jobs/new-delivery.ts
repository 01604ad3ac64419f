/** The rows of a new webhook delivery: the delivery, and the job that sends it. */
import type { RunDelivery, WebhookEvent } from "../../../model/webhook.ts";
import type { NewJob } from "../../contract/jobs.ts";
import type { JobsTable, WebhookDeliveriesTable } from "../../rows/job-tables.ts";

/** The kind of the jobs that send deliveries. */
export const webhookJob = "webhook";

/** The subject of a delivery, and the time of its event. */
export interface NewDelivery
  extends Pick<
    WebhookDeliveriesTable,
    "id" | "hook_id" | "run_key" | "event_index" | "schedule_id" | "fire_id" | "share" | "created_at"
  > {
  readonly event: WebhookEvent;
  /** Deliveries of a run, or of a schedule, to one webhook are sent in order. */
  readonly lane: string;
}

/** A delivery of a run's event. */
export function toRunDelivery(runKey: number, delivery: RunDelivery, at: number): NewDelivery {
  const { id, hookId, event, eventIndex, share } = delivery;
  const of = { run_key: runKey, event_index: eventIndex, schedule_id: null, fire_id: null };
  return { id, hook_id: hookId, event, ...of, share, lane: `${runKey}/${hookId}`, created_at: at };
}

/** A delivery about a fire of a schedule. */
export function toFireDelivery(
  { id, scheduleId, hookId }: { readonly id: string; readonly scheduleId: string; readonly hookId: string },
  at: number,
): NewDelivery {
  const of = { run_key: null, event_index: null, schedule_id: scheduleId, fire_id: id };
  const event = "schedule.failed";
  return {
    id: `${id}.${hookId}`,
    hook_id: hookId,
    event,
    ...of,
    share: hookId,
    lane: `${scheduleId}/${hookId}`,
    created_at: at,
  };
}

/** The row of a delivery that was not sent yet. */
export function toDeliveryRow({ lane: _, ...delivery }: NewDelivery): Omit<WebhookDeliveriesTable, "key"> {
  const { created_at } = delivery;
  return { ...delivery, state: "pending", attempts: 0, status_code: null, error: null, updated_at: created_at };
}

/** The row of a job about a run, without the time when it is due. */
export function toNewJobRow(
  { kind, id, lane = id, share = "" }: NewJob,
  at: number,
): Omit<JobsTable, "key" | "due_at"> {
  return { kind, id, lane, share, attempt: 0, owner: null, claims: 0, state: null, created_at: at };
}

/** The row of its job, without the time when it is due. */
export function toJobRow({ id, lane, share, created_at }: NewDelivery): Omit<JobsTable, "key" | "due_at"> {
  return { kind: webhookJob, id, lane, share, attempt: 0, owner: null, claims: 0, state: null, created_at };
}
