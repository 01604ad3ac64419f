/** Checks the option `connections` of a platform, and `oauth` of tools. */
import { ConfigurationError } from "../../errors.ts";
import {
  type ConnectionProvider,
  type ConnectionsOptions,
  type OAuthNeed,
  providerName,
} from "../../model/connections.ts";
import { isLoopback } from "../../model/loopback.ts";
import { type Check, checkAll, type Known, oneOf, refuseUnknown, text } from "../checks.ts";

const known: Known<ConnectionsOptions> = { url: true, providers: true };

const knownProvider: Known<ConnectionProvider> = {
  ...{ title: true, issuer: true, authorizationUrl: true, tokenUrl: true, revocationUrl: true, clientId: true },
  ...{ clientSecret: true, clientAuthentication: true, scopes: true, parameters: true },
};

const knownNeed: Known<OAuthNeed> = { provider: true, scopes: true };

/** Tokens and codes pass these addresses. */
const address: Check = (value) => {
  const url = typeof value === "string" ? URL.parse(value) : null;
  const isSafe =
    url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname.replace(/^\[|\]$/g, "")));
  return url && isSafe && url.hash === "" && url.username === ""
    ? undefined
    : "must be an https address (http on this machine only)";
};

const scopes: Check = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === "string" && /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(one))
    ? undefined
    : "must be a list of scopes without spaces";

const parameters: Check = (value) =>
  typeof value === "object" && value !== null && Object.values(value).every((one) => typeof one === "string")
    ? undefined
    : "must be an object with texts";

const checks: Readonly<Record<string, Check>> = {
  ...{ title: text, clientId: text, clientSecret: text, scopes, parameters },
  ...{ issuer: address, authorizationUrl: address, tokenUrl: address, revocationUrl: address },
  clientAuthentication: oneOf(["basic", "post"]),
};

/** Parameters that the server itself sets. */
const reserved = [
  "client_id",
  "redirect_uri",
  "response_type",
  "state",
  "code_challenge",
  "code_challenge_method",
  "scope",
];

/** Rejects options that are unknown or invalid. @throws ConfigurationError */
export function checkConnections(platform: string, options: unknown): ConnectionsOptions | undefined {
  if (options === undefined) return undefined;
  const title = `${platform}: connections`;
  if (typeof options !== "object" || options === null)
    throw new ConfigurationError(`${title} must be an object with url and providers.`);
  refuseUnknown(title, options, known);
  const { url, providers } = options as Partial<ConnectionsOptions>;
  checkAll(title, { url: url ?? null }, { url: address });
  if (typeof providers !== "object" || providers === null)
    throw new ConfigurationError(`${title}: providers must be an object, for instance { github: { clientId: "…" } }.`);
  for (const [name, provider] of Object.entries(providers))
    checkProvider(`${title}: provider "${name}"`, name, provider);
  return { url: String(url).replace(/\/+$/, ""), providers };
}

function checkProvider(title: string, name: string, provider: ConnectionProvider): void {
  if (!providerName.test(name))
    throw new ConfigurationError(`${title}: a name has lower-case letters, digits and "-", and is at most 64 long.`);
  if (typeof provider !== "object" || provider === null) throw new ConfigurationError(`${title} must be an object.`);
  refuseUnknown(title, provider, knownProvider);
  checkAll(title, provider, checks);
  const { clientId, issuer, authorizationUrl, tokenUrl } = provider;
  if (clientId === undefined) throw new ConfigurationError(`${title} has no clientId.`);
  if (issuer === undefined && (authorizationUrl === undefined || tokenUrl === undefined))
    throw new ConfigurationError(`${title}: give it an issuer, or an authorizationUrl and a tokenUrl.`);
  const own = Object.keys(provider.parameters ?? {}).find((parameter) => reserved.includes(parameter));
  if (own !== undefined) throw new ConfigurationError(`${title}: the server itself sets the parameter ${own}.`);
}

/** Rejects an invalid `oauth` of a tool. @throws ConfigurationError */
export function checkNeed(title: string, need: unknown): OAuthNeed | undefined {
  if (need === undefined) return undefined;
  if (typeof need !== "object" || need === null || typeof (need as OAuthNeed).provider !== "string")
    throw new ConfigurationError(`${title}: oauth must be an object like { provider: "github", scopes: ["repo"] }.`);
  refuseUnknown(`${title}: oauth`, need, knownNeed);
  checkAll(`${title}: oauth`, need, { scopes });
  return need as OAuthNeed;
}
