import { modelName } from "../define/model-name.ts";
import type { Platform } from "../define/platform.ts";
import { allComponents } from "../define/within.ts";

/** Where providers that can be named by text look for their key. */
const keys: Readonly<Record<string, string>> = { openai: "OPENAI_API_KEY", anthropic: "ANTHROPIC_API_KEY" };

/** For each component whose model is named by text and has no key in the environment, what is missing. */
export function missingKeys(platform: Platform): readonly string[] {
  return allComponents(platform).flatMap(({ kind, id, model }) => {
    const key = typeof model === "string" ? keys[modelName(model).provider] : undefined;
    const isMissing = key !== undefined && !process.env[key];
    return isMissing ? [`The ${kind} "${id}" has the model ${model}, and ${key} is not set.`] : [];
  });
}
