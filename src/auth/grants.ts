/** The scopes that a caller may grant to a service account. */
import { TroupeError } from "../errors.ts";
import type { Principal } from "../model/principal.ts";
import { defaultAdminScope, parseScope, satisfies, unheldScopes } from "./scopes.ts";

/** Scopes to grant. */
export interface ScopeGrant {
  readonly scopes: readonly string[];
  /** Whether the request explicitly permits privileged scopes: scopes that change or delete data, and admin scopes. */
  readonly allowsPrivileged: boolean;
}

/** Scope names outside the default vocabulary. */
export interface CustomScopes {
  readonly adminScope: string;
  /** Scopes that mappings require. */
  readonly mapped: ReadonlySet<string>;
}

/**
 * @throws TroupeError `badRequest` for unknown scopes and for privileged ones without `allowsPrivileged`, `forbidden` for scopes that the caller
 * does not hold
 */
export function checkGrant(caller: Principal, { scopes, allowsPrivileged }: ScopeGrant, names: CustomScopes): void {
  const unknown = scopes.filter(
    (scope) => !isAdminScope(scope, names) && !names.mapped.has(scope) && !parseScope(scope),
  );
  if (unknown.length > 0) throw new TroupeError("badRequest", `Invalid scope(s): ${unknown.join(", ")}`);
  const privileged = scopes.filter((scope) => isPrivileged(scope, names));
  if (privileged.length > 0 && !allowsPrivileged) {
    const list = privileged.join(", ");
    throw new TroupeError(
      "badRequest",
      `Privileged scope(s) require allow_privileged_scopes=true: ${list}. Privileged tokens must be deliberate, never accidental.`,
    );
  }
  const notHeld = scopes.filter((scope) => !isHeld(caller, scope, names));
  if (notHeld.length > 0) {
    throw new TroupeError("forbidden", `Cannot grant scope(s) you do not hold: ${notHeld.join(", ")}`);
  }
}

/** No wider scope includes an admin scope, or a scope that mappings require literally: a caller must hold exactly that scope. */
function isHeld(caller: Principal, scope: string, names: CustomScopes): boolean {
  if (caller.isAdmin) return true;
  if (isAdminScope(scope, names)) return false;
  const isLiteral = names.mapped.has(scope) && scope.split(":").length !== 2;
  return isLiteral ? satisfies(caller.scopes, scope) : unheldScopes(caller, [scope]).length === 0;
}

/** The effect of the operator's own scope names is unknown, so they count as privileged. */
function isPrivileged(scope: string, names: CustomScopes): boolean {
  const parts = parseScope(scope);
  if (isAdminScope(scope, names) || parts === undefined) return true;
  return parts.resource === "service_accounts" || parts.action === "write" || parts.action === "delete";
}

function isAdminScope(scope: string, { adminScope }: CustomScopes): boolean {
  return scope === adminScope || scope === defaultAdminScope;
}
