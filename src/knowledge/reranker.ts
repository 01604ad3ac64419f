/** Orders what a search found by a model that compares the query with each text. */
import type { RerankingModelV3, RerankingModelV4 } from "@ai-sdk/provider";
import { abortable } from "../model/abortable.ts";
import type { Runtime } from "../model/runtime.ts";
import type { FoundChunk } from "../store/contract/knowledge.ts";

/** Chunks of a search that the reranker orders: the best ones. */
export const maxCandidates = 30;

/** Max characters of a chunk that the reranker reads. */
const maxText = 2_000;

/** Milliseconds for which a search waits for its reranker. */
const maxDuration = 15_000;

/** A reranking model of any supported specification. */
export type RerankingModel = RerankingModelV4 | RerankingModelV3;

/** A model that orders texts. */
export interface TextReranker {
  /** Its provider and its name. */
  readonly id: string;
  /** Returns the texts by their places, the best first. A text may be missing. @throws the provider's error */
  rerank(query: string, texts: readonly string[], signal: AbortSignal): Promise<RankedTexts>;
}

/** The result of a request. */
export interface RankedTexts {
  /** `score` is between 0 and 1. */
  readonly ranking: readonly { readonly index: number; readonly score: number }[];
  /** Undefined if the provider reports none. */
  readonly usage?: Omit<SearchUsage, "duration"> | undefined;
}

/** The usage of a model request of a search. */
export interface SearchUsage {
  readonly purpose: "embedding_model" | "reranker_model";
  /** The model's id, and its provider as the AI SDK names it. */
  readonly model: { readonly id: string; readonly providerId: string };
  /** Tokens. */
  readonly input: number;
  readonly output: number;
  /** Seconds. */
  readonly duration: number;
}

/** Makes the reranker of a reranking model. */
export function textReranker(model: RerankingModel): TextReranker {
  return {
    id: `${model.provider}:${model.modelId}`,
    async rerank(query, texts, signal) {
      const documents = { type: "text" as const, values: [...texts] };
      const { ranking } = await model.doRerank({ documents, query, abortSignal: signal });
      return { ranking: ranking.map(({ index, relevanceScore }) => ({ index, score: relevanceScore })) };
    },
  };
}

/**
 * Returns the chunks in the order of the reranker: first those that it ranks, then the others in their own order. A failure of the reranker keeps the
 * order of the search.
 * @throws the signal's reason
 */
export async function rerank(
  { clock, log }: Pick<Runtime, "clock" | "log">,
  reranker: TextReranker,
  { query, found }: { readonly query: string; readonly found: readonly FoundChunk[] },
  signal: AbortSignal,
): Promise<{ readonly found: readonly FoundChunk[]; readonly usage?: SearchUsage | undefined }> {
  signal.throwIfAborted();
  const begun = clock.monotonic();
  const late = new AbortController();
  const stop = (): void => late.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  const cancelTimer = clock.after(maxDuration, () =>
    late.abort(new Error(`The reranker did not answer within ${maxDuration / 1_000} s.`)),
  );
  try {
    const texts = found.slice(0, maxCandidates).map(({ text }) => text.slice(0, maxText).toWellFormed());
    const { ranking, usage } = await abortable(reranker.rerank(query, texts, late.signal), late.signal);
    const duration = (clock.monotonic() - begun) / 1_000;
    return { found: ordered(found, ranking), usage: usage && { ...usage, duration } };
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ error, reranker: reranker.id }, "A search keeps its own order: its reranker failed.");
    return { found };
  } finally {
    cancelTimer();
    signal.removeEventListener("abort", stop);
  }
}

function ordered(found: readonly FoundChunk[], ranking: RankedTexts["ranking"]): readonly FoundChunk[] {
  const ranked = new Map<FoundChunk, number>();
  for (const { index, score } of ranking) {
    const chunk = found[index];
    if (!chunk || index >= maxCandidates || !Number.isFinite(score))
      throw new Error("The reranker ranked a text that it did not receive.");
    if (!ranked.has(chunk)) ranked.set(chunk, Math.min(1, Math.max(0, score)));
  }
  const first = [...ranked].map(([chunk, rerankingScore]) => ({ ...chunk, rerankingScore }));
  return [...first, ...found.filter((chunk) => !ranked.has(chunk))];
}
