/** Service accounts in their wire form: times are in seconds, and only the answer to the creation has the token. */
import { z } from "zod";
import { type ServiceAccount, servicePrincipalId } from "../../model/service-account.ts";
import { named } from "../input/named-schemas.ts";
import { type PageFacts, pageInfo, toPageInfo } from "./pages.ts";

const scope = named(
  "ScopeSchema",
  z.object({
    id: z.string().nullish(),
    raw: z.string(),
    namespace: z.string(),
    sub_namespace: z.string().nullish(),
    permission: z.string(),
    value: z.string().default("allow"),
  }),
);

const members = {
  id: z.string(),
  name: z.string(),
  principal: z.string(),
  user_id: z.string().nullish(),
  token_prefix: z.string(),
  scopes: z.array(scope).optional(),
  created_at: z.int(),
  expires_at: z.int().nullish(),
  last_used_at: z.int().nullish(),
  revoked_at: z.int().nullish(),
  created_by: z.string().nullish(),
};

const account = named("ServiceAccountResponse", z.object(members));

/** An account with its token. */
export const createdAccount: z.ZodType = named(
  "ServiceAccountCreateResponse",
  z.object({ ...members, token: z.string() }),
);

/** A page of accounts. */
export const accountPage: z.ZodType = named(
  "PaginatedResponse_ServiceAccountResponse_",
  z.object({ data: z.array(account), meta: pageInfo }),
);

/** The wire form of an account. */
export function toAccountRecord(stored: ServiceAccount): Record<string, unknown> {
  return {
    id: stored.id,
    name: stored.name,
    principal: servicePrincipalId(stored),
    user_id: stored.createdBy,
    token_prefix: stored.tokenPrefix,
    scopes: stored.scopes.map(toScopeRecord),
    created_at: seconds(stored.createdAt),
    expires_at: secondsOrNull(stored.expiresAt),
    last_used_at: secondsOrNull(stored.lastUsedAt),
    revoked_at: secondsOrNull(stored.revokedAt),
    created_by: stored.createdBy,
  } satisfies z.input<typeof account>;
}

/** `GET /service-accounts`. */
export function toAccountPage(accounts: readonly ServiceAccount[], facts: PageFacts): Record<string, unknown> {
  return { data: accounts.map(toAccountRecord), meta: toPageInfo(facts) };
}

function toScopeRecord(raw: string): z.input<typeof scope> {
  const [namespace = "", ...rest] = raw.split(":");
  const subNamespace = rest.length > 1 ? rest.slice(0, -1).join(":") : null;
  const permission = rest.at(-1) ?? "";
  return { id: null, raw, namespace, sub_namespace: subNamespace, permission, value: "allow" };
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

function secondsOrNull(milliseconds: number | null): number | null {
  return milliseconds === null ? null : seconds(milliseconds);
}
