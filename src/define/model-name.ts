import type { Model } from "./component.ts";

/** A model by its name: of the text `provider:model`, or as the model itself says. */
export interface ModelName {
  /** `openai`; of a model object the interface by which it is reached: `openai.responses`. */
  readonly provider: string;
  /** `gpt-5.2`. */
  readonly id: string;
}

/** The name of a component's model. */
export function modelName(model: Model): ModelName {
  if (typeof model !== "string") return { provider: model.provider, id: model.modelId };
  const colon = model.indexOf(":");
  return { provider: model.slice(0, colon), id: model.slice(colon + 1) };
}
