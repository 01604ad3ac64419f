/** Token usage of a request: the sum of its model requests, by provider and model. */
import type { TokenUsage } from "./protocol.ts";

/** Names of the counts, in events of the log and in AG-UI. */
const counts = {
  input_tokens: "inputTokens",
  output_tokens: "outputTokens",
  total_tokens: "totalTokens",
  reasoning_tokens: "reasoningTokens",
  cache_read_tokens: "cachedInputTokens",
  cache_write_tokens: "cacheWriteInputTokens",
} as const;

export class UsageCount {
  readonly #entries = new Map<string, TokenUsage>();

  /** Adds the counts of a `ModelRequestCompleted` event. */
  add(event: object): void {
    const fields = event as Readonly<Record<string, unknown>>;
    const given = Object.entries(counts).filter(([name]) => typeof fields[name] === "number");
    if (given.length === 0) return;
    const { model, model_provider: provider } = fields;
    const key = JSON.stringify([provider, model]);
    const entry: TokenUsage = this.#entries.get(key) ?? {
      ...(typeof provider === "string" && { provider }),
      ...(typeof model === "string" && { model }),
    };
    for (const [name, count] of given) entry[count] = (entry[count] ?? 0) + (fields[name] as number);
    this.#entries.set(key, entry);
  }

  /** In the order of their first request. */
  entries(): TokenUsage[] {
    return [...this.#entries.values()];
  }
}
