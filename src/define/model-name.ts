import type { Model } from "./component.ts";

/** The name of a model: parsed from the string `provider:model`, or read from a model object. */
export interface ModelName {
  /** For instance `openai`; for a model object it includes the API that the object uses: `openai.responses`. */
  readonly provider: string;
  /** For instance `gpt-5.2`. */
  readonly id: string;
}

export function modelName(model: Model): ModelName {
  if (typeof model !== "string") return { provider: model.provider, id: model.modelId };
  const colon = model.indexOf(":");
  return { provider: model.slice(0, colon), id: model.slice(colon + 1) };
}

/** The name of a model as a string: `openai:gpt-5.2`, without the API that a model object uses. */
export function modelText(model: Model): string {
  return typeof model === "string" ? model : `${model.provider.split(".")[0]}:${model.modelId}`;
}
