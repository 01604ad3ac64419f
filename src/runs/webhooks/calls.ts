/** The deliveries of webhooks that a caller may see, and webhooks that a start gives. */
import { TroupeError } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";
import { maxRunWebhooks, type RunWebhook, secretBytes, secretForm } from "../../model/webhook.ts";
import type { Delivery, DeliveryQuery } from "../../store/contract/webhooks.ts";
import { AddressRejected, readTargetUrl } from "../outbound/addresses.ts";
import type { RunParts } from "../parts.ts";

export type { Delivery, DeliveryQuery } from "../../store/contract/webhooks.ts";

/** The routes of deliveries, and their permissions. A start with webhooks needs the permission to write. */
export const webhookRoutes = {
  read: { method: "GET", path: "/webhooks/deliveries", resource: "webhooks", action: "read" },
  write: { method: "POST", path: "/webhooks/deliveries/{delivery_id}/replay", resource: "webhooks", action: "write" },
} as const;

/** The calls on deliveries. */
export interface WebhookCalls {
  /** A page of deliveries, newest first. */
  list(
    caller: Principal,
    query: DeliveryQuery,
  ): Promise<{ readonly deliveries: readonly Delivery[]; readonly next: number | null }>;
  /** @throws TroupeError `notFound` */
  find(caller: Principal, id: string): Promise<Delivery>;
  /** Sends a delivery again, with the same id. A delivery that is pending stays as it is. @throws TroupeError `notFound` */
  replay(caller: Principal, id: string): Promise<Delivery>;
}

export function webhookCalls({ webhooks }: Pick<RunParts, "webhooks">): WebhookCalls {
  const { store, wake } = webhooks;
  const find = async (caller: Principal, id: string): Promise<Delivery> => {
    const delivery = await store.find(caller, id);
    if (!delivery) throw new TroupeError("notFound", "Delivery not found");
    return delivery;
  };
  return {
    list: (caller, query) => store.list(caller, query),
    find,
    async replay(caller, id) {
      await find(caller, id);
      await store.replay(id);
      wake();
      return await find(caller, id);
    },
  };
}

/**
 * Checks the webhooks of a start.
 *
 * @throws TroupeError `forbidden` (without the scope to write webhooks), `validation` (too many, an address or a secret), `badRequest` (a platform
 * without webhooks of runs)
 */
export function checkRunWebhooks(
  { gate, webhooks }: Pick<RunParts, "gate" | "webhooks">,
  caller: Principal,
  given: readonly RunWebhook[] = [],
): void {
  if (given.length === 0) return;
  if (webhooks.addresses === false) throw new TroupeError("badRequest", "This platform has no webhooks of runs.");
  gate.check(caller, gate.requiredScopesOf(webhookRoutes.write));
  if (given.length > maxRunWebhooks)
    throw new TroupeError("validation", `A run can have ${maxRunWebhooks} webhooks at most.`);
  const { allowHttp = false, allowPrivate = false } = webhooks.addresses;
  for (const [place, { url, secrets, events }] of given.entries()) {
    const title = `webhooks[${place}]`;
    try {
      readTargetUrl(url, { allowHttp, allowPrivate });
    } catch (error) {
      if (!(error instanceof AddressRejected)) throw error;
      throw new TroupeError("validation", `${title}: its url cannot be used: ${error.message}`);
    }
    if (secrets.length === 0 || !secrets.every((secret) => secretBytes(secret)))
      throw new TroupeError("validation", `${title}: its secret must be ${secretForm}`);
    if (events.length === 0) throw new TroupeError("validation", `${title}: its events are empty`);
  }
}
