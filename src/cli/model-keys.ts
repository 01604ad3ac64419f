import { modelName } from "../define/model-name.ts";
import type { Platform } from "../define/platform.ts";
import { allComponents } from "../define/within.ts";

/** Environment variables for the keys of providers that a model string can name. */
const keys: Readonly<Record<string, string>> = { openai: "OPENAI_API_KEY", anthropic: "ANTHROPIC_API_KEY" };

/** Returns a message for each component whose model is a string and has no key in the environment. */
export function missingKeys(platform: Platform): readonly string[] {
  return allComponents(platform).flatMap(({ kind, id, model }) => {
    const key = typeof model === "string" ? keys[modelName(model).provider] : undefined;
    const isMissing = key !== undefined && !process.env[key];
    return isMissing ? [`The ${kind} "${id}" has the model ${model}, and ${key} is not set.`] : [];
  });
}
