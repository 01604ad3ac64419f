/**
 * Service accounts: accounts for programs, with a name, scopes, and a token of which only the hash is stored. Times are milliseconds since
 * the epoch.
 */
import type { Principal, RunClaims } from "./principal.ts";

/** A service account as it is stored. */
export interface ServiceAccount {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the whole token, in hexadecimal. */
  readonly tokenHash: string;
  /** The first characters of the token, by which people recognize it. */
  readonly tokenPrefix: string;
  readonly scopes: readonly string[];
  /** Claims of its creator's credential about runs; they also apply to the runs of the account. */
  readonly claims: RunClaims | null;
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

/** Filter and order of a list of accounts. */
export interface ServiceAccountQuery {
  readonly includeRevoked: boolean;
  readonly limit: number;
  /** Number of rows before the page. */
  readonly offset: number;
  readonly sortBy: "createdAt" | "name" | "expiresAt" | "lastUsedAt";
  readonly descending: boolean;
}

/** Store of service accounts. Isolated callers see only the accounts that they created. */
export interface ServiceAccountStore {
  /**
   * `exists`: nothing was stored, because an active account has this name. For an isolated caller, an account of this name that another
   * caller created counts even if it is revoked.
   */
  create(caller: Principal, account: ServiceAccount): Promise<"created" | "exists">;
  /** Returns the account of a token, revoked or not. */
  findByTokenHash(tokenHash: string): Promise<ServiceAccount | undefined>;
  /** Returns the account with this name that is not revoked. */
  findActive(name: string): Promise<ServiceAccount | undefined>;
  list(
    caller: Principal,
    query: ServiceAccountQuery,
  ): Promise<{ readonly accounts: readonly ServiceAccount[]; readonly total: number }>;
  /** Revokes an account and returns it; undefined for an account that the caller may not access. */
  revoke(caller: Principal, id: string, at: number): Promise<ServiceAccount | undefined>;
  /** Records the time of use of its token. */
  touch(id: string, at: number): Promise<void>;
}

/** Prefix of all service account tokens. */
export const serviceTokenPrefix = "agno_pat_";

/** The user id of a service account's actions. */
export function servicePrincipalId({ name }: Pick<ServiceAccount, "name">): string {
  return `sa:${name}`;
}

/** Whether a text has the form of a service account token. */
export function isServiceToken(token: string): boolean {
  return token.startsWith(serviceTokenPrefix);
}
