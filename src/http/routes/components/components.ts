/** Routes that describe components. */
import { z } from "zod";
import { isRemote } from "../../../define/remote.ts";
import {
  componentResponses,
  listedComponents,
  toComponentResponse,
  toListedComponent,
} from "../../records/components.ts";
import { componentPath, versionQuery } from "../../requests/queries.ts";
import { tokenIn } from "../../transport/guard.ts";
import type { Kind } from "../../transport/kinds.ts";
import { type Call, type Route, route } from "../../transport/route.ts";
import { usualErrors } from "../../transport/statuses.ts";

/** Routes for the list of a kind's components, and for one of them. */
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
        summary: `List the hosted ${plural}`,
        security: "bearer",
        success: { 200: { description: tag, json: z.array(listedComponents[name]) } },
        errors: usualErrors,
      },
      handle: ({ services: { registry, platform } }) =>
        registry.hosted
          .filter((entry) => entry.kind === name)
          .map((entry) => toListedComponent(entry, platform.databaseId)),
    }),
    route({
      method: "GET",
      path: `/${plural}/{${idParam}}`,
      access: { resource: plural, action: "read", idParam },
      operation: {
        id: `get_${name}`,
        tag,
        summary: `Get one ${name}`,
        security: "bearer",
        success: { 200: { description: kind.title, json: componentResponses[name] } },
        errors: [...usualErrors, 502],
      },
      pathParams: componentPath(idParam),
      ...(name === "workflow" && { query: versionQuery }),
      handle: (call) => describe(kind, call),
    }),
  ];
}

/** The remote server supplies the description of its component; the id is replaced by the id on this server. */
async function describe(
  kind: Kind,
  { services, caller, path, request }: Call<{ componentId: string }, undefined, undefined>,
): Promise<unknown> {
  const entry = services.runs.component({ ...path, kind: kind.name });
  if (!isRemote(entry)) {
    const listed = await services.runs.listTools(caller, entry);
    return toComponentResponse(entry, services.platform.databaseId, listed);
  }
  const shown = await services.runs.describeRemote(caller, entry, tokenIn(request));
  return { ...shown, id: entry.id };
}
