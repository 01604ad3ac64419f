/** The route that describes the caller. */
import { permissionsOf } from "../callers/permissions.ts";
import { meResponse, toMe } from "../records/me.ts";
import { type Route, route } from "../transport/route.ts";

export const meRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/me",
    access: "caller",
    operation: {
      id: "get_me",
      tag: "Core",
      summary: "Get the caller with its scopes and the routes that it may use",
      security: "bearer",
      success: { 200: { description: "The caller", json: meResponse } },
      errors: [401, 500],
    },
    handle: ({ services, caller, request }) =>
      toMe(caller, permissionsOf(services.gate, caller, request.server.routes)),
  }),
];
