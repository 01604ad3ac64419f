/** Filters of the list of webhook deliveries, in the URL. */
import { choiceIn, type RawSearch, textIn } from "../../routing/search.ts";

export const deliveryStates = ["pending", "delivered", "failed", "disabled"] as const;
export const deliveryEvents = [
  "run.completed",
  "run.failed",
  "run.cancelled",
  "run.paused",
  "schedule.failed",
] as const;

export interface WebhooksSearch {
  readonly state?: (typeof deliveryStates)[number] | undefined;
  readonly event?: (typeof deliveryEvents)[number] | undefined;
  readonly webhook?: string | undefined;
  readonly run?: string | undefined;
  readonly schedule?: string | undefined;
  /** Id of the delivery that is shown. */
  readonly open?: string | undefined;
}

export function readWebhooksSearch(search: RawSearch): WebhooksSearch {
  return {
    state: choiceIn(search, "state", deliveryStates),
    event: choiceIn(search, "event", deliveryEvents),
    webhook: textIn(search, "webhook"),
    run: textIn(search, "run"),
    schedule: textIn(search, "schedule"),
    open: textIn(search, "open"),
  };
}
