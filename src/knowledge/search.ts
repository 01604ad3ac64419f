/** Searches knowledge bases: embeds the query, asks the database, and reranks what it found. */
import { ConfigurationError } from "../errors.ts";
import type { Runtime } from "../model/runtime.ts";
import type {
  FoundChunk,
  KnowledgeReader,
  KnowledgeStore,
  MetadataFilter,
  SearchMode,
} from "../store/contract/knowledge.ts";
import type { KnowledgeBase, KnowledgeBases } from "./bases.ts";
import type { TextEmbedder } from "./embedder.ts";
import { maxCandidates, rerank, type SearchUsage } from "./reranker.ts";
import { termsOf } from "./terms.ts";

/** A search in one knowledge base. */
export interface KnowledgeQuery {
  readonly knowledgeId: string;
  readonly reader: KnowledgeReader;
  readonly text: string;
  /** Default: `hybrid`. */
  readonly mode?: SearchMode | undefined;
  readonly filters?: readonly MetadataFilter[] | undefined;
  /** Default 5. */
  readonly limit?: number | undefined;
}

/** Receives the usage of each model request of a search. */
export type SearchUsageTaker = (usage: SearchUsage) => Promise<void>;

/** Searches the knowledge base of a query. @throws the provider's error */
export type KnowledgeSearch = (
  query: KnowledgeQuery,
  signal: AbortSignal,
  onUsage?: SearchUsageTaker,
) => Promise<readonly FoundChunk[]>;

/** What searches need. */
export interface SearchParts {
  readonly store: Pick<KnowledgeStore, "search" | "findsWords">;
  readonly runtime: Pick<Runtime, "clock" | "log">;
}

/** Makes the search of a platform's runs. */
export function searchOf(parts: SearchParts, bases: KnowledgeBases): KnowledgeSearch {
  return async (query, signal, onUsage) => {
    const base = bases.get(query.knowledgeId);
    if (!base)
      throw new ConfigurationError(
        `The platform has no knowledge base "${query.knowledgeId}": add it to knowledge in definePlatform.`,
      );
    return await searchKnowledge(parts, base, query, signal, onUsage);
  };
}

/** Terms of a query that are searched: the first ones. */
const maxTerms = 32;

/**
 * Returns the best chunks of a knowledge base for a text. A hybrid search whose embedder fails uses words only.
 * @throws TroupeError, or the provider's error
 */
export async function searchKnowledge(
  { store, runtime }: SearchParts,
  { embedder, reranker }: Pick<KnowledgeBase, "embedder" | "reranker">,
  { knowledgeId, reader, text, mode = "hybrid", filters = [], limit = 5 }: KnowledgeQuery,
  signal: AbortSignal,
  onUsage: SearchUsageTaker = async () => undefined,
): Promise<readonly FoundChunk[]> {
  const terms = mode === "vector" ? [] : [...new Set(termsOf(text))].slice(0, maxTerms);
  let embedded: EmbeddedQuery | undefined;
  if (mode !== "lexical") {
    try {
      embedded = await embedQuery(runtime, embedder, text, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (terms.length === 0 || !store.findsWords) throw error;
      const details = { error, knowledge: knowledgeId, embedder: embedder.id };
      runtime.log.warn(details, "A search uses words only: its embedder failed.");
    }
    if (embedded?.usage) await onUsage(embedded.usage);
  }
  const wanted = reranker ? Math.max(limit, maxCandidates) : limit;
  const place = { knowledgeId, reader, filters, terms };
  const search = { ...place, vector: embedded?.vector, embedder: embedder.id, limit: wanted };
  const found = await store.search(search);
  if (!reranker || found.length < 2) return found.slice(0, limit);
  const { found: best, usage } = await rerank(runtime, reranker, { query: text, found }, signal);
  if (usage) await onUsage(usage);
  return best.slice(0, limit);
}

interface EmbeddedQuery {
  readonly vector: Float32Array | undefined;
  /** Undefined if the provider reports none. */
  readonly usage: SearchUsage | undefined;
}

async function embedQuery(
  { clock }: Pick<Runtime, "clock">,
  embedder: TextEmbedder,
  text: string,
  signal: AbortSignal,
): Promise<EmbeddedQuery> {
  const begun = clock.monotonic();
  const { vectors, tokens = 0 } = await embedder.embed([text], signal);
  const duration = (clock.monotonic() - begun) / 1_000;
  const input = Math.round(tokens);
  const isReported = Number.isSafeInteger(input) && input > 0;
  return {
    vector: vectors[0],
    usage: isReported ? { purpose: "embedding_model", model: embedder.model, input, output: 0, duration } : undefined,
  };
}
