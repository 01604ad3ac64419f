/** The short form of a workflow. */
import { z } from "zod";
import { versionOf } from "../../define/configuration/versions.ts";
import { type Factory, isFactory } from "../../define/factory.ts";
import { shownShape } from "../../define/json-shape.ts";
import type { Remote } from "../../define/remote.ts";
import type { Workflow } from "../../define/workflow/types.ts";
import { named } from "../input/named-schemas.ts";

const text = z.string().nullish();

export const workflowSummary: z.ZodType = named(
  "WorkflowSummaryResponse",
  z.object({
    ...{ id: text, name: text, description: text, db_id: text },
    is_factory: z.boolean().default(false),
    factory_input_schema: z.record(z.string(), z.unknown()).nullish(),
    is_component: z.boolean().default(false),
    current_version: z.int().nullish(),
    stage: text,
  }),
);

/** A workflow in the form of lists and of the configuration. */
export function summariseWorkflow(entry: Workflow | Factory | Remote, databaseId: string): Record<string, unknown> {
  const { id, name, description } = entry;
  const input = isFactory(entry) ? entry.input : undefined;
  return {
    id,
    name,
    ...(description ? { description } : {}),
    db_id: databaseId,
    is_factory: isFactory(entry),
    ...(input ? { factory_input_schema: shownShape(input) } : {}),
    ...versionFields(entry),
  };
}

/** The version that a component was built from. Only published versions are in use. */
export function versionFields(entry: object): {
  readonly is_component: boolean;
  readonly current_version?: number;
  readonly stage?: string;
} {
  const version = versionOf(entry);
  return version === undefined
    ? { is_component: false }
    : { is_component: true, current_version: version, stage: "published" };
}
