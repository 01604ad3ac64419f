import { ConfigurationError } from "../../errors.ts";
import { type AuthorizationOptions, algorithms, type IssuerOptions } from "../../model/authorization.ts";
import { faultOfId } from "../../model/identifiers.ts";
import { isReservedUserId } from "../../model/principal.ts";
import { type Check, checkAll, flag, isText, type Known, oneOf, refuseUnknown, text } from "../checks.ts";

const claimNames = {
  scopesClaim: true,
  userIdClaim: true,
  sessionIdClaim: true,
  dependenciesClaims: true,
  sessionStateClaims: true,
  limitsClaim: true,
} as const;

const known: Known<AuthorizationOptions> = {
  ...claimNames,
  verificationKeys: true,
  jwksFile: true,
  algorithm: true,
  issuers: true,
  audience: true,
  verifyAudience: true,
  requireExpiration: true,
  leewaySeconds: true,
  adminScope: true,
  userIsolation: true,
  tokenSource: true,
  cookieName: true,
  excludedRoutePaths: true,
  scopeMappings: true,
  internalServiceToken: true,
};

const knownOfIssuer: Known<IssuerOptions> = {
  ...claimNames,
  issuer: true,
  jwksUrl: true,
  discovery: true,
  audience: true,
  verifyAudience: true,
  algorithms: true,
  scopeMappings: true,
  userIdPrefix: true,
  allowHttp: true,
};

/** Options of the reference platform that have another name here, or do not exist. */
const elsewhere: Readonly<Record<string, string>> = {
  secret_key: "give the secret in verificationKeys, with the algorithm HS256.",
  validate: "tokens are always verified here.",
  token_header_key: "tokens are read from the header Authorization.",
  audience_claim: "audiences are in the claim aud.",
  authorization: "scopes are always checked.",
};

const texts: Check = (value) => (isList(value, isText) ? undefined : "must be a list of texts");
const textOrTexts: Check = (value) =>
  isText(value) || (isList(value, isText) && value.length > 0) ? undefined : "must be a text or a list of texts";
const common: Readonly<Record<string, Check>> = {
  scopesClaim: text,
  userIdClaim: text,
  sessionIdClaim: text,
  dependenciesClaims: texts,
  sessionStateClaims: texts,
  limitsClaim: text,
  audience: textOrTexts,
  verifyAudience: flag,
  scopeMappings: mappings,
};

