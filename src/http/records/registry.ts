/** Parts of a platform in their wire form. */
import { z } from "zod";
import type { RegistryPart } from "../../runs/registry.ts";
import { named } from "../input/named-schemas.ts";
import { pageInfo } from "./pages.ts";

/** The types of parts that the contract knows; a platform does not have parts of all of them. */
export const registryType: z.ZodType<string> = named(
  "RegistryResourceType",
  z.enum([
    ...(["tool", "model", "db", "vector_db", "schema", "function", "agent", "team", "knowledge"] as const),
    ...(["memory_manager", "session_summary_manager"] as const),
  ]),
);

const part = z.object({
  name: z.string(),
  type: registryType,
  id: z.string().nullish(),
  description: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});

/** A page of the registry. */
export const registryPage: z.ZodType = named(
  "PaginatedResponse_RegistryContentResponse_",
  z.object({ data: z.array(named("RegistryContentResponse", part)), meta: pageInfo }),
);

export function toRegistryRecord({ name, type, id, description, metadata }: RegistryPart): Record<string, unknown> {
  return { name, type, ...(id && { id }), ...(description && { description }), metadata } satisfies z.input<
    typeof part
  >;
}
