import type { Model } from "troupe";
import { type DemoRole, scriptedModelFor } from "./scripted-model.ts";

/**
 * Returns a real model if the environment configures one, otherwise a scripted one. `DEMO_MODEL` selects the model, for instance
 * `openai:gpt-5.2`.
 */
export function modelFor(role: DemoRole): Model {
  const { DEMO_MODEL, OPENAI_BASE_URL, OPENAI_API_KEY, ANTHROPIC_API_KEY } = process.env;
  const [provider, name] = OPENAI_BASE_URL
    ? ["openai-compatible", "gpt-5.2"]
    : OPENAI_API_KEY
      ? ["openai", "gpt-5.2"]
      : ANTHROPIC_API_KEY
        ? ["anthropic", "claude-sonnet-5"]
        : [undefined, ""];
  if (DEMO_MODEL?.includes(":") && !OPENAI_BASE_URL) return DEMO_MODEL;
  return provider ? `${provider}:${DEMO_MODEL ?? name}` : scriptedModelFor(role);
}
