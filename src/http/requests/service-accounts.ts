/** Bodies, queries and paths of service account routes. */
import { z } from "zod";
import type { ServiceAccountQuery } from "../../model/service-account.ts";
import type { BodySpec } from "../input/body.ts";
import { type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";
import { named } from "../input/named-schemas.ts";

/** A request for a new account. */
export interface NewAccount {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly allowsPrivileged: boolean;
  /** Days until its token expires; null for never. */
  readonly expiresInDays: number | null;
}

/** The scopes of an account that specifies none: they allow it to run components. */
const usualScopes: readonly string[] = ["agents:run", "teams:run", "workflows:run", "sessions:read", "config:read"];

const usualDays = 90;

const item = named(
  "ScopeItem",
  z.object({
    scope: z.string(),
    effect: z
      .enum(["allow", "deny"])
      .refine((effect) => effect === "allow", "only the effect allow is supported")
      .default("allow"),
  }),
);

const fields = z.object({
  name: z
    .string()
    .max(63)
    .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/),
  scopes: z.array(item).max(100).nullish(),
  expires_in_days: z.int().min(1).max(3650).nullable().default(usualDays),
  never_expires: z.boolean().default(false),
  allow_privileged_scopes: z.boolean().default(false),
});

/** The body of `POST /service-accounts`. */
export const newAccount: BodySpec<NewAccount> = {
  name: "ServiceAccountCreate",
  reader: reader(fields, ({ name, scopes, expires_in_days, never_expires, allow_privileged_scopes }) => ({
    name,
    scopes: scopes ? [...new Set(scopes.map(({ scope }) => scope))] : usualScopes,
    allowsPrivileged: allow_privileged_scopes,
    expiresInDays: never_expires ? null : (expires_in_days ?? usualDays),
  })),
  types: ["json"],
  required: true,
};

const sortKeys: Readonly<Record<string, ServiceAccountQuery["sortBy"]>> = {
  created_at: "createdAt",
  name: "name",
  expires_at: "expiresAt",
  last_used_at: "lastUsedAt",
};

/** Filters and page of a listing of accounts. */
export interface AccountList {
  readonly query: ServiceAccountQuery;
  readonly page: number;
}

/** The query of `GET /service-accounts`. An unknown sort key means the default order. */
export const accountListQuery: Reader<AccountList> = reader(
  z.object({
    include_revoked: z.boolean().default(true),
    limit: z.int().min(1).max(100).default(20),
    page: z.int().min(1).default(1),
    sort_by: z.string().default("created_at"),
    sort_order: z.string().default("desc"),
  }),
  ({ include_revoked, limit, page, sort_by, sort_order }) => ({
    page,
    query: {
      includeRevoked: include_revoked,
      limit,
      offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER),
      sortBy: (Object.hasOwn(sortKeys, sort_by) ? sortKeys[sort_by] : undefined) ?? "createdAt",
      descending: sort_order.toLowerCase() !== "asc",
    },
  }),
);

/** The path of one account. */
export const accountPath: Reader<{ accountId: string }> = reader(
  z.object({ service_account_id: identifier }),
  ({ service_account_id }) => ({ accountId: service_account_id }),
);
