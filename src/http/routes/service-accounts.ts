/** Routes of service accounts: programs that call with their own token. */
import type { FastifyReply } from "fastify";
import { TroupeError } from "../../errors.ts";
import { hasCredential } from "../../model/principal.ts";
import { makeServiceToken } from "../callers/service-token.ts";
import { accountPage, createdAccount, toAccountPage, toAccountRecord } from "../records/service-accounts.ts";
import {
  type AccountList,
  accountListQuery,
  accountPath,
  type NewAccount,
  newAccount,
} from "../requests/service-accounts.ts";
import { type Access, type Call, type Operation, type Route, route } from "../transport/route.ts";
import { bodyErrors, storedErrors } from "../transport/statuses.ts";

const day = 24 * 3_600_000;

const access = (action: "read" | "write" | "delete"): Access => ({ resource: "service_accounts", action });
const described = { tag: "Service Accounts", security: "bearer", faults: "list" } as const satisfies Partial<Operation>;

export const serviceAccountRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/service-accounts",
    access: access("write"),
    operation: {
      ...described,
      id: "create_service_account_service_accounts_post",
      summary: "Create a service account; only this response contains its token",
      success: { 201: { description: "The account and its token", json: createdAccount } },
      errors: [...bodyErrors, 409],
    },
    body: newAccount,
    handle: create,
  }),
  route({
    method: "GET",
    path: "/service-accounts",
    access: access("read"),
    operation: {
      ...described,
      id: "list_service_accounts_service_accounts_get",
      summary: "List service accounts, in pages",
      success: { 200: { description: "Accounts, without their tokens", json: accountPage } },
      errors: storedErrors,
    },
    query: accountListQuery,
    handle: list,
  }),
  route({
    method: "DELETE",
    path: "/service-accounts/{service_account_id}",
    access: access("delete"),
    operation: {
      ...described,
      id: "revoke_service_account_service_accounts__service_account_id__delete",
      summary: "Revoke a service account: within 30 seconds every process rejects its token",
      success: { 204: { description: "Revoked" } },
      errors: storedErrors,
    },
    pathParams: accountPath,
    handle: revoke,
  }),
];

async function create({ services, caller, body, reply }: Call<undefined, undefined, NewAccount>): Promise<unknown> {
  const { gate, accounts, runtime } = services;
  if (!hasCredential(caller)) {
    throw new TroupeError("unauthenticated", "JWT authentication is required to mint a service account.");
  }
  const { name, scopes, allowsPrivileged, expiresInDays } = body;
  gate.checkGrant(caller, { scopes, allowsPrivileged });
  const { token, ...kept } = makeServiceToken();
  const createdAt = runtime.clock.now();
  const account = {
    ...{ id: runtime.randomness.uuid(), name, ...kept, scopes, createdBy: caller.userId, createdAt },
    claims: caller.claims ?? null,
    expiresAt: expiresInDays === null ? null : createdAt + expiresInDays * day,
    ...{ lastUsedAt: null, revokedAt: null },
  };
  if ((await accounts.create(caller, account)) === "exists") {
    const advice = "Revoke it first to rotate.";
    throw new TroupeError("conflict", `An active service account named '${name}' already exists. ${advice}`);
  }
  reply.code(201).header("cache-control", "no-store");
  return { ...toAccountRecord(account), token };
}

async function list({ services, caller, query }: Call<undefined, AccountList, undefined>): Promise<unknown> {
  const { clock } = services.runtime;
  const begun = clock.monotonic();
  const { accounts, total } = await services.accounts.list(caller, query.query);
  const { page } = query;
  const { limit } = query.query;
  return toAccountPage(accounts, { page, limit, total, milliseconds: clock.monotonic() - begun });
}

async function revoke({
  services,
  caller,
  path,
  reply,
}: Call<{ accountId: string }, undefined, undefined>): Promise<FastifyReply> {
  const { gate, accounts, runtime } = services;
  const revoked = await accounts.revoke(caller, path.accountId, runtime.clock.now());
  if (!revoked) throw new TroupeError("notFound", `Service account '${path.accountId}' not found`);
  gate.forget(path.accountId);
  return reply.code(204).send();
}
