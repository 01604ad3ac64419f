/** Checks the option `console` of a platform. */
import { ConfigurationError } from "../../errors.ts";
import type { ConsoleOidc, ConsoleOptions } from "../../model/console.ts";
import { isLoopback } from "../../model/loopback.ts";
import { type Check, checkAll, type Known, oneOf, refuseUnknown, text } from "../checks.ts";

const known: Known<ConsoleOptions> = { oidc: true };

const knownOidc: Known<ConsoleOidc> = {
  issuer: true,
  clientId: true,
  scopes: true,
  parameters: true,
  token: true,
  origins: true,
};

const address: Check = (value) => {
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (url?.username || url?.password) return "must not contain credentials: the page shows it to every visitor";
  // The host becomes a part of the content security policy, where other characters have a meaning.
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  return isSafe && /^[\w.:[\]-]+$/.test(url.host) ? undefined : "must be an address that begins with https://";
};

const texts: Check = (value) =>
  Array.isArray(value) && value.every((one) => text(one) === undefined) ? undefined : "must be a list of texts";

const origins: Check = (value) =>
  Array.isArray(value) && value.every((one) => address(one) === undefined && URL.parse(one)?.origin === one)
    ? undefined
    : 'must be a list of origins, like "https://sso.example"';

const parameters: Check = (value) =>
  typeof value === "object" && value !== null && Object.values(value).every((one) => typeof one === "string")
    ? undefined
    : "must be an object of texts";

const oidcChecks: Readonly<Record<keyof ConsoleOidc, Check>> = {
  issuer: address,
  clientId: text,
  scopes: texts,
  parameters,
  token: oneOf(["access_token", "id_token"]),
  origins,
};

/** Rejects options that are unknown or invalid. @throws ConfigurationError */
export function checkConsole(platform: string, options: unknown): ConsoleOptions | false {
  if (options === false) return false;
  if (options === undefined || options === true) return {};
  const title = `${platform}: console`;
  if (typeof options !== "object" || options === null) {
    throw new ConfigurationError(`${title} must be true, false or an object with options.`);
  }
  refuseUnknown(title, options, known);
  const { oidc } = options as { readonly oidc?: unknown };
  if (oidc === undefined) return {};
  if (typeof oidc !== "object" || oidc === null) {
    throw new ConfigurationError(`${title}: oidc must be an object with issuer and clientId.`);
  }
  refuseUnknown(`${title}: oidc`, oidc, knownOidc);
  const { issuer, clientId } = oidc as Partial<ConsoleOidc>;
  checkAll(`${title}: oidc`, { ...oidc, issuer: issuer ?? null, clientId: clientId ?? null }, oidcChecks);
  return options as ConsoleOptions;
}
