/** The keys by which clients know what this server has signed. */
import type { A2aOptions } from "../../define/a2a.ts";
import { type Route, route } from "../../http/route.ts";
import { keySet } from "../push/sign.ts";

/** The public part of the key that cards and push notifications are signed with; nothing where they are not. */
export function keyRoutes({ signingKey }: A2aOptions): readonly Route[] {
  if (!signingKey) return [];
  const keys = keySet(signingKey);
  return [route({ method: "GET", path: "/.well-known/jwks.json", access: "open", handle: () => keys })];
}