const checks: Readonly<Record<string, Check>> = {
  ...common,
  verificationKeys: keys,
  jwksFile: text,
  algorithm: oneOf(algorithms),
  issuers: (value) => (Array.isArray(value) ? undefined : "must be a list"),
  requireExpiration: flag,
  leewaySeconds: (value) =>
    typeof value === "number" && value >= 0 && value <= 600 ? undefined : "must be a number from 0 to 600",
  adminScope: text,
  userIsolation: flag,
  tokenSource: oneOf(["HEADER", "COOKIE", "BOTH"]),
  cookieName: (value) =>
    isText(value) && /^[\w!#$%&'*+.^`|~-]+$/.test(value) ? undefined : "must be the name of a cookie",
  excludedRoutePaths: (value) =>
    isList(value, (path) => isText(path) && path.startsWith("/")) ? undefined : "must be a list of paths",
  internalServiceToken: (value) =>
    isText(value) && value.length >= 32 ? undefined : "must have at least 32 characters",
};

const issuerChecks: Readonly<Record<string, Check>> = {
  ...common,
  issuer: text,
  jwksUrl: text,
  discovery: (value) => (isText(value) || typeof value === "boolean" ? undefined : "must be true or an address"),
  algorithms: (value) => {
    const accepted = algorithms.filter((name) => !name.startsWith("HS"));
    const isGood = isList(value, (name) => accepted.includes(name as "RS256")) && value.length > 0;
    return isGood ? undefined : `must be a list of ${accepted.join(", ")}`;
  },
  userIdPrefix: (value) =>
    isText(value) && !isReservedUserId(value) && !isReservedUserId(`${value}x`) && faultOfId(value) === undefined
      ? undefined
      : "must be a text that no program's id begins with",
  allowHttp: flag,
};

/** Rejects options that are unknown, have the wrong type or contradict each other. @throws ConfigurationError */
export function checkAuthorization(platform: string, options: unknown): void {
  if (options === undefined || typeof options === "boolean") return;
  const title = `${platform}: authorization`;
  if (typeof options !== "object" || options === null) {
    throw new ConfigurationError(`${title} must be true, false or an object with options.`);
  }
  refuseSnakeCase(title, options, known);
  refuseUnknown(title, options, known);
  checkAll(title, options, checks);
  const { audience, verifyAudience, issuers = [] } = options as AuthorizationOptions;
  if (audience !== undefined && verifyAudience === false) throw contradiction(title);
  const seen = new Set<string>();
  for (const [number, issuer] of issuers.entries()) {
    checkIssuer(`${title}: number ${number + 1} of its issuers`, issuer);
    if (seen.has(issuer.issuer)) throw new ConfigurationError(`${title} has the issuer ${issuer.issuer} twice.`);
    seen.add(issuer.issuer);
  }
}

function checkIssuer(title: string, issuer: IssuerOptions): void {
  if (typeof issuer !== "object" || issuer === null) throw new ConfigurationError(`${title} must be an object.`);
  refuseSnakeCase(title, issuer, knownOfIssuer);
  refuseUnknown(title, issuer, knownOfIssuer);
  checkAll(title, issuer, issuerChecks);
  const { audience, verifyAudience, jwksUrl, discovery } = issuer;
  if (issuer.issuer === undefined) throw new ConfigurationError(`${title} has no issuer: the claim iss of its tokens.`);
  if (audience !== undefined && verifyAudience === false) throw contradiction(title);
  if (audience === undefined && verifyAudience !== false) {
    throw new ConfigurationError(
      `${title} has no audience: without one, tokens that the provider gives to any other application would be accepted. ` +
        "Say verifyAudience: false if that is what you want.",
    );
  }
  if (jwksUrl !== undefined && discovery !== undefined && discovery !== false) {
    throw new ConfigurationError(`${title} has jwksUrl and discovery: give one of them.`);
  }
  if (jwksUrl === undefined && discovery === false) {
    throw new ConfigurationError(`${title} has discovery: false, so it needs a jwksUrl.`);
  }
}

function contradiction(title: string): ConfigurationError {
  return new ConfigurationError(`${title} has an audience and verifyAudience: false: leave one of them out.`);
}

/** Rejects the snake_case names of the reference documentation and names the option to use. */
function refuseSnakeCase(title: string, options: object, names: Readonly<Record<string, true>>): void {
  for (const name of Object.keys(options)) {
    if (name in elsewhere && !(name in names)) {
      throw new ConfigurationError(`${title} has no option "${name}": ${elsewhere[name]}`);
    }
    const ours = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (ours !== name && ours in names) {
      throw new ConfigurationError(`${title} has no option "${name}": it is called "${ours}" here.`);
    }
  }
}

function keys(value: unknown): string | undefined {
  if (!Array.isArray(value)) return "must be a list of keys";
  const place = value.findIndex((key) => !isText(key) && (typeof key !== "object" || key === null));
  if (place === -1) return undefined;
  const isNothing = value[place] === "" || value[place] === undefined || value[place] === null;
  return isNothing
    ? `has nothing as its key ${place + 1}: the environment variable that it comes from may not be set`
    : `has as its key ${place + 1} what is neither a text nor a JSON Web Key`;
}

function mappings(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "must be an object";
  for (const [key, scopes] of Object.entries(value)) {
    if (!/^[A-Z]+ \/\S*$/.test(key)) return `has "${key}", which is not a method and a path like "GET /agents"`;
    if (!isList(scopes, isText)) return `of "${key}" must be a list of scopes`;
  }
  return undefined;
}

function isList(value: unknown, isItem: (item: unknown) => boolean): value is readonly unknown[] {
  return Array.isArray(value) && value.every(isItem);
}
