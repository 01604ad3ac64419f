/** Searches knowledge bases: embeds the query, and asks the database. */
import { ConfigurationError } from "../errors.ts";
import type {
  FoundChunk,
  KnowledgeReader,
  KnowledgeStore,
  MetadataFilter,
  SearchMode,
} from "../store/contract/knowledge.ts";
import type { KnowledgeBases } from "./bases.ts";
import type { TextEmbedder } from "./embedder.ts";
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

/** Searches the knowledge base of a query. @throws the provider's error */
export type KnowledgeSearch = (query: KnowledgeQuery, signal: AbortSignal) => Promise<readonly FoundChunk[]>;

/** Makes the search of a platform's runs. */
export function searchOf(store: Pick<KnowledgeStore, "search">, bases: KnowledgeBases): KnowledgeSearch {
  return async (query, signal) => {
    const base = bases.get(query.knowledgeId);
    if (!base)
      throw new ConfigurationError(
        `The platform has no knowledge base "${query.knowledgeId}": add it to knowledge in definePlatform.`,
      );
    return await searchKnowledge(store, base.embedder, query, signal);
  };
}

/** Terms of a query that are searched: the first ones. */
const maxTerms = 32;

/** Returns the best chunks of a knowledge base for a text. @throws the provider's error */
export async function searchKnowledge(
  store: Pick<KnowledgeStore, "search">,
  embedder: TextEmbedder,
  { knowledgeId, reader, text, mode = "hybrid", filters = [], limit = 5 }: KnowledgeQuery,
  signal: AbortSignal,
): Promise<readonly FoundChunk[]> {
  const terms = mode === "vector" ? [] : [...new Set(termsOf(text))].slice(0, maxTerms);
  const vector = mode === "lexical" ? undefined : (await embedder.embed([text], signal)).vectors[0];
  return await store.search({ knowledgeId, reader, filters, terms, vector, embedder: embedder.id, limit });
}
