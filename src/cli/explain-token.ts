/** Explains whether a server would accept a token, and why. */
import { readFileSync } from "node:fs";
import { AccessControl } from "../auth/access-control.ts";
import type { AccessRules } from "../auth/access-rules.ts";
import type { VerifiedToken } from "../auth/verify-token.ts";
import { ConfigurationError, TroupeError } from "../errors.ts";
import { permissionsOf } from "../http/callers/permissions.ts";
import { interfaceRoutes } from "../http/routes/all.ts";
import { a2aRoutes } from "../interfaces/a2a/routes/all.ts";
import { openAiRoutes } from "../interfaces/openai/routes/all.ts";
import type { Principal } from "../model/principal.ts";
import type { Runtime } from "../model/runtime.ts";
import { isServiceToken, type ServiceAccountStore } from "../model/service-account.ts";

/** @throws ConfigurationError for a rejected token, with the reason and its claims */
export async function explainToken(tokenOrDash: string, rules: AccessRules, runtime: Runtime): Promise<string> {
  const token = (tokenOrDash === "-" ? readFileSync(0, "utf8") : tokenOrDash).trim();
  if (isServiceToken(token)) {
    return "it looks like a service account's: only the database can verify it (last_used_at of GET /service-accounts)";
  }
  if (rules.mode !== "jwt") {
    const why = rules.mode === "none" ? "no authorization" : "the security key only";
    throw new ConfigurationError(`tokens are not checked: there is ${why}\n${claimsOf(token)}`);
  }
  const access = new AccessControl(rules, {} as ServiceAccountStore, runtime);
  try {
    const verified = await access.explain(token);
    const caller = await access.principalOf(token, "");
    return [
      `good: ${describeCaller(verified, caller)}`,
      `verified by ${verified.key.title}`,
      ...allowedRoutes(access, caller),
    ].join("\n");
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    throw new ConfigurationError(
      `refused with ${error.status}: ${error.message}\n${claimsOf(token)}\n${accepted(rules)}`,
    );
  }
}

function describeCaller({ expires }: VerifiedToken, { userId, isAdmin, owner, scopes }: Principal): string {
  const until = expires === undefined ? "never expires" : `expires ${timeOf(expires)}`;
  const space = owner === null ? "" : ", sees its own";
  const may = isAdmin ? "an admin" : scopes.length === 0 ? "no scopes" : `scopes ${scopes.join(", ")}`;
  return `${userId === null ? "nobody by name" : `user ${JSON.stringify(userId)}`}, ${may}${isAdmin ? "" : space}, ${until}`;
}

/** Returns the routes that the caller may use; if its scopes are for single components, with their ids. */
function allowedRoutes(access: AccessControl, caller: Principal): readonly string[] {
  const permissions = permissionsOf(access, caller, [
    ...interfaceRoutes(0),
    ...a2aRoutes({ a2a: {} }),
    ...openAiRoutes({ openai: true }),
  ]);
  const lines = permissions.map(
    ({ method, path, components }) => `  ${method} ${path}${components ? ` (${components.join(", ")})` : ""}`,
  );
  return lines.length === 0 ? ["it opens no route"] : ["it opens:", ...lines];
}

/** Returns the claims of a token without verifying it. */
function claimsOf(token: string): string {
  const [header, payload] = token.split(".").map((part) => parsed(part));
  if (!header || !payload) return "it is no JSON Web Token";
  const { alg, kid } = header;
  const { iss, sub, aud, exp } = payload;
  const shown = Object.entries({ alg, kid, iss, sub, aud }).filter(([, value]) => value !== undefined);
  const times = typeof exp === "number" ? `, exp ${timeOf(exp)}` : "";
  return `it contains: ${shown.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(", ")}${times}`;
}

function accepted({ trustedIssuers }: AccessRules): string {
  const lines = trustedIssuers.map(({ issuer, algorithms, audience, sources, keys, requireExpiration }) => {
    const from = [...sources, ...keys].map(({ title }) => title).join(", ");
    const meant = audience === null ? "for any audience" : `for the audience ${audience.join(" or ")}`;
    return `  ${issuer ?? "any issuer"}: ${algorithms.join(", ")} by ${from}, ${meant}${requireExpiration ? ", with exp" : ""}`;
  });
  return ["accepted are:", ...lines].join("\n");
}

function parsed(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Formats seconds since the epoch for display. */
function timeOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString();
}
