/** Checks the webhooks of a platform. */
import { createHash } from "node:crypto";
import { ConfigurationError } from "../../errors.ts";
import {
  maxSecrets,
  placeOfRunHook,
  secretBytes,
  secretForm,
  type Webhook,
  type WebhookAddresses,
  type WebhookEvent,
  type WebhookOptions,
  webhookEvents,
  webhookId,
} from "../../model/webhook.ts";
import { type Check, checkAll, flag, isText, type Known, refuseUnknown, suggestion } from "../checks.ts";

const known: Known<WebhookOptions> = {
  url: true,
  events: true,
  secret: true,
  components: true,
  id: true,
  allowHttp: true,
  allowPrivate: true,
};

const knownAddresses: Known<WebhookAddresses> = { allowHttp: true, allowPrivate: true };

const isId: Check = (value) =>
  isText(value) && webhookId.test(value) && placeOfRunHook(value) === undefined
    ? undefined
    : "must have 1 to 64 letters, digits, - and _, and must not have the form run-<number>";

/** Components by the first part of their names. */
type Components = Readonly<Record<"agents" | "teams" | "workflows", readonly { readonly id: string }[]>>;

/** Returns the webhooks of a platform, with their ids. @throws ConfigurationError naming the webhook and the fix */
export function checkWebhooks(platform: string, given: unknown, components: Components): readonly Webhook[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) throw new ConfigurationError(`${platform}: webhooks must be a list.`);
  const hooks = given.map((options: unknown, place) =>
    checkWebhook(`${platform}: webhooks[${place}]`, options, components),
  );
  const ids = new Set<string>();
  for (const { id } of hooks) {
    if (ids.has(id)) throw new ConfigurationError(`${platform}: two webhooks have the id "${id}": give each its own.`);
    ids.add(id);
  }
  return hooks;
}

/** Returns which addresses the webhooks of runs may have. @throws ConfigurationError */
export function checkRunWebhooks(platform: string, given: unknown): WebhookAddresses | false {
  if (given === false) return false;
  if (given === undefined || given === true) return {};
  const title = `${platform}: runWebhooks`;
  if (typeof given !== "object" || given === null)
    throw new ConfigurationError(`${title} must be true, false or an object with options.`);
  refuseUnknown(title, given, knownAddresses);
  checkAll(title, given, { allowHttp: flag, allowPrivate: flag });
  return given as WebhookAddresses;
}

function checkWebhook(title: string, options: unknown, components: Components): Webhook {
  if (typeof options !== "object" || options === null)
    throw new ConfigurationError(`${title} must be an object like { url, events, secret }.`);
  refuseUnknown(title, options, known);
  checkAll(title, options, { id: isId, allowHttp: flag, allowPrivate: flag });
  const { url, events, secret, components: names, allowHttp = false, allowPrivate = false } = options as WebhookOptions;
  const protocol = isText(url) ? URL.parse(url)?.protocol : undefined;
  if (protocol !== "https:" && !(protocol === "http:" && allowHttp))
    throw new ConfigurationError(`${title}: url must begin with https://, or with http:// if allowHttp is true.`);
  const secrets = typeof secret === "string" ? [secret] : secret;
  const isSecret = (one: unknown): boolean => typeof one === "string" && secretBytes(one) !== undefined;
  if (!Array.isArray(secrets) || secrets.length === 0 || secrets.length > maxSecrets || !secrets.every(isSecret)) {
    throw new ConfigurationError(`${title}: secret must be ${secretForm}, or a list of up to ${maxSecrets} of them.`);
  }
  if (!Array.isArray(events) || events.length === 0)
    throw new ConfigurationError(`${title}: events must be a list of ${webhookEvents.join(", ")}.`);
  const unknown = events.find((event: unknown) => !webhookEvents.includes(event as WebhookEvent));
  if (unknown !== undefined) {
    const hint = suggestion(String(unknown), webhookEvents);
    throw new ConfigurationError(`${title}: there is no event ${JSON.stringify(unknown)}: ${hint}`);
  }
  checkComponents(title, names, components);
  const id = (options as WebhookOptions).id ?? `hook-${createHash("sha256").update(url).digest("hex").slice(0, 8)}`;
  return Object.freeze({ id, url, events, secrets, components: names, allowHttp, allowPrivate });
}

function checkComponents(title: string, names: unknown, components: Components): void {
  if (names === undefined) return;
  if (!Array.isArray(names))
    throw new ConfigurationError(`${title}: components must be a list like ["agents/researcher"].`);
  const all = (["agents", "teams", "workflows"] as const).flatMap((plural) =>
    components[plural].map(({ id }) => `${plural}/${id}`),
  );
  const unknown = names.find((name: unknown) => !all.includes(name as string));
  if (unknown === undefined) return;
  throw new ConfigurationError(
    `${title}: the platform has no component ${JSON.stringify(unknown)}: ${suggestion(String(unknown), all)}`,
  );
}
