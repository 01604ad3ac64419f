import { ConfigurationError } from "../errors.ts";
import type { MetadataFilter } from "../model/metadata-filters.ts";

/**
 * A store of embeddings outside of the database: `lanceDbVectors`, or your own. It receives vectors, ids and the values that filters compare, and no text.
 * The server checks every id that a search returns in the database: a vector of a removed or hidden document is never part of a result.
 */
export interface VectorStore {
  /** Identifies the store and the place of its vectors. When it changes, all documents are embedded again. */
  readonly id: string;
  /** Stores vectors. One with the id of a stored vector replaces it. A repetition has the same result. */
  upsert(points: readonly VectorPoint[], signal: AbortSignal): Promise<void>;
  /** Returns stored vectors by their ids. Missing ones are left out. */
  read(selection: VectorSelection, signal: AbortSignal): Promise<ReadonlyMap<string, Float32Array>>;
  /** Replaces the metadata of all vectors of a document. It never adds a vector. */
  setMetadata(document: string, metadata: VectorMetadata, signal: AbortSignal): Promise<void>;
  /** Removes vectors of a document: some of them by their ids, or all. Missing ones are removed already. */
  delete(document: string, ids: readonly string[] | "all", signal: AbortSignal): Promise<void>;
  /** Returns the nearest vectors by cosine distance, the best first. */
  search(search: VectorSearch, signal: AbortSignal): Promise<readonly NearVector[]>;
}

/** Members of the metadata of a document. */
export type VectorMetadata = Readonly<Record<string, unknown>>;

/** A vector with the values that filters compare. */
export interface VectorPoint {
  readonly id: string;
  /** Vectors of different embedders cannot be compared with each other. */
  readonly embedder: string;
  readonly vector: Float32Array;
  readonly knowledgeId: string;
  readonly document: string;
  /** The user who alone may find the vector; empty for a shared document. */
  readonly owner: string;
  readonly metadata: VectorMetadata;
}

/** Vectors of one embedder. */
export interface VectorSelection {
  readonly embedder: string;
  readonly ids: readonly string[];
}

/** A search for the nearest vectors. */
export interface VectorSearch {
  readonly embedder: string;
  readonly vector: Float32Array;
  readonly knowledgeId: string;
  /** Only vectors of these owners; undefined for all. */
  readonly owners: readonly string[] | undefined;
  /** Conditions of the metadata. A store may ignore those that it cannot express: the server then requests more vectors. */
  readonly filters: readonly MetadataFilter[];
  /** Max vectors. A shorter list means that there are no more. */
  readonly limit: number;
}

/** A vector that a search found. */
export interface NearVector {
  readonly id: string;
  /** Cosine distance from the searched vector, from 0 to 2. */
  readonly distance: number;
}

const calls = ["upsert", "read", "setMetadata", "delete", "search"] as const;

/** Checks the store of a knowledge base. @throws ConfigurationError */
export function checkVectorStore(title: string, store: unknown): void {
  if (store === undefined) return;
  const known = (store ?? {}) as Partial<VectorStore>;
  const { id } = known;
  if (typeof id !== "string" || id === "")
    throw new ConfigurationError(`${title}: vectors must be a vector store with an id, such as lanceDbVectors({ … }).`);
  const missing = calls.find((name) => typeof known[name] !== "function");
  if (missing !== undefined)
    throw new ConfigurationError(`${title}: its vector store "${id}" has no function ${missing}.`);
}
