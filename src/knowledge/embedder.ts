/** Calls an embedding model in batches. */
import type { EmbeddingModelV3, EmbeddingModelV4 } from "@ai-sdk/provider";

/** An embedding model of any supported specification. */
export type EmbeddingModel = EmbeddingModelV4 | EmbeddingModelV3;

/** Max texts of a request. The embeddings of a request are stored in one transaction, which occupies the event loop on SQLite. */
const maxBatch = 64;

/** An embedding model of a knowledge base. */
export interface TextEmbedder {
  /** Identifies the model whose vectors can be compared with each other. */
  readonly id: string;
  /** The model's id, and its provider as the AI SDK names it. */
  readonly model: { readonly id: string; readonly providerId: string };
  /** Max texts of one request. */
  batchSize(): Promise<number>;
  /**
   * Returns one vector for each text, from one request. A request that is repeated after a crash has the same `key`, which the provider receives in the
   * header `Idempotency-Key`.
   *
   * @throws the provider's error
   */
  embed(texts: readonly string[], signal: AbortSignal, key?: string): Promise<EmbeddedTexts>;
}

/** The result of a request. */
export interface EmbeddedTexts {
  readonly vectors: readonly Float32Array[];
  /** As the provider counts them; undefined if it does not. */
  readonly tokens: number | undefined;
}

/** Makes the embedder of a model. */
export function textEmbedder(model: EmbeddingModel): TextEmbedder {
  return {
    id: `${model.provider}:${model.modelId}`,
    model: { id: model.modelId, providerId: model.provider },
    async batchSize() {
      const max = await model.maxEmbeddingsPerCall;
      return Math.max(1, Math.min(max ?? maxBatch, maxBatch));
    },
    async embed(texts, signal, key) {
      const headers = key === undefined ? {} : { "Idempotency-Key": key };
      const { embeddings, usage } = await model.doEmbed({ values: [...texts], abortSignal: signal, headers });
      if (embeddings.length !== texts.length || embeddings.some((vector) => vector.length !== embeddings[0]?.length))
        throw new Error(`The embedding model returned ${embeddings.length} vectors for ${texts.length} texts.`);
      return { vectors: embeddings.map((vector) => Float32Array.from(vector)), tokens: usage?.tokens };
    },
  };
}
