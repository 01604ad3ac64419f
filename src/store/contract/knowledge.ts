/** Documents that agents search: contents, their chunks and embeddings. Times are milliseconds since the epoch. */
import type { MetadataFilter } from "../../model/metadata-filters.ts";
import type { Principal } from "../../model/principal.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import type { ClaimedJob, JobEnd } from "./jobs.ts";
import type { BackgroundUsage } from "./usage-days.ts";

export type { MetadataFilter } from "../../model/metadata-filters.ts";

/** States of a content. Only the chunks of a completed ingestion can be found. */
export type ContentStatus = "processing" | "completed" | "failed" | "cancelled";

/** Where a content comes from. */
export type ContentOrigin =
  | { readonly kind: "text" }
  | { readonly kind: "file"; readonly fileName: string; readonly mediaType: string | null }
  | { readonly kind: "url"; readonly url: string }
  /** A file of a source that the knowledge base declares. */
  | { readonly kind: "source"; readonly sourceId: string; readonly path: string };

/** How a content is parsed and divided, where the caller chose it. */
export interface ContentOptions {
  readonly reader?: string | undefined;
  readonly chunker?: string | undefined;
  /** Max tokens of a chunk. */
  readonly chunkSize?: number | undefined;
  /** Tokens that a chunk repeats from the chunk before it. */
  readonly chunkOverlap?: number | undefined;
}

/** Values that filters compare. */
export type ContentMetadata = Readonly<Record<string, unknown>>;

/** The members of a content that its caller specifies. */
export interface NewContent {
  readonly id: string;
  readonly knowledgeId: string;
  /** The user who alone may see the content; null: every caller of the knowledge base may. */
  readonly userId: string | null;
  readonly name: string | null;
  readonly description: string | null;
  readonly metadata: ContentMetadata | null;
  /** Type as clients see it, such as `application/pdf`. */
  readonly type: string | null;
  /** Size in bytes; null until it is known. */
  readonly size: number | null;
  readonly origin: ContentOrigin;
  readonly options: ContentOptions;
  /** The bytes of a text or a file; null for a content that its ingestion fetches. */
  readonly bytes: Buffer | null;
}

