/** One interface for models of the AI SDK specifications v4 and v3; v3 represents files differently. */
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolApprovalResponsePart,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";

/** Options of one model call, as the newer specification defines them. */
export type CallOptions = LanguageModelV4CallOptions;
/** A part of a model's streamed answer; includes the parts of v3. */
export type StreamPart = LanguageModelV4StreamPart;

type LanguageModelV4ToolMessagePart = LanguageModelV4ToolResultPart | LanguageModelV4ToolApprovalResponsePart;

/** A model of any supported specification. */
export interface CallableModel {
  /** The provider's name for it (`model` on the wire). */
  readonly id: string;
  /** The provider's short name (`model_provider` on the wire): `OpenAI`. */
  readonly provider: string;
  /** Provider and kind of API, as the metrics' details name it: `OpenAI Chat`. */
  readonly providerLabel: string;
  /** Provider and kind of API, as the AI SDK names it: `openai.chat`. */
  readonly providerId: string;
  stream(options: CallOptions): PromiseLike<{ readonly stream: ReadableStream<StreamPart> }>;
}

/** Names that differ from the capitalised provider id. */
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

/** Display name of a model's provider: `openai.responses` gives `OpenAI`. */
export function nameOfProvider(provider: string): string {
  const [id = ""] = provider.split(".");
  return spelled[id.toLowerCase()] ?? capitalised(id);
}

/** The names of a model. @param providerId provider and kind of API, as the AI SDK names it */
export function namesOfModel(providerId: string, id: string): Omit<CallableModel, "stream"> {
  const provider = nameOfProvider(providerId);
  const kind = providerId.split(".").slice(1).join(" ");
  return { id, provider, providerLabel: kind ? `${provider} ${capitalised(kind)}` : provider, providerId };
}

/** Converts a model to the interface that the loops call. */
export function toCallableModel(model: LanguageModelV3 | LanguageModelV4): CallableModel {
  return {
    ...namesOfModel(model.provider, model.modelId),
    stream:
      model.specificationVersion === "v4"
        ? (options) => model.doStream(options)
        : async (options) => ({ stream: (await model.doStream(toV3(options))).stream as ReadableStream<StreamPart> }),
  };
}

function toV3({ reasoning: _, ...options }: CallOptions): LanguageModelV3CallOptions {
  return { ...options, prompt: promptToV3(options.prompt) } as LanguageModelV3CallOptions;
}

/** Files are tagged in v4 and untagged in v3; everything else in our prompts is the same. */
function promptToV3(prompt: LanguageModelV4Prompt): LanguageModelV3CallOptions["prompt"] {
  const messages = prompt.map((message) => {
    if (message.role === "tool") return { ...message, content: message.content.map(resultToV3) };
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

function resultToV3<Part extends LanguageModelV4ToolMessagePart>(part: Part): unknown {
  if (part.type !== "tool-result" || part.output.type !== "content") return part;
  const value = part.output.value.map((item) => {
    if (item.type !== "file") return item;
    const { data, mediaType, filename } = item;
    if (data.type === "url") return { type: "file-url", url: data.url.href };
    if (data.type !== "data")
      throw new TypeError(`A file of kind "${data.type}" has no form in the older specification.`);
    if (mediaType.startsWith("image/")) return { type: "image-data", data: data.data, mediaType };
    return { type: "file-data", data: data.data, mediaType, ...(filename === undefined ? {} : { filename }) };
  });
  return { ...part, output: { type: "content", value } };
}

function capitalised(words: string): string {
  return words.replace(/[-_]+/g, " ").replace(/(^|\s)\p{L}/gu, (letter) => letter.toUpperCase());
}
