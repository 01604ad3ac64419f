/** Combines the authorization options of the platform's definition and of the environment. */
import { ConfigurationError } from "../errors.ts";
import type { AuthMode, AuthorizationOptions, ClaimNames, Environment, IssuerOptions } from "../model/authorization.ts";
import type { Runtime } from "../model/runtime.ts";
import { keySetFile } from "./key-set-file.ts";
import type { KeySource } from "./key-source.ts";
import { toVerificationKey, type VerificationKey, warnOfShortSecrets } from "./keys.ts";
import { faultOfAddress, type ReadText, remoteKeySet } from "./remote-key-set.ts";
import { defaultAdminScope } from "./scopes.ts";
import type { TrustedIssuer } from "./verify-token.ts";

/** Environment variables of authorization. An empty variable counts as not set. */
export const variables = ["JWT_VERIFICATION_KEY", "JWT_JWKS_FILE", "OS_SECURITY_KEY"] as const;

/** Minimum size of the security key in bytes: every client can try to guess it, and a shorter one can be guessed. */
const minKeyBytes = 16;

/** Default paths that need no token. */
const defaultExcludedPaths: readonly string[] = [
  "/",
  "/health",
  "/info",
  "/docs",
  "/redoc",
  "/openapi.json",
  "/docs/oauth2-redirect",
];

/** The resolved rules of authorization. */
export interface AccessRules {
  readonly mode: AuthMode;
  readonly securityKey: string | undefined;
  /** Accepted issuers; none unless the mode is `jwt`. */
  readonly trustedIssuers: readonly TrustedIssuer[];
  readonly adminScope: string;
  readonly userIsolation: boolean;
  readonly tokenSource: "HEADER" | "COOKIE" | "BOTH";
  readonly cookieName: string;
  readonly excludedRoutePaths: readonly string[];
  readonly scopeMappings: Readonly<Record<string, readonly string[]>>;
  readonly internalServiceToken: string | undefined;
  readonly leeway: number;
}

/** Input of `resolveAccess`. */
export interface AccessInput {
  readonly platformId: string;
  readonly authorization: boolean | AuthorizationOptions | undefined;
  readonly environment: Environment;
  readonly runtime: Runtime;
  /** Reads remote keys; only tests set it. */
  readonly read?: ReadText | undefined;
}

/** Returns the mode without reading any key. */
export function modeOf({ authorization, environment }: Pick<AccessInput, "authorization" | "environment">): AuthMode {
  const hasKeys = variableOf(environment, "JWT_VERIFICATION_KEY") ?? variableOf(environment, "JWT_JWKS_FILE");
  const isOn = authorization === undefined ? hasKeys !== undefined : authorization !== false;
  if (isOn) return "jwt";
  return variableOf(environment, "OS_SECURITY_KEY") === undefined ? "none" : "security_key";
}

/** @throws ConfigurationError for missing or unsuitable keys, and for contradictory options */
export function resolveAccess(setup: AccessInput): AccessRules {
  const { authorization, environment, runtime } = setup;
  const mode = modeOf(setup);
  const options: AuthorizationOptions = mode === "jwt" && typeof authorization === "object" ? authorization : {};
  if (authorization === false) {
    const ignored = variables.slice(0, 2).filter((name) => variableOf(environment, name) !== undefined);
    runtime.log.warn({ ignored }, "Tokens are not verified: the platform sets authorization: false.");
  }
  const securityKey = mode === "security_key" ? variableOf(environment, "OS_SECURITY_KEY") : undefined;
  if (securityKey !== undefined && Buffer.byteLength(securityKey) < minKeyBytes) {
    runtime.log.warn({}, "OS_SECURITY_KEY is shorter than 16 bytes: clients can guess it.");
  }
  return {
    mode,
    securityKey,
    trustedIssuers: mode === "jwt" ? trustedIssuersOf(options, setup) : [],
    adminScope: options.adminScope ?? defaultAdminScope,
    userIsolation: options.userIsolation ?? false,
    tokenSource: options.tokenSource ?? "HEADER",
    cookieName: options.cookieName ?? "access_token",
    excludedRoutePaths: options.excludedRoutePaths ?? defaultExcludedPaths,
    scopeMappings: options.scopeMappings ?? {},
    internalServiceToken: options.internalServiceToken,
    leeway: options.leewaySeconds ?? 10,
  };
}

