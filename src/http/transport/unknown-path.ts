/** Answers requests that no route serves: the path is unknown, or known with other methods only. */
import { TroupeError } from "../../errors.ts";
import type { Route } from "./route.ts";

/** Finds the methods of a path. */
export interface KnownPaths {
  methodsOf(path: string): readonly string[];
}

export function knownPaths(routes: readonly Route[]): KnownPaths {
  const byPattern = new Map<string, string[]>();
  for (const { method, path, head } of routes) {
    const pattern = `^${path
      .replaceAll(/[.*+?^$|()[\]\\]/g, "\\$&")
      .replaceAll(/\{\w+\}/g, "[^/]+")
      .replaceAll("\\*", ".+")}$`;
    byPattern.set(pattern, [...(byPattern.get(pattern) ?? []), String(method), ...(head ? ["HEAD"] : [])]);
  }
  const known = [...byPattern].map(([pattern, methods]) => ({ pattern: new RegExp(pattern), methods: methods.sort() }));
  return { methodsOf: (path) => known.find(({ pattern }) => pattern.test(path))?.methods ?? [] };
}

/** The error for a request that no route serves; `allow` lists the methods of the path. */
export function refusalOf(path: string, known: KnownPaths): { error: TroupeError; allow: string | undefined } {
  const methods = known.methodsOf(path);
  if (methods.length === 0) return { error: new TroupeError("notFound", "Not Found"), allow: undefined };
  return { error: new TroupeError("methodNotAllowed", "Method Not Allowed"), allow: methods.join(", ") };
}
