/** Models of components: their names, and the callable model of each. */
import type { LanguageModelV3, LanguageModelV4 } from "@ai-sdk/provider";
import { type Model, otherModels } from "../../define/component.ts";
import type { Knowledge } from "../../define/knowledge.ts";
import { modelName } from "../../define/model-name.ts";
import type { Component, Hosted, Platform } from "../../define/platform.ts";
import { allComponents } from "../../define/within.ts";
import { ConfigurationError, InvariantError } from "../../errors.ts";
import type { KnowledgeBase, KnowledgeBases } from "../../knowledge/bases.ts";
import { type EmbeddingModel, textEmbedder } from "../../knowledge/embedder.ts";
import { type RerankingModel, type TextReranker, textReranker } from "../../knowledge/reranker.ts";
import { kindTitles } from "../../model/run/run.ts";
import { remoteOf } from "../remote/placeholder.ts";
import { languageReranker } from "./language-reranker.ts";
import { type CallableModel, nameOfProvider, toCallableModel } from "./model-adapter.ts";
import { embedderFromText, type ModelSources, modelFromText, rerankerFromText } from "./model-packages.ts";

/** The first model of each definition, which never changes. */
const ready = new WeakMap<Component, CallableModel>();
/** The other models of each definition. */
const others = new WeakMap<Component, Map<Model, CallableModel>>();

/** The provider's name for a model (`model` on the wire): `gpt-5.2`. */
export function modelId(model: Model): string {
  return modelName(model).id;
}

/** Display name of a model's provider (`model_provider` on the wire): `OpenAI`. */
export function providerName(model: Model): string {
  return nameOfProvider(modelName(model).provider);
}

/** Both names as a run's row stores them; null for a workflow, which has no model, and for a remote component, whose model is unknown. */
export function modelNames(component: Hosted): {
  readonly model: string | null;
  readonly modelProvider: string | null;
} {
  if (component.kind === "workflow" || remoteOf(component)) return { model: null, modelProvider: null };
  return { model: modelId(component.model), modelProvider: providerName(component.model) };
}

/**
 * Resolves the model of every component, including members: texts of the form `provider:model` become models of installed packages.
 * @throws ConfigurationError naming the component, what is missing and the fix
 */
export async function resolveModels(
  platform: Pick<Platform, "agents" | "teams"> & Partial<Pick<Platform, "workflows">>,
  sources: ModelSources,
): Promise<void> {
  for (const component of allComponents(platform)) {
    if (!ready.has(component)) ready.set(component, await resolve(component, component.model, sources));
    for (const model of otherModels(component)) {
      const known = othersOf(component);
      if (!known.has(model)) known.set(model, await resolve(component, model, sources));
    }
  }
}

/**
 * Checks the models that only versions of components use.
 * @throws ConfigurationError naming what is missing and the fix
 */
export async function checkModels({ id, parts }: Pick<Platform, "id" | "parts">, sources: ModelSources): Promise<void> {
  for (const model of parts.models ?? [])
    if (typeof model === "string") await modelFromText(`Platform "${id}"`, model, sources);
}

/** Returns the callable model of a component: its first model, or another one of its definition. */
export function modelOf(component: Component, model: Model = component.model): CallableModel {
  const isFirst = model === component.model;
  const known = isFirst ? ready.get(component) : othersOf(component).get(model);
  if (known) return known;
  if (typeof model === "string")
    throw new InvariantError(`The model "${model}" of ${titleOf(component)} was not resolved at start-up.`);
  const made = toCallableModel(checked(component, model));
  if (isFirst) ready.set(component, made);
  else othersOf(component).set(model, made);
  return made;
}

/**
 * Resolves the embedder and the reranker of every knowledge base.
 * @throws ConfigurationError naming the knowledge base, what is missing and the fix
 */
export async function resolveBases(knowledge: readonly Knowledge[], sources: ModelSources): Promise<KnowledgeBases> {
  const bases = knowledge.map(async (definition): Promise<KnowledgeBase> => {
    const { id, embedder, chunking } = definition;
    const model =
      typeof embedder === "string" ? await embedderFromText(`Knowledge "${id}"`, embedder, sources) : embedder;
    const made = textEmbedder(model as EmbeddingModel);
    // Embeddings in another store are other embeddings: documents are embedded again when the store changes.
    const { vectors } = definition;
    const reranker = await rerankerOf(definition, sources);
    return {
      id,
      definition,
      chunking,
      embedder: vectors ? { ...made, id: `${made.id}@${vectors.id}` } : made,
      reranker,
    };
  });
  return new Map((await Promise.all(bases)).map((base) => [base.id, base]));
}

async function rerankerOf({ id, reranker }: Knowledge, sources: ModelSources): Promise<TextReranker | undefined> {
  if (reranker === undefined) return undefined;
  const title = `Knowledge "${id}"`;
  if (typeof reranker === "string")
    return textReranker((await rerankerFromText(title, reranker, sources)) as RerankingModel);
  if ("doRerank" in reranker) return textReranker(reranker);
  const { languageModel: model } = reranker;
  const made = typeof model === "string" ? await modelFromText(title, model, sources) : model;
  return languageReranker(toCallableModel(made as LanguageModelV4));
}

function othersOf(component: Component): Map<Model, CallableModel> {
  const known = others.get(component) ?? new Map<Model, CallableModel>();
  others.set(component, known);
  return known;
}

async function resolve(component: Component, model: Model, sources: ModelSources): Promise<CallableModel> {
  const title = titleOf(component);
  return toCallableModel(
    checked(component, typeof model === "string" ? await modelFromText(title, model, sources) : model),
  );
}

function checked(component: Component, model: unknown): LanguageModelV3 | LanguageModelV4 {
  const { specificationVersion: version, doStream } = (model ?? {}) as Partial<LanguageModelV3 | LanguageModelV4>;
  if ((version === "v3" || version === "v4") && typeof doStream === "function") return model as LanguageModelV4;
  throw new ConfigurationError(
    `${titleOf(component)}: its model is not an AI SDK language model of specification v3 or v4 ` +
      `(it declares ${JSON.stringify(version) ?? "nothing"}): update its provider package.`,
  );
}

function titleOf({ kind, id }: Component): string {
  return `${kindTitles[kind]} "${id}"`;
}
