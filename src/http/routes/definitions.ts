/** The route of the definitions in code, which versions of components replace. */
import { z } from "zod";
import { type Definition, definitionsOf, partNames } from "../../define/configuration/definitions.ts";
import { named } from "../input/named-schemas.ts";
import { type Route, route } from "../transport/route.ts";
import { usualErrors } from "../transport/statuses.ts";

const names = z.array(z.string());

const definition = z.object({
  component_id: z.string(),
  component_type: z.enum(["agent", "team", "workflow"]),
  name: z.string(),
  config: z.record(z.string(), z.unknown()).describe("The options as a config; functions and steps are omitted."),
});

const definitions = z.object({
  components: z.array(named("ComponentDefinition", definition)),
  parts: z
    .object({ models: names, tools: names, schemas: names, functions: names, guardrails: names, knowledge: names })
    .describe("The names of the parts that configs can name."),
});

const answer: z.ZodType = named("ComponentDefinitions", definitions);

export const definitionRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/definitions",
    access: { resource: "components", action: "read" },
    operation: {
      id: "get_definitions",
      tag: "Components",
      summary: "List the components that code defines, and the parts that configs can name",
      security: "bearer",
      success: { 200: { description: "The definitions", json: answer } },
      errors: usualErrors,
    },
    handle: ({ services: { platform } }) =>
      ({
        components: definitionsOf(platform).map(toRecord),
        parts: partNames(platform),
      }) satisfies z.input<typeof definitions>,
  }),
];

function toRecord({ kind, id, name, config }: Definition): z.input<typeof definition> {
  return { component_id: id, component_type: kind, name, config: { ...config } };
}
