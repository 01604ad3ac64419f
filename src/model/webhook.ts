/** Webhooks: signed messages that the server sends to other services when a run ends or pauses, or when a schedule fails. */
import type { ComponentKind, RunStatus } from "./run/run.ts";

/** The events of webhooks. */
export const webhookEvents = ["run.completed", "run.failed", "run.cancelled", "run.paused", "schedule.failed"] as const;

/**
 * An event of a webhook. `run.failed`: the run ended with an error. `schedule.failed`: a fire of a schedule failed, and no retry follows.
 */
export type WebhookEvent = (typeof webhookEvents)[number];

/** URLs that are allowed in addition to public HTTPS addresses. */
export interface WebhookAddresses {
  /** Whether plain HTTP is allowed. Default false. */
  readonly allowHttp?: boolean;
  /** Whether addresses outside the public internet are allowed: private networks, this machine and the like. Default false. */
  readonly allowPrivate?: boolean;
}

/** A webhook of a platform, as `definePlatform` takes it. */
export interface WebhookOptions extends WebhookAddresses {
  /** The receiver: `https://billing.example/hooks/runs`. */
  readonly url: string;
  /** The events that it receives. */
  readonly events: readonly WebhookEvent[];
  /**
   * The secret that signs its messages: `whsec_` and 24 to 64 bytes in base64. While a secret is replaced: a list of up to 5. Messages then have a
   * signature of each, so the receiver may know any of them.
   */
  readonly secret: string | readonly string[];
  /** Components whose runs it receives, like `agents/researcher`. Default: all. Schedules are not restricted. */
  readonly components?: readonly string[];
  /** Its name in the list of deliveries: letters, digits, `-` and `_`. Give one before you change the URL. Default: derived from the URL. */
  readonly id?: string;
}

/** A webhook, checked. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly secrets: readonly string[];
  readonly components: readonly string[] | undefined;
  readonly allowHttp: boolean;
  readonly allowPrivate: boolean;
}

/** A webhook of one run, as its start gives it. Its id is its place: `run-0`, `run-1`, … */
export type RunWebhook = Pick<Webhook, "url" | "events" | "secrets">;

/** Max webhooks of one run. */
export const maxRunWebhooks = 5;

/** Max secrets of a webhook. */
export const maxSecrets = 5;

/** The form of ids of webhooks. */
export const webhookId: RegExp = /^[A-Za-z0-9_-]{1,64}$/;

/** The id of a run's own webhook. */
export function runHookId(place: number): string {
  return `run-${place}`;
}

/** The place of a run's own webhook with this id; undefined for the id of a platform's webhook. */
export function placeOfRunHook(id: string): number | undefined {
  const [, digits] = /^run-(\d{1,3})$/.exec(id) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

const secretText = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** Returns the bytes of a secret; undefined if the text is not one. */
export function secretBytes(secret: string): Uint8Array | undefined {
  const [, text = ""] = secretText.exec(secret) ?? [];
  const bytes = Buffer.from(text, "base64");
  return bytes.length >= 24 && bytes.length <= 64 ? bytes : undefined;
}

/** The form of secrets, for error texts. */
export const secretForm = "`whsec_` and 24 to 64 bytes in base64";

const eventOfStatus: Partial<Record<RunStatus, WebhookEvent>> = {
  COMPLETED: "run.completed",
  ERROR: "run.failed",
  CANCELLED: "run.cancelled",
  PAUSED: "run.paused",
};

/** A delivery of a run's event, as the flush that writes the event stores it. */
export interface RunDelivery {
  readonly id: string;
  readonly hookId: string;
  readonly event: WebhookEvent;
  readonly eventIndex: number;
  /** The share of the concurrent deliveries that it uses. */
  readonly share: string;
}

/** The run of a delivery. */
export interface DeliveredRun {
  readonly runId: string;
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly userId: string | null;
}

/** The deliveries of a state change whose event has this index; undefined if no webhook receives it. */
export function runDeliveries(
  platform: readonly Webhook[],
  own: readonly Pick<RunWebhook, "events">[],
  run: DeliveredRun,
  { to, eventIndex }: { readonly to: RunStatus; readonly eventIndex: number },
): readonly RunDelivery[] | undefined {
  const event = eventOfStatus[to];
  if (event === undefined || (platform.length === 0 && own.length === 0)) return undefined;
  const name = `${run.kind}s/${run.componentId}`;
  const message = `${run.runId}.${eventIndex}`;
  const hooks = [
    ...platform
      .filter((hook) => hook.components?.includes(name) ?? true)
      .map(({ id, events }) => ({ hookId: id, events, share: id })),
    // Receivers that one user gives share one part.
    ...own.map(({ events }, place) => ({ hookId: runHookId(place), events, share: shareOf(run.userId ?? "") })),
  ];
  const due = hooks.filter(({ events }) => events.includes(event));
  if (due.length === 0) return undefined;
  return due.map(({ hookId, share }) => ({ id: `${message}.${hookId}`, hookId, event, eventIndex, share }));
}

/** One of 64 shares: its name must not tell which user it belongs to. */
function shareOf(userId: string): string {
  let sum = 0;
  for (const character of userId) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return `users-${sum % 64}`;
}

/** The state of a delivery. `disabled`: not sent, because the receiver answered an earlier message of the run with 410. */
export const deliveryStates = ["pending", "delivered", "failed", "disabled"] as const;

/** A state of a delivery. */
export type DeliveryState = (typeof deliveryStates)[number];
