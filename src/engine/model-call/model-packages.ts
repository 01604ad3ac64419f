/** Models named by text, from the installed provider packages of the AI SDK. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { nearestOf } from "../../define/checks.ts";
import { modelName } from "../../define/model-name.ts";
import { ConfigurationError } from "../../errors.ts";

type Exports = Readonly<Record<string, unknown>>;

/** Inputs for resolving models by text. */
export interface ModelSources {
  /** Variables such as `OPENAI_BASE_URL`; provider packages read their own keys. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The application's folder, whose `node_modules` may contain more provider packages. */
  readonly folder: string;
  /** Imports a package. Default: resolves from this file, then from the folder. */
  readonly load?: (name: string) => Promise<Exports>;
}

interface Provider {
  (model: string): unknown;
  languageModel(model: string): unknown;
  embeddingModel?(model: string): unknown;
  rerankingModel?(model: string): unknown;
}

const notFound = new Set<unknown>(["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"]);

/** Package names of known AI SDK providers, used to suggest a correction for a misspelt name. Other providers work, too. */
const providers = [
  "openai",
  "anthropic",
  "google",
  "google-vertex",
  "amazon-bedrock",
  "azure",
  "mistral",
  "xai",
  "groq",
  "cohere",
  "deepseek",
  "cerebras",
  "perplexity",
  "togetherai",
  "fireworks",
  "deepinfra",
  "baseten",
  "huggingface",
  "moonshotai",
  "alibaba",
  "vercel",
  "gateway",
  "openai-compatible",
];

/**
 * Returns the model for a text of the form `provider:model`.
 * @param title names the component in errors
 * @throws ConfigurationError naming the component, what is missing and the fix
 */
export async function modelFromText(title: string, text: string, sources: ModelSources): Promise<unknown> {
  const { provider, id } = modelName(text);
  const name = `@ai-sdk/${provider}`;
  const loaded = await load(title, text, name, sources);
  if (provider === "openai-compatible")
    return compatibleProvider(title, text, loaded, sources.environment).languageModel(id);
  const ready = readyProvider(title, text, loaded);
  return made(title, text, () => ready.languageModel(id));
}

/** The same for an embedding model. */
export async function embedderFromText(title: string, text: string, sources: ModelSources): Promise<unknown> {
  const { provider, id } = modelName(text);
  const loaded = await load(title, text, `@ai-sdk/${provider}`, sources);
  const instance =
    provider === "openai-compatible"
      ? compatibleProvider(title, text, loaded, sources.environment)
      : readyProvider(title, text, loaded);
  if (!instance.embeddingModel)
    throw new ConfigurationError(`${title}: the package @ai-sdk/${provider} of "${text}" has no embedding models.`);
  return made(title, text, () => instance.embeddingModel?.(id));
}

/** The same for a reranking model. */
export async function rerankerFromText(title: string, text: string, sources: ModelSources): Promise<unknown> {
  const { provider, id } = modelName(text);
  const instance = readyProvider(title, text, await load(title, text, `@ai-sdk/${provider}`, sources));
  if (!instance.rerankingModel)
    throw new ConfigurationError(
      `${title}: the package @ai-sdk/${provider} of "${text}" has no reranking models. For a language model write reranker: { languageModel: "${text}" }.`,
    );
  return made(title, text, () => instance.rerankingModel?.(id));
}

function made<T>(title: string, text: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new ConfigurationError(`${title}: model "${text}" cannot be made: ${messageOf(error)}`);
  }
}

function readyProvider(title: string, text: string, loaded: Exports): Provider {
  const { provider } = modelName(text);
  const instance = providerIn(loaded, provider);
  if (instance) return instance;
  throw new ConfigurationError(
    `${title}: the package @ai-sdk/${provider} has no ready provider for "${text}": create the model in code and give it as model.`,
  );
}

/** Returns the ready instance that a provider package exports: the export with the provider's name (`openai`), otherwise the only instance. */
function providerIn(loaded: Exports, provider: string): Provider | undefined {
  const isProvider = (value: unknown): value is Provider =>
    typeof value === "function" && typeof (value as Partial<Provider>).languageModel === "function";
  const own = loaded[provider.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())];
  if (isProvider(own)) return own;
  const all = new Set(Object.values(loaded).filter(isProvider));
  return all.size === 1 ? [...all][0] : undefined;
}

function compatibleProvider(
  title: string,
  text: string,
  loaded: Exports,
  environment: ModelSources["environment"],
): Provider {
  const baseURL = environment.OPENAI_BASE_URL;
  if (!baseURL) {
    throw new ConfigurationError(
      `${title}: model "${text}" needs the address of its server: set OPENAI_BASE_URL, for instance ` +
        "http://127.0.0.1:8000/v1 (and OPENAI_API_KEY where it asks for one).",
    );
  }
  const create = loaded.createOpenAICompatible as (settings: object) => Provider;
  const apiKey = environment.OPENAI_API_KEY;
  return create({ name: "openai-compatible", baseURL, includeUsage: true, ...(apiKey && { apiKey }) });
}

async function load(title: string, text: string, name: string, sources: ModelSources): Promise<Exports> {
  try {
    return await (sources.load ?? importFrom(sources.folder))(name);
  } catch (error) {
    if (notFound.has((error as { code?: unknown }).code)) {
      const { provider, id } = modelName(text);
      const meant = providers.includes(provider) ? undefined : nearestOf(provider, providers);
      if (meant !== undefined) {
        throw new ConfigurationError(
          `${title}: model "${text}" names the unknown provider "${provider}": did you mean "${meant}:${id}"? (There is no package ${name} here.)`,
        );
      }
      throw new ConfigurationError(
        `${title}: model "${text}" needs the package ${name}, which is not installed: run npm install ${name}, ` +
          "or correct the provider's name.",
      );
    }
    throw new ConfigurationError(
      `${title}: the package ${name} of model "${text}" cannot be loaded: ${messageOf(error)}`,
    );
  }
}

/** Package managers that isolate packages hide the application's packages from this one, so the second attempt resolves from its folder. */
function importFrom(folder: string): (name: string) => Promise<Exports> {
  return async (name) => {
    try {
      return (await import(name)) as Exports;
    } catch (error) {
      if (!notFound.has((error as { code?: unknown }).code)) throw error;
      const path = createRequire(join(folder, "app.js")).resolve(name);
      return (await import(pathToFileURL(path).href)) as Exports;
    }
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
