/** The queries and paths of webhook deliveries. */
import { z } from "zod";
import { deliveryStates, webhookEvents } from "../../model/webhook.ts";
import type { DeliveryQuery } from "../../runs/webhooks/calls.ts";
import { type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";
import { invalid } from "../input/validation-errors.ts";

const pageSizes = { usual: 25, most: 100 } as const;

/** The query of `GET /webhooks/deliveries`. */
export const deliveryQuery: Reader<DeliveryQuery> = reader(
  z.object({
    state: z.enum(deliveryStates).nullish(),
    event: z.enum(webhookEvents).nullish(),
    webhook_id: identifier.nullish(),
    run_id: identifier.nullish(),
    schedule_id: identifier.nullish(),
    limit: z.int().min(1).max(pageSizes.most).default(pageSizes.usual),
    cursor: z.string().nullish().describe("From the Link header of the page before."),
  }),
  (fields) => ({
    state: fields.state ?? undefined,
    event: fields.event ?? undefined,
    hookId: fields.webhook_id ?? undefined,
    runId: fields.run_id ?? undefined,
    scheduleId: fields.schedule_id ?? undefined,
    limit: fields.limit,
    before: fields.cursor ? fromCursor(fields.cursor) : undefined,
  }),
);

/** The path of one delivery. */
export const deliveryPath: Reader<{ deliveryId: string }> = reader(z.object({ delivery_id: identifier }), (fields) => ({
  deliveryId: fields.delivery_id,
}));

function fromCursor(cursor: string): number {
  const key = /^\d{1,15}$/.test(cursor) ? Number(cursor) : undefined;
  if (key !== undefined) return key;
  const msg = "Value error, not a cursor of this listing: take it from the Link header of the page before";
  throw invalid([{ type: "value_error", loc: ["query", "cursor"], msg, input: cursor }]);
}
