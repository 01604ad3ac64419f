/** Webhook deliveries in their wire form. */
import { z } from "zod";
import { deliveryStates, webhookEvents } from "../../model/webhook.ts";
import type { Delivery } from "../../runs/webhooks/calls.ts";
import { named } from "../input/named-schemas.ts";

const delivery = z.object({
  id: z.string(),
  webhook_id: z.string().describe("The webhook of the platform, or `run-<n>`: number n of the run's own webhooks."),
  event: z.enum(webhookEvents),
  state: z.enum(deliveryStates),
  run_id: z.string().nullable(),
  session_id: z.string().nullable(),
  component_type: z.enum(["agent", "team", "workflow"]).nullable(),
  component_id: z.string().nullable(),
  event_index: z.int().nullable(),
  schedule_id: z.string().nullable(),
  fire_id: z.string().nullable(),
  attempts: z.int(),
  status_code: z.int().nullable().describe("Status of the latest answer; null if the receiver did not answer."),
  error: z.string().nullable().describe("Why the latest attempt failed."),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

/** One delivery. */
export const deliveryRecord: z.ZodType = named("WebhookDelivery", delivery);

/** A page of deliveries. */
export const deliveryPage: z.ZodType = z.array(deliveryRecord);

export function toDeliveryRecord(one: Delivery): Record<string, unknown> {
  return {
    id: one.id,
    webhook_id: one.hookId,
    event: one.event,
    state: one.state,
    run_id: one.run?.runId ?? null,
    session_id: one.run?.sessionId ?? null,
    component_type: one.run?.kind ?? null,
    component_id: one.run?.componentId ?? null,
    event_index: one.eventIndex,
    schedule_id: one.fire?.scheduleId ?? null,
    fire_id: one.fire?.id ?? null,
    attempts: one.attempts,
    status_code: one.statusCode,
    error: one.error,
    created_at: new Date(one.createdAt).toISOString(),
    updated_at: new Date(one.updatedAt).toISOString(),
  } satisfies z.input<typeof delivery>;
}
