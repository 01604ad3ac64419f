/** Models in the form of summaries. */
import { z } from "zod";
import type { Component, Entry } from "../../define/platform.ts";
import { isOwn } from "../../define/registry.ts";
import { modelId, providerName } from "../../engine/model-call/models.ts";
import { named } from "../input/named-schemas.ts";

/** The short form of a model. */
export interface ModelSummary {
  readonly id?: string | null | undefined;
  readonly provider?: string | null | undefined;
}

export const modelSummary: z.ZodType<ModelSummary> = named(
  "Model",
  z.object({ id: z.string().nullish(), provider: z.string().nullish() }),
);

/** The short form of a component's model. */
export function toModelSummary({ model }: Component): ModelSummary {
  return { id: modelId(model), provider: providerName(model) };
}

/** `GET /models`: the distinct models of the agents and teams of a platform. */
export function toModelList(hosted: readonly Entry[]): readonly ModelSummary[] {
  const components = hosted.filter(isOwn).filter((one) => one.kind !== "workflow");
  const distinct = new Map<string, ModelSummary>();
  for (const component of components) {
    const summary = toModelSummary(component);
    distinct.set(JSON.stringify(summary), summary);
  }
  return [...distinct.values()];
}