function trustedIssuersOf(options: AuthorizationOptions, setup: AccessInput): readonly TrustedIssuer[] {
  const { issuers = [], requireExpiration = true, leewaySeconds: leeway = 10, scopeMappings = {} } = options;
  const keys = keysOf(options, setup);
  const sources = filesOf(options, setup);
  for (const issuer of issuers) checkAddress(issuer);
  const trustedIssuers: TrustedIssuer[] = issuers.map((issuer) => ({
    ...claimNames({ ...options, ...issuer }),
    issuer: issuer.issuer,
    algorithms: issuer.algorithms ?? ["RS256"],
    audience: audienceOf(issuer),
    requireExpiration,
    userIdPrefix: issuer.userIdPrefix ?? "",
    leeway,
    sources: [remoteKeySet(issuer, setup.runtime, setup.read)],
    keys: [],
    scopeMappings: issuer.scopeMappings ?? scopeMappings,
  }));
  if (keys.length + sources.length > 0) {
    const audience = audienceOf({ verifyAudience: false, ...options }, setup.platformId);
    const algorithms = [options.algorithm ?? "RS256"] as const;
    const rules = { requireExpiration, userIdPrefix: "", leeway, scopeMappings };
    trustedIssuers.push({ ...claimNames(options), ...rules, issuer: undefined, algorithms, audience, sources, keys });
  }
  if (trustedIssuers.length === 0) {
    throw new ConfigurationError(
      "Authorization is on, and there is no key to verify tokens with: set JWT_VERIFICATION_KEY or JWT_JWKS_FILE, " +
        "or give definePlatform authorization: { verificationKeys, jwksFile or issuers }.",
    );
  }
  return trustedIssuers;
}

/** @throws ConfigurationError for a URL from which keys must not be read */
function checkAddress(options: IssuerOptions): void {
  const { issuer, jwksUrl, discovery } = options;
  const address = jwksUrl ?? (typeof discovery === "string" ? discovery : issuer);
  const fault = faultOfAddress(address, options);
  if (fault !== undefined)
    throw new ConfigurationError(`Authorization: the address ${address} of an issuer's keys ${fault}.`);
}

/** The operator's own keys: the keys of the definition, then the key of the environment unless it is one of them. */
function keysOf(options: AuthorizationOptions, { environment, runtime }: AccessInput): readonly VerificationKey[] {
  const { verificationKeys = [], algorithm = "RS256" } = options;
  const given = verificationKeys.map((key, number) => {
    return toVerificationKey(key, algorithm, `key ${number + 1} of verificationKeys`);
  });
  const variable = variableOf(environment, "JWT_VERIFICATION_KEY");
  const extra =
    variable === undefined || verificationKeys.includes(variable)
      ? []
      : [toVerificationKey(variable, algorithm, "the key in JWT_VERIFICATION_KEY")];
  const keys = [...given, ...extra];
  warnOfShortSecrets(keys, runtime);
  return keys;
}

function filesOf(options: AuthorizationOptions, { environment, runtime }: AccessInput): readonly KeySource[] {
  const files = new Set([options.jwksFile, variableOf(environment, "JWT_JWKS_FILE")]);
  const { algorithm = "RS256" } = options;
  return [...files].flatMap((file) => (file === undefined ? [] : [keySetFile(file, algorithm, runtime)]));
}

/** Returns the accepted audiences; null for all. If none is specified, verification requires the platform's id. */
function audienceOf(
  { audience, verifyAudience }: Pick<IssuerOptions, "audience" | "verifyAudience">,
  platformId?: string,
): readonly string[] | null {
  if (audience !== undefined) return typeof audience === "string" ? [audience] : audience;
  return verifyAudience && platformId !== undefined ? [platformId] : null;
}

function claimNames(options: ClaimNames): Required<ClaimNames> {
  return {
    scopesClaim: options.scopesClaim ?? "scopes",
    userIdClaim: options.userIdClaim ?? "sub",
    sessionIdClaim: options.sessionIdClaim ?? "session_id",
    dependenciesClaims: options.dependenciesClaims ?? [],
    sessionStateClaims: options.sessionStateClaims ?? [],
    limitsClaim: options.limitsClaim ?? "",
  };
}

function variableOf(environment: Environment, name: (typeof variables)[number]): string | undefined {
  return environment[name] || undefined;
}
