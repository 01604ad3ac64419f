/** Accounts of programs: a name, scopes, and a token that is stored as its hash only. Times in milliseconds since the epoch. */
import type { Principal, RunClaims } from "./principal.ts";

/** A service account as it is stored. */
export interface ServiceAccount {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the whole token, in hexadecimal. */
  readonly tokenHash: string;
  /** Begin of the token, by which people tell it from others. */
  readonly tokenPrefix: string;
  readonly scopes: readonly string[];
  /** What its maker's credential says about runs: it holds for the runs of the account, too. */
  readonly claims: RunClaims | null;
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

/** Which accounts are listed, and in which order. */
export interface ServiceAccountQuery {
  readonly includeRevoked: boolean;
  readonly limit: number;
  /** Rows that come before the page. */
  readonly offset: number;
  readonly sortBy: "createdAt" | "name" | "expiresAt" | "lastUsedAt";
  readonly descending: boolean;
}

/** Where service accounts are kept. Callers who are limited to what is their own see the accounts that they made. */
export interface ServiceAccountStore {
  /**
   * `exists`: there is an account of that name that is not revoked, or, for a caller who is limited to what is its own, one that somebody else made,
   * revoked or not; nothing was stored.
   */
  create(caller: Principal, account: ServiceAccount): Promise<"created" | "exists">;
  /** The account of a token, revoked or not. */
  findByTokenHash(tokenHash: string): Promise<ServiceAccount | undefined>;
  /** The account of a name that is not revoked. */
  findActive(name: string): Promise<ServiceAccount | undefined>;
  list(
    caller: Principal,
    query: ServiceAccountQuery,
  ): Promise<{ readonly accounts: readonly ServiceAccount[]; readonly total: number }>;
  /** Revokes it, unless it is revoked; answers it, undefined for one that the caller does not see. */
  revoke(caller: Principal, id: string, at: number): Promise<ServiceAccount | undefined>;
  /** Notes that its token was used. */
  touch(id: string, at: number): Promise<void>;
}

/** First part of every token of a service account. */
export const serviceTokenPrefix = "agno_pat_";

/** The user id of what a service account does. */
export function servicePrincipalId({ name }: Pick<ServiceAccount, "name">): string {
  return `sa:${name}`;
}
