/** What scopes open, and which of them the caller may pass on. The server has the last word. */
import type { Me } from "../../session/me.ts";

export type Permission = Me["permissions"][number];

/** Routes by the scopes that they require together. */
export function routesByScope(
  permissions: readonly Permission[],
): readonly (readonly [string, readonly Permission[]])[] {
  const groups = Map.groupBy(permissions, ({ scopes }) => [...scopes].sort().join(" and ") || "no scope");
  return [...groups].sort(([one], [other]) => one.localeCompare(other));
}

/** Returns the ids of the components for which the scopes satisfy a required scope; `all` without such a limit, undefined if they do not satisfy it. */
function reachOf(granted: readonly string[], required: string): "all" | readonly string[] | undefined {
  const wanted = currentName(required);
  const [resource, action, ...more] = wanted.split(":");
  const held = granted.map(currentName);
  if (held.includes(wanted)) return "all";
  if (action === undefined || more.length > 0) return undefined;
  const ids = held.flatMap((scope) => {
    const [itsResource, id, itsAction, ...rest] = scope.split(":");
    return itsResource === resource && itsAction === action && rest.length === 0 && id ? [id] : [];
  });
  if (ids.includes("*")) return "all";
  return ids.length > 0 ? ids : undefined;
}

/** `system` is a former name of `config`. */
function currentName(scope: string): string {
  return scope.startsWith("system:") ? `config:${scope.slice("system:".length)}` : scope;
}

/** Returns the routes among `known` that scopes open. */
export function opened(known: readonly Permission[], granted: readonly string[]): readonly Permission[] {
  return known.flatMap((permission): readonly Permission[] => {
    const reaches = permission.scopes.map((required) => reachOf(granted, required));
    if (reaches.includes(undefined)) return [];
    const limited = reaches.flatMap((reach) => (Array.isArray(reach) ? [reach as readonly string[]] : []));
    if (limited.length === 0) return [{ ...permission, components: null }];
    // A scope for one component opens only routes about one component.
    if (!/\{(agent|team|workflow)_id\}|^\/(agents|teams|workflows)$/.test(permission.path)) return [];
    return [{ ...permission, components: [...(limited[0] ?? [])] }];
  });
}

/** Scopes that the caller may grant: its own, and those that its routes require. An admin may grant any other scope, too. */
export function grantableScopes(me: Me): readonly string[] {
  const required = me.permissions.flatMap(({ scopes, components }) => (components ? [] : scopes));
  return [...new Set([...me.scopes, ...required])].sort();
}

/** Whether the caller may grant a scope: a grantable one, or one of them for a single component. */
export function mayGrant(me: Me, grantable: readonly string[], scope: string): boolean {
  if (me.is_admin || grantable.includes(scope)) return true;
  const [resource, id, action, ...more] = scope.split(":");
  if (!id || !action || more.length > 0) return false;
  return grantable.includes(`${resource}:${action}`) || grantable.includes(`${resource}:*:${action}`);
}

const unprivileged: ReadonlySet<string> = new Set(["read", "run"]);

/** Whether the server requires a confirmation for a scope: it changes or deletes data, administers, or is a name of the operator. */
export function isPrivileged(scope: string): boolean {
  const parts = scope.split(":");
  const [resource] = parts;
  return parts.length < 2 || resource === "service_accounts" || !unprivileged.has(parts.at(-1) ?? "");
}
