/** How a platform is reached by A2A: the options of `definePlatform({ a2a })`. */
import { ConfigurationError } from "../errors.ts";
import type { JsonWebKey } from "../model/authorization.ts";
import { type Known, refuseUnknown } from "./checks.ts";

/** Options of A2A. */
export interface A2aOptions {
  /**
   * True lets every client read the agent cards, also where calls need a token: a card names the component's tools and members. Default false: where
   * authorization is on, a card needs the scope `<kind>:read`.
   */
  readonly publicCards?: boolean;
  /** The component whose card is the server's own, at `/.well-known/agent-card.json`: `agents/researcher`. Default: there is none. */
  readonly rootCard?: string;
  /** Where clients reach this server, as cards say it: `https://agents.example`. Default: the address at which a card is asked for. */
  readonly url?: string;
  /** Who offers these agents, as cards say it. */
  readonly provider?: { readonly organization: string; readonly url: string };
  /**
   * A private key (JWK with `alg` and `kid`) that cards and push notifications are signed with, where `url` says what address cards vouch for; its
   * public part is at `/.well-known/jwks.json`. Default: they are not.
   */
  readonly signingKey?: JsonWebKey;
  /** Whether clients may be told of their tasks at addresses of theirs, and at which. Default true: at public ones, over HTTPS. */
  readonly pushNotifications?: boolean | PushAddresses;
}

/** Which addresses of clients are called beyond the usual ones. */
export interface PushAddresses {
  /** Also plain HTTP. Default false. */
  readonly allowHttp?: boolean;
  /** Also addresses that are not of the public internet: private ones, this machine's own and the like. Default false. */
  readonly allowPrivate?: boolean;
}

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

/** Fails for options that there are not, or that name nothing. @throws ConfigurationError */
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

function isSigningKey(key: JsonWebKey): boolean {
  const { kty, d, alg, kid } = key as Record<string, unknown>;
  return typeof kty === "string" && typeof d === "string" && typeof alg === "string" && typeof kid === "string";
}