/** A content. */
export interface Content extends Omit<NewContent, "bytes"> {
  readonly key: number;
  readonly status: ContentStatus;
  /** What went wrong; empty otherwise. */
  readonly statusMessage: string;
  /** SHA-256 (hex) of the bytes of the last completed ingestion. */
  readonly hash: string | null;
  /** Id of the embedder of the completed chunks. */
  readonly embedder: string | null;
  /** Number of the visible chunks' ingestion; 0 before the first is complete. */
  readonly generation: number;
  /** Chunks and tokens of the visible generation. */
  readonly chunks: number;
  readonly tokens: number;
  /** Progress of a running ingestion: chunks with an embedding, and all chunks. */
  readonly embedded: number;
  readonly total: number;
  /** Number of completed runs that have cited it, including deleted ones. */
  readonly accessCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Who reads: null sees every content, a user sees the shared and the own ones. */
export type KnowledgeReader = { readonly userId: string } | null;

/** Columns that a list is sorted by. */
export type ContentOrder = "created_at" | "updated_at" | "name" | "status" | "size";

/** The last content of a page. */
export interface ContentPosition {
  /** Its value in the order of the listing. */
  readonly value: string | number;
  readonly key: number;
}

/** A page of a listing. The next page begins after `next`; undefined on the last page. */
export interface ContentPage {
  readonly contents: readonly Content[];
  readonly total: number;
  readonly next: ContentPosition | undefined;
}

/** A page of contents. */
export interface ContentQuery {
  readonly knowledgeId: string;
  readonly reader: KnowledgeReader;
  /** Undefined: documents of all states. */
  readonly statuses?: readonly ContentStatus[] | undefined;
  readonly orderBy: ContentOrder;
  readonly descending: boolean;
  readonly limit: number;
  readonly offset: number;
  /** Begins after this content, instead of at `offset`. */
  readonly after?: ContentPosition | undefined;
}

/** A part of a document. */
export interface NewChunk {
  /** Position in the document, from 0. */
  readonly number: number;
  readonly text: string;
  readonly tokens: number;
  /** SHA-256 (hex) of the text that is embedded. */
  readonly hash: string;
  readonly page: number | null;
  /** Character offsets in the parsed text: first, and after the last. */
  readonly start: number;
  readonly end: number;
  /** Headings above it, outermost first. */
  readonly headings: readonly string[];
  /** Terms for the lexical index, in order, with repetitions. */
  readonly terms: readonly string[];
}

/** A stored chunk. */
export interface Chunk extends Omit<NewChunk, "terms"> {
  readonly key: number;
}

export type SearchMode = "lexical" | "vector" | "hybrid";

/** A search. */
export interface ChunkSearch {
  readonly knowledgeId: string;
  readonly reader: KnowledgeReader;
  readonly filters: readonly MetadataFilter[];
  /** Terms of the query; empty for none. */
  readonly terms: readonly string[];
  /** Embedding of the query; undefined for a lexical search. */
  readonly vector: Float32Array | undefined;
  /** Only chunks with embeddings of this embedder are compared with `vector`. */
  readonly embedder: string;
  readonly limit: number;
}

/** A chunk that a search found. */
export interface FoundChunk extends Chunk {
  readonly contentId: string;
  readonly contentName: string | null;
  readonly metadata: ContentMetadata | null;
  readonly origin: ContentOrigin;
  /**
   * Between 0 and 1; scores of one mode are comparable, also between queries. `lexical`: about the share of the query's terms that the chunk contains,
   * where a rare term weighs more than a frequent one. `vector`: `1 - cosine distance / 2`. `hybrid`: the sum of the reciprocal ranks in both lists; a chunk
   * that is first in both has 1.
   */
  readonly score: number;
  /** Between 0 and 1: how well the chunk fits, as the reranker of the knowledge base judges. Undefined without one. */
  readonly rerankingScore?: number | undefined;
  /** Position in the list of the lexical search, from 1; undefined if it is not in it. */
  readonly lexicalRank: number | undefined;
  /** Position in the list of the vector search, from 1. */
  readonly vectorRank: number | undefined;
}

/** An ingestion whose job this process has claimed. */
export interface Ingestion {
  readonly content: Content;
  readonly bytes: Buffer | null;
  /** Number of chunks that an earlier attempt stored; undefined before all of them are stored. */
  readonly stored: number | undefined;
}

/** How the database searches vectors. */
export interface VectorSupport {
  /** `index`: pgvector with HNSW. `scan`: every vector is compared. */
  readonly kind: "index" | "scan";
  /** Whether pgvector compares vectors in a scan. */
  readonly isExtended?: boolean | undefined;
  /** What an operator can do about it; undefined if nothing is missing. */
  readonly advice?: string | undefined;
}

/** Finds the nearest embeddings in a store outside of the database; the best first. */
export type NearestVectors = (vector: Float32Array, limit: number) => Promise<readonly NearestVector[]>;

/** An embedding in such a store. */
export interface NearestVector {
  readonly contentKey: number;
  readonly chunkKey: number;
  /** Cosine distance, from 0 to 2. */
  readonly distance: number;
}

/** Chunks that `sweep` may remove. */
export interface SweptChunks {
  /** Undefined if the content was removed, too. */
  readonly content: Content | undefined;
  readonly keys: readonly number[];
}

/** The documents that a completed run cites. */
export interface RunCitations {
  readonly runKey: number;
  /** The users whose private documents the run can find. */
  readonly users: readonly string[];
  readonly contents: readonly CitedContent[];
}

/** A cited document, with the numbers of its cited chunks. */
export interface CitedContent {
  readonly knowledgeId: string;
  readonly contentId: string;
  readonly chunks: readonly number[];
}

/** A run that cites a document. */
export interface ContentCitation extends CitationPosition {
  readonly runId: string;
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly componentName: string;
  readonly sessionId: string;
  readonly userId: string | null;
  /** Numbers of the cited chunks, at the time of the run. */
  readonly chunks: readonly number[];
}

/** The place of a citation in the listing, which begins with the latest. */
export interface CitationPosition {
  readonly citedAt: number;
  readonly runKey: number;
}

/** A page of citations. `next` is the place of its last citation; undefined on the last page. */
export interface CitationPage {
  readonly citations: readonly ContentCitation[];
  readonly next: CitationPosition | undefined;
}

/** The documents of a database. */
export interface KnowledgeStore {
  /**
   * Stores a content and its job. A content with the same id is ingested again: its chunks stay visible until the new ones are complete.
   * Undefined if it is being ingested with other bytes.
   */
  put(content: NewContent): Promise<Content | undefined>;
  find(knowledgeId: string, reader: KnowledgeReader, id: string): Promise<Content | undefined>;
  /** Reads a content by its key, for work of the server itself. */
  read(key: number): Promise<Content | undefined>;
  /** @throws TroupeError `validation` for a position of a listing in another order */
  list(query: ContentQuery): Promise<ContentPage>;
  /** Chunks of the visible generation, in order. */
  chunks(content: Pick<Content, "key" | "generation">, offset: number, limit: number): Promise<readonly Chunk[]>;
  /** Changes the members that are not undefined. */
  change(
    content: Pick<Content, "key">,
    change: Partial<Pick<Content, "name" | "description" | "metadata">>,
  ): Promise<Content | undefined>;
  /** Ingests a content again from its origin. False if it is being ingested, or its bytes are gone. */
  retry(content: Pick<Content, "key">): Promise<boolean>;
  /** Ends the ingestion of a content as cancelled. False if it is not being ingested. */
  cancel(content: Pick<Content, "key">): Promise<boolean>;
  /** Removes a content: no search finds it any more. A job removes its chunks. */
  remove(content: Pick<Content, "key">): Promise<void>;
  /** Removes all contents of a knowledge base that the reader may change. */
  removeAll(knowledgeId: string, reader: KnowledgeReader): Promise<void>;
  /** Ends a job of citations, and records what its run cites. False when another claim holds the job; then nothing is recorded. */
  recordCitations(job: ClaimedJob, end: JobEnd, cited: RunCitations | undefined): Promise<boolean>;
  /** The runs that cite a content, as far as the caller may see them, the latest first. */
  citations(
    caller: Principal,
    content: Pick<Content, "key">,
    page: { readonly limit: number; readonly after?: CitationPosition | undefined },
  ): Promise<CitationPage>;
  /** Contents whose chunks have embeddings of another embedder. */
  outdated(knowledgeId: string, embedder: string, limit: number): Promise<readonly Content[]>;

