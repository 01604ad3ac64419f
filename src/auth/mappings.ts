/** Scope mappings: the operator's scopes for routes, instead of the default ones. */
import type { ScopeMappings } from "../model/authorization.ts";

/** A route as named in mappings: `GET`, `/agents/{agent_id}`. */
export interface RouteName {
  readonly method: string;
  readonly path: string;
}

/**
 * Returns the scopes that mappings give a route; undefined if no mapping matches. The exact path wins over patterns, and a longer pattern
 * over a shorter one. In a pattern `*` matches one path segment; at the end, except for POST, it also matches all further segments.
 */
export function mappedScopes(mappings: ScopeMappings, route: RouteName): readonly string[] | undefined {
  const keys = Object.keys(mappings).filter((key) => matches(key, route));
  keys.sort((one, other) => specificity(other, route) - specificity(one, route));
  return keys[0] === undefined ? undefined : mappings[keys[0]];
}

/** Returns the mappings that match no route: misspelled ones, and those for routes that do not exist here. */
export function unusedMappings(mappings: ScopeMappings, routes: readonly RouteName[]): readonly string[] {
  return Object.keys(mappings).filter((key) => !routes.some((route) => matches(key, route)));
}

function matches(key: string, { method, path }: RouteName): boolean {
  const [wanted, pattern = ""] = key.split(" ");
  if (wanted !== method) return false;
  if (pattern === path) return true;
  const open = method === "POST" ? "[^/]+" : ".+";
  const text = pattern
    .replaceAll(/[.+?^$|()[\]\\{}]/g, "\\$&")
    .replace(/\*$/, "\u0000")
    .replaceAll("*", "[^/]+")
    .replace("\u0000", open);
  return new RegExp(`^${text}$`).test(path);
}

function specificity(key: string, { method, path }: RouteName): number {
  return key === `${method} ${path}` ? Number.POSITIVE_INFINITY : key.length;
}
