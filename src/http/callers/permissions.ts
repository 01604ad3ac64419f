/** The routes that a caller may use. */
import type { AccessControl } from "../../auth/access-control.ts";
import { TroupeError } from "../../errors.ts";
import type { RequiredScopes } from "../../model/authorization.ts";
import type { Principal } from "../../model/principal.ts";
import { isOpen, type RouteAccess } from "./route-access.ts";

/** A route that a caller may use. */
export interface Permission {
  readonly method: string;
  readonly path: string;
  /** Ids of the components that the caller may use it for; null if its scopes are not limited to components. */
  readonly components: readonly string[] | null;
  /** Scopes that the route requires, for a caller with the rules of this one. */
  readonly scopes: readonly string[];
}

interface DeclaredRoute {
  readonly method: string | readonly string[];
  readonly path: string;
  readonly access: RouteAccess;
}

/** Returns the routes that the caller may use. Routes that require no scope are omitted. */
export function permissionsOf(
  gate: Pick<AccessControl, "check" | "requiredScopesOf" | "requiredOf">,
  caller: Principal,
  routes: readonly DeclaredRoute[],
): readonly Permission[] {
  const ids = new Set(
    caller.scopes.map((scope) => scope.split(":")).flatMap(([, id, last]) => (last && id ? [id] : [])),
  );
  return routes.flatMap(({ method, path, access }): readonly Permission[] => {
    if (isOpen(access)) return [];
    const route = { method: String(method), path };
    const actions = access.or ? [access.action, access.or] : [access.action];
    const demands = actions.map((action) => gate.requiredScopesOf({ ...access, action, ...route }));
    const met = (id?: string): RequiredScopes | undefined =>
      demands.find((demand) => {
        try {
          gate.check(caller, demand, id);
          return true;
        } catch (error) {
          if (error instanceof TroupeError) return false;
          throw error;
        }
      });
    const ofAll = met();
    if (ofAll) return [{ ...route, components: null, scopes: gate.requiredOf(caller, ofAll) }];
    const some = access.idParam || access.lists ? [...ids].filter((id) => id !== "*" && met(id)) : [];
    const [first] = some;
    const ofSome = first === undefined ? undefined : met(first);
    return ofSome ? [{ ...route, components: some, scopes: gate.requiredOf(caller, ofSome) }] : [];
  });
}
