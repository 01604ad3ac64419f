/** Every route of A2A. */
import type { Platform } from "../../define/platform.ts";
import type { Route } from "../../http/route.ts";
import { kinds } from "../../http/routes/kinds.ts";
import { cardRoutes, rootCardRoutes } from "./cards.ts";
import { deprecatedRoutes } from "./deprecated.ts";
import { messageRoutes } from "./messages.ts";

/** What the platform serves by A2A; nothing where it does not. */
export function a2aRoutes({ a2a }: Pick<Platform, "a2a">): readonly Route[] {
  if (a2a === false) return [];
  return [
    ...Object.values(kinds).flatMap((kind) => [...messageRoutes(kind), ...cardRoutes(kind, a2a)]),
    ...deprecatedRoutes,
    ...rootCardRoutes(a2a),
  ];
}
