/** Routes that show components. */
import { z } from "zod";
import { componentResponses, listedComponents, toComponentResponse, toListedComponent } from "../records/components.ts";
import { componentPath, versionQuery } from "../requests/queries.ts";
import { type Route, route } from "../route.ts";
import { hosted, type Kind } from "./kinds.ts";
import { usualErrors } from "./statuses.ts";

/** The list of a kind's components, and one of them. */
export function componentRoutes(kind: Kind): readonly Route[] {
  const { name, plural, idParam, tag } = kind;
  return [
    route({
      method: "GET",
      path: `/${plural}`,
      access: { resource: plural, action: "read", lists: true },
      operation: {
        id: `get_${plural}`,
        tag,
        summary: `The hosted ${plural}`,
        security: "bearer",
        success: { 200: { description: tag, json: z.array(listedComponents[name]) } },
        errors: usualErrors,
      },
      handle: ({ services }) => services.registry.hosted.filter((entry) => entry.kind === name).map(toListedComponent),
    }),
    route({
      method: "GET",
      path: `/${plural}/{${idParam}}`,
      access: { resource: plural, action: "read", idParam },
      operation: {
        id: `get_${name}`,
        tag,
        summary: `One ${name}`,
        security: "bearer",
        success: { 200: { description: kind.title, json: componentResponses[name] } },
        errors: usualErrors,
      },
      pathParams: componentPath(idParam),
      ...(name === "workflow" && { query: versionQuery }),
      handle: ({ services, path }) => toComponentResponse(hosted(services, kind, path.componentId)),
    }),
  ];
}
