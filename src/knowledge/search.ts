/** Searches knowledge bases: embeds the query, asks the database, and reranks what it found. */
import { ConfigurationError } from "../errors.ts";
import type { SearchLack } from "../model/measurements.ts";
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
import { VectorStoreUnavailable } from "./failures.ts";
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
  readonly runtime: Pick<Runtime, "clock" | "log" | "measurements">;
}

/** The result of a search. */
export interface SearchResult {
  readonly found: readonly FoundChunk[];
  /** Set if a hybrid search used words only: what failed. */
  readonly lack?: SearchLack | undefined;
}

/** Makes the search of a platform's runs. */
export function searchOf(parts: SearchParts, bases: KnowledgeBases): KnowledgeSearch {
  return async (query, signal, onUsage) => {
    const base = bases.get(query.knowledgeId);
    if (!base)
      throw new ConfigurationError(
        `The platform has no knowledge base "${query.knowledgeId}": add it to knowledge in definePlatform.`,
      );
    return (await searchKnowledge(parts, base, query, signal, onUsage)).found;
  };
}

/** Terms of a query that are searched: the first ones. */
const maxTerms = 32;

/**
 * Returns the best chunks of a knowledge base for a text. A hybrid search whose embedder or vector store fails uses words only.
 * @throws TroupeError, or the provider's error
 */
export async function searchKnowledge(
  parts: SearchParts,
  { embedder, reranker }: Pick<KnowledgeBase, "embedder" | "reranker">,
  { knowledgeId, reader, text, mode = "hybrid", filters = [], limit = 5 }: KnowledgeQuery,
  signal: AbortSignal,
  onUsage: SearchUsageTaker = async () => undefined,
): Promise<SearchResult> {
  const { store, runtime } = parts;
  const terms = mode === "vector" ? [] : [...new Set(termsOf(text))].slice(0, maxTerms);
  const hasWords = terms.length > 0 && store.findsWords;
  let lack: SearchLack | undefined;
  /** Continues without embeddings if the search has words. */
  const withoutVectors = (failed: SearchLack, error: unknown): void => {
    signal.throwIfAborted();
    if (!hasWords) throw error;
    lack = failed;
    reportLack(parts, knowledgeId, failed, error);
  };
  let embedded: EmbeddedQuery | undefined;
  if (mode !== "lexical") {
    try {
      embedded = await embedQuery(runtime, embedder, text, signal);
    } catch (error) {
      withoutVectors("embedder", error);
    }
    if (embedded?.usage) await onUsage(embedded.usage);
  }
  const wanted = reranker ? Math.max(limit, maxCandidates) : limit;
  const place = { knowledgeId, reader, filters, terms };
  const search = { ...place, vector: embedded?.vector, embedder: embedder.id, limit: wanted };
  const found = await store.search(search).catch((error: unknown) => {
    if (!(error instanceof VectorStoreUnavailable)) throw error;
    withoutVectors("vector_store", error);
    return store.search({ ...search, vector: undefined });
  });
  if (embedded && lack === undefined) reportRecovery(parts, knowledgeId);
  if (!reranker || found.length < 2) return { found: found.slice(0, limit), lack };
  const { found: best, usage } = await rerank(runtime, reranker, { query: text, found }, signal);
  if (usage) await onUsage(usage);
  return { found: best.slice(0, limit), lack };
}

/** The knowledge bases of each store whose last search used words only. */
const lacking = new WeakMap<object, Set<string>>();

/** Counts the search. Only the first one of an outage is logged. */
function reportLack({ store, runtime }: SearchParts, knowledge: string, failed: SearchLack, error: unknown): void {
  runtime.measurements.wordsOnly(failed);
  const known = lacking.get(store) ?? new Set();
  lacking.set(store, known);
  if (known.has(knowledge)) return;
  known.add(knowledge);
  const name = failed === "embedder" ? "embedder" : "vector store";
  runtime.log.warn({ error, knowledge }, `Hybrid searches use words only, because the ${name} fails.`);
}

function reportRecovery({ store, runtime }: SearchParts, knowledge: string): void {
  if (lacking.get(store)?.delete(knowledge)) runtime.log.info({ knowledge }, "Hybrid searches use embeddings again.");
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
