/** What routes demand, where the operator has redefined it. */
import type { ScopeMappings } from "../model/authorization.ts";

/** A route as mappings name it: `GET`, `/agents/{agent_id}`. */
export interface RouteName {
  readonly method: string;
  readonly path: string;
}

/**
 * The scopes that mappings give a route; undefined where none of them is about it. The route's own path wins over patterns, a longer pattern over
 * a shorter one. In a pattern `*` is one part of the path. At its end, except for POST, it stands for all that follows, too.
 */
export function mappedScopes(mappings: ScopeMappings, route: RouteName): readonly string[] | undefined {
  const keys = Object.keys(mappings).filter((key) => covers(key, route));
  keys.sort((one, other) => closeness(other, route) - closeness(one, route));
  return keys[0] === undefined ? undefined : mappings[keys[0]];
}

/** Mappings that are about none of the routes: misspelled, or of a route that does not exist here. */
export function unusedMappings(mappings: ScopeMappings, routes: readonly RouteName[]): readonly string[] {
  return Object.keys(mappings).filter((key) => !routes.some((route) => covers(key, route)));
}

function covers(key: string, { method, path }: RouteName): boolean {
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

function closeness(key: string, { method, path }: RouteName): number {
  return key === `${method} ${path}` ? Number.POSITIVE_INFINITY : key.length;
}
