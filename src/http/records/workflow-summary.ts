/** A workflow in short. */
import { z } from "zod";
import type { Workflow } from "../../define/workflow-types.ts";
import { named } from "../named-schemas.ts";
import { database } from "./database.ts";

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

/** As lists and the configuration show it. */
export function summariseWorkflow({ id, name, description }: Workflow): Record<string, unknown> {
  return {
    id,
    name,
    ...(description ? { description } : {}),
    db_id: database.id,
    is_factory: false,
    is_component: false,
  };
}
