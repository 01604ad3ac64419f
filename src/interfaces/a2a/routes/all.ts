/** Every route of A2A. */
import { kinds } from "../../../http/transport/kinds.ts";
import type { Route } from "../../../http/transport/route.ts";
import type { A2aOptions } from "../../../model/a2a.ts";
import type { Log } from "../../../model/runtime.ts";
import { restRoutes } from "../standard/rest.ts";
import { rpcRoute } from "../standard/rpc.ts";
import { cardRoutes, extendedCard, rootCardRoutes } from "./cards.ts";
import { deprecatedRoutes } from "./deprecated.ts";
import { keyRoutes } from "./keys.ts";
import { messageRoutes } from "./messages.ts";

/** The platform's A2A routes; empty if A2A is off. Logs a warning for options without an effect. */
export function a2aRoutes({ a2a }: { readonly a2a: A2aOptions | false }, log?: Pick<Log, "warn">): readonly Route[] {
  if (a2a === false) return [];
  const extended = extendedCard(a2a);
  return [
    ...Object.values(kinds).flatMap((kind) => [
      ...messageRoutes(kind),
      ...cardRoutes(kind, a2a),
      rpcRoute(kind, extended),
      ...restRoutes(kind, extended),
    ]),
    ...deprecatedRoutes,
    ...rootCardRoutes(a2a),
    ...keyRoutes(a2a, log),
  ];
}
