/** The tables of durable jobs, and of the deliveries of webhooks. */
import type { Generated } from "kysely";
import type { DeliveryState, WebhookEvent } from "../../model/webhook.ts";

/** A job that is not done. */
export interface JobsTable {
  /** Ascends: jobs of a lane execute in this order. */
  key: Generated<number>;
  kind: string;
  /** Unique within the kind: adding a job again changes nothing. */
  id: string;
  /** Jobs of one kind and lane execute one at a time, in order. */
  lane: string;
  /** The share of the process's slots that it uses. */
  share: string;
  due_at: number;
  /** Failed attempts so far. */
  attempt: number;
  /** The process that executes it. */
  owner: string | null;
  claims: number;
  /** JSON text of the progress that the kind keeps between attempts; holds ids and numbers only, because it is not encrypted. */
  state: string | null;
  created_at: number;
}

/** A message for a webhook, with the result of its latest attempt. */
export interface WebhookDeliveriesTable {
  key: Generated<number>;
  id: string;
  hook_id: string;
  event: WebhookEvent;
  /** The root run; null for an event of a schedule. */
  run_key: number | null;
  event_index: number | null;
  schedule_id: string | null;
  fire_id: string | null;
  share: string;
  state: DeliveryState;
  attempts: number;
  status_code: number | null;
  /** The reason of the latest failure, in this server's words. */
  error: string | null;
  created_at: number;
  updated_at: number;
}
