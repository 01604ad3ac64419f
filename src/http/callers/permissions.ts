/** The routes that a caller may use. */
import type { AccessControl } from "../../auth/access-control.ts";
import { TroupeError } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";
import { isOpen, type RouteAccess } from "./route-access.ts";

/** A route that a caller may use. */
export interface Permission {
  readonly method: string;
  readonly path: string;
  /** Ids of the components that the caller may use it for; null if its scopes are not limited to components. */
  readonly components: readonly string[] | null;
}

interface DeclaredRoute {
  readonly method: string | readonly string[];
  readonly path: string;
  readonly access: RouteAccess;
}

/** Returns the routes that the caller may use. Routes that require no scope are omitted. */
export function permissionsOf(
  gate: Pick<AccessControl, "check" | "requiredScopesOf">,
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
    const isPermitted = (id?: string): boolean =>
      demands.some((demand) => {
        try {
          gate.check(caller, demand, id);
          return true;
        } catch (error) {
          if (error instanceof TroupeError) return false;
          throw error;
        }
      });
    if (isPermitted()) return [{ ...route, components: null }];
    const some = access.idParam || access.lists ? [...ids].filter((id) => id !== "*" && isPermitted(id)) : [];
    return some.length > 0 ? [{ ...route, components: some }] : [];
  });
}
