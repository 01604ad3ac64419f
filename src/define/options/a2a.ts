/** Checks the option `a2a` of a platform. */

import { ConfigurationError } from "../../errors.ts";
import type { A2aOptions, PushAddresses } from "../../model/a2a.ts";
import { type Known, refuseUnknown } from "../checks.ts";

const knownAddresses: Known<PushAddresses> = { allowHttp: true, allowPrivate: true };

const known: Known<A2aOptions> = {
  publicCards: true,
  rootCard: true,
  url: true,
  provider: true,
  signingKey: true,
  pushNotifications: true,
};

/** Components by the first part of their paths. */
type Components = Readonly<Record<"agents" | "teams" | "workflows", readonly { readonly id: string }[]>>;

/** Rejects options that are unknown or invalid, and a `rootCard` that does not exist. @throws ConfigurationError */
export function checkA2a(platform: string, options: unknown, components: Components): A2aOptions | false {
  if (options === false) return false;
  if (options === undefined || options === true) return {};
  const title = `${platform}: a2a`;
  if (typeof options !== "object" || options === null) {
    throw new ConfigurationError(`${title} must be true, false or an object with options.`);
  }
  refuseUnknown(title, options, known);
  const { publicCards, rootCard, url, provider, signingKey } = options as A2aOptions;
  if (publicCards !== undefined && typeof publicCards !== "boolean") {
    throw new ConfigurationError(`${title}: publicCards must be true or false.`);
  }
  if (rootCard !== undefined && !isHosted(rootCard, components)) {
    throw new ConfigurationError(
      `${title}: rootCard ${JSON.stringify(rootCard)} names no component of the platform: write "agents/<id>", "teams/<id>" or "workflows/<id>".`,
    );
  }
  if (provider !== undefined && (typeof provider !== "object" || provider === null)) {
    throw new ConfigurationError(`${title}: provider must have an organization and a url.`);
  }
  for (const [name, address] of Object.entries({ url, "provider.url": provider?.url })) {
    if (address !== undefined && !isAddress(address)) {
      throw new ConfigurationError(`${title}: ${name} must be an address that begins with http:// or https://.`);
    }
  }
  if (provider !== undefined && (typeof provider.organization !== "string" || provider.url === undefined)) {
    throw new ConfigurationError(`${title}: provider must have an organization and a url.`);
  }
  if (signingKey !== undefined && !isSigningKey(signingKey)) {
    throw new ConfigurationError(`${title}: signingKey must be a private JSON Web Key that names its alg and its kid.`);
  }
  checkPush(title, (options as A2aOptions).pushNotifications);
  return options as A2aOptions;
}

function checkPush(title: string, push: unknown): void {
  if (push === undefined || typeof push === "boolean") return;
  if (typeof push !== "object" || push === null) {
    throw new ConfigurationError(`${title}: pushNotifications must be true, false or an object with options.`);
  }
  refuseUnknown(`${title}: pushNotifications`, push, knownAddresses);
  for (const [name, value] of Object.entries(push)) {
    if (typeof value !== "boolean") {
      throw new ConfigurationError(`${title}: pushNotifications.${name} must be true or false.`);
    }
  }
}

function isHosted(name: unknown, components: Components): boolean {
  if (typeof name !== "string") return false;
  const [plural = "", id] = name.split("/", 2);
  return Object.hasOwn(components, plural) && components[plural as keyof Components].some((one) => one.id === id);
}

function isAddress(text: unknown): boolean {
  return typeof text === "string" && /^https?:\/\//.test(text) && URL.canParse(text);
}

function isSigningKey(key: unknown): boolean {
  const { kty, d, alg, kid } = Object(key) as Record<string, unknown>;
  return typeof kty === "string" && typeof d === "string" && typeof alg === "string" && typeof kid === "string";
}
