import type { LanguageModelV3, LanguageModelV4 } from "@ai-sdk/provider";

/** A model: any AI SDK language model, or `provider:model` (`openai:gpt-5.2`), resolved at start-up. */
export type Model = LanguageModelV4 | LanguageModelV3 | string;