  /** Reads the content of a claimed job; undefined if it was deleted or cancelled. */
  ingestion(job: ClaimedJob): Promise<Ingestion | undefined>;
  /**
   * Stores the next chunks of an ingestion. A chunk takes the embedding of an earlier chunk of the document with the same hash and embedder. With `end`,
   * all chunks are stored. False when another claim holds the job, or the content was deleted.
   */
  addChunks(
    job: ClaimedJob,
    contentKey: number,
    chunks: readonly NewChunk[],
    embedder: string,
    end?: ChunksEnd,
  ): Promise<boolean>;
  /** Chunks without an embedding, in order. */
  pending(contentKey: number, limit: number): Promise<readonly Chunk[]>;
  /**
   * Embeddings of earlier chunks with the same texts, for chunks of `pending` that could not take them in `addChunks`, because a store outside of the
   * database has them.
   */
  knownVectors(
    content: Content,
    embedder: string,
    chunks: readonly Chunk[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, Float32Array>>;
  /** Keys of earlier chunks of the same content with the same text and an embedding, by the keys of chunks. */
  twins(contentKey: number, embedder: string, keys: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** Those of the keys whose chunks exist. */
  present(contentKey: number, keys: readonly number[]): Promise<ReadonlySet<number>>;
  /** Stores embeddings and the progress. False when another claim holds the job. */
  addVectors(
    job: ClaimedJob,
    contentKey: number,
    embedder: string,
    vectors: ReadonlyMap<number, Float32Array>,
  ): Promise<boolean>;
  /**
   * Records that a store outside of the database has the embeddings of chunks, with this metadata of their content. `lost`: another claim holds the job.
   * `changed`: the content has other metadata, and nothing was recorded. Without keys, it only compares.
   */
  markEmbedded(
    job: ClaimedJob,
    contentKey: number,
    embedder: string,
    keys: readonly number[],
    metadata: ContentMetadata | null,
  ): Promise<"stored" | "lost" | "changed">;
  /** Ends an ingestion: its chunks replace the earlier ones, and the bytes are removed. */
  complete(job: ClaimedJob, contentKey: number): Promise<boolean>;
  /** Ends an ingestion that failed for good: the earlier chunks stay visible. */
  fail(job: ClaimedJob, contentKey: number, message: string): Promise<boolean>;
  /**
   * Removes chunks of a content that no search finds, in one bounded transaction. Returns whether there may be more. Chunks of a running ingestion
   * remain, unless `isRestart` is set: then the ingestion begins again. With `only`, it removes chunks among these keys.
   */
  sweep(contentKey: number, isRestart?: boolean, only?: readonly number[]): Promise<boolean>;
  /** Some of the chunks that `sweep` may remove. */
  swept(contentKey: number, isRestart: boolean): Promise<SweptChunks>;
  /** Gives the current metadata of a content to the store outside of the database that has its embeddings. */
  refreshMetadata(contentKey: number): Promise<void>;

  /** Whether searches find chunks by words. With encryption keys, they do not. */
  readonly findsWords: boolean;
  /**
   * Searches chunks. With `nearest`, a store outside of the database has the embeddings.
   * @throws TroupeError `unsupported` for a search by embeddings alone among too many chunks without an index
   */
  search(search: ChunkSearch, nearest?: NearestVectors): Promise<readonly FoundChunk[]>;
  /** Adds the usage of searches outside runs to its day. */
  countUsage(usage: BackgroundUsage): Promise<void>;
  /**
   * Prepares the database for embeddings of a number of dimensions. Call it before the first embedding of an ingestion is stored. Undefined for a knowledge
   * base whose embeddings another store has.
   */
  prepareVectors(dimensions: number, knowledgeId: string): Promise<VectorSupport | undefined>;
  /** Builds the index of embeddings of a number of dimensions. False while another process builds it. */
  buildIndex(dimensions: number, signal: AbortSignal): Promise<boolean>;
}

/** Facts about a parsed document, stored with its last chunks. */
export interface ChunksEnd {
  readonly hash: string;
  readonly size: number;
  readonly type: string | null;
}

/** Kind of the jobs that ingest contents; the job's id is the content's key. */
export const ingestionJob = "knowledge";

/** Kind of the jobs that record what completed runs cite; the job's id is the run's id. */
export const citationJob = "knowledge-citations";

/** Kind of the jobs that remove chunks of replaced and deleted contents; the job's id is the content's key. */
export const sweepJob = "knowledge-sweep";

/** Kind of the jobs that build an index of embeddings; the job's id is the number of dimensions. */
export const indexJob = "knowledge-index";

/** Kind of the jobs that update the metadata in vector stores outside of the database; the job's id is the content's key. */
export const metadataJob = "knowledge-metadata";
