/** One shape for models of both specifications of the AI SDK that count today: v4 as it is, v3 with its own form of files. */
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";

/** Options of one model call, in the words of the newer specification. */
export type CallOptions = LanguageModelV4CallOptions;
/** A part of a model's streamed answer; those of v3 are among them. */
export type StreamPart = LanguageModelV4StreamPart;

/** A model, whatever its specification. */
export interface CallableModel {
  /** The provider's name of it (`model` on the wire). */
  readonly id: string;
  /** Who provides it, in short (`model_provider` on the wire): `OpenAI`. */
  readonly provider: string;
  /** Provider and kind of interface, as the details of the metrics name it: `OpenAI Chat`. */
  readonly providerLabel: string;
  stream(options: CallOptions): PromiseLike<{ readonly stream: ReadableStream<StreamPart> }>;
}

/** Names that are not just the provider's id with a capital letter. */
const spelled: Readonly<Record<string, string>> = {
  openai: "OpenAI",
  "openai-compatible": "OpenAI-compatible",
  "amazon-bedrock": "AWS Bedrock",
  deepseek: "DeepSeek",
  deepinfra: "DeepInfra",
  huggingface: "HuggingFace",
  lmstudio: "LM Studio",
  openrouter: "OpenRouter",
  togetherai: "Together",
  vllm: "vLLM",
  xai: "xAI",
};

/** Name for people of a model's provider: `openai.responses` gives `OpenAI`. */
export function nameOfProvider(provider: string): string {
  const [id = ""] = provider.split(".");
  return spelled[id.toLowerCase()] ?? capitalised(id);
}

/** The model in the one shape that the loops call. */
export function toCallableModel(model: LanguageModelV3 | LanguageModelV4): CallableModel {
  const provider = nameOfProvider(model.provider);
  const kind = model.provider.split(".").slice(1).join(" ");
  return {
    id: model.modelId,
    provider,
    providerLabel: kind ? `${provider} ${capitalised(kind)}` : provider,
    stream:
      model.specificationVersion === "v4"
        ? (options) => model.doStream(options)
        : async (options) => ({ stream: (await model.doStream(toV3(options))).stream as ReadableStream<StreamPart> }),
  };
}

function toV3({ reasoning: _, ...options }: CallOptions): LanguageModelV3CallOptions {
  return { ...options, prompt: promptToV3(options.prompt) } as LanguageModelV3CallOptions;
}

/** Files are tagged in v4 and bare in v3; everything else that our prompts hold is the same. */
function promptToV3(prompt: LanguageModelV4Prompt): LanguageModelV3CallOptions["prompt"] {
  const messages = prompt.map((message) => {
    if (message.role !== "user") return message;
    const content = message.content.map((part) => {
      if (part.type !== "file") return part;
      const { data } = part;
      if (data.type === "data") return { ...part, data: data.data };
      if (data.type === "url") return { ...part, data: data.url };
      throw new TypeError(`A file of kind "${data.type}" has no form in the older specification.`);
    });
    return { ...message, content };
  });
  return messages as LanguageModelV3CallOptions["prompt"];
}

function capitalised(words: string): string {
  return words.replace(/[-_]+/g, " ").replace(/(^|\s)\p{L}/gu, (letter) => letter.toUpperCase());
}
