/** Routes that list webhook deliveries and send them again. */
import type { z } from "zod";
import { webhookRoutes as permissions } from "../../runs/webhooks/calls.ts";
import { deliveryPage, deliveryRecord, toDeliveryRecord } from "../records/webhooks.ts";
import { deliveryPath, deliveryQuery } from "../requests/webhooks.ts";
import { type Operation, type Route, route } from "../transport/route.ts";
import { storedErrors } from "../transport/statuses.ts";

function described(id: string, summary: string, description: string, json: z.ZodType): Operation {
  return {
    ...{ id, summary, tag: "Webhooks", security: "bearer", faults: "list", errors: storedErrors },
    success: { 200: { description, json } },
  };
}

export const webhookRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: permissions.read.path,
    access: permissions.read,
    operation: described(
      "list_webhook_deliveries",
      "List webhook deliveries, newest first",
      "Deliveries. The Link header leads to the next page. A page may be short, or empty, before the last one.",
      deliveryPage,
    ),
    query: deliveryQuery,
    isHeavy: true,
    async handle({ services, caller, query, request, reply }) {
      const { deliveries, next } = await services.runs.webhooks.list(caller, query);
      if (next !== null) {
        const [path = "", text = ""] = request.url.split("?", 2);
        const parameters = new URLSearchParams(text);
        parameters.set("cursor", String(next));
        reply.header("link", `<${path}?${parameters}>; rel="next"`);
      }
      return deliveries.map(toDeliveryRecord);
    },
  }),
  route({
    method: "GET",
    path: "/webhooks/deliveries/{delivery_id}",
    access: permissions.read,
    operation: described("get_webhook_delivery", "Get a webhook delivery", "The delivery", deliveryRecord),
    pathParams: deliveryPath,
    handle: async ({ services, caller, path }) =>
      toDeliveryRecord(await services.runs.webhooks.find(caller, path.deliveryId)),
  }),
  route({
    method: "POST",
    path: permissions.write.path,
    access: permissions.write,
    operation: described(
      "replay_webhook_delivery",
      "Send a webhook delivery again, with the same id; a pending delivery stays as it is",
      "The delivery",
      deliveryRecord,
    ),
    pathParams: deliveryPath,
    handle: async ({ services, caller, path }) =>
      toDeliveryRecord(await services.runs.webhooks.replay(caller, path.deliveryId)),
  }),
];
