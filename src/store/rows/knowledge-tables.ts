/** The tables of documents. Times are milliseconds since the epoch. */
import type { Generated } from "kysely";
import type { ContentStatus } from "../contract/knowledge.ts";

/** A document. */
export interface KnowledgeContentsTable {
  key: Generated<number>;
  id: string;
  knowledge_id: string;
  /** The only user who may see it; empty: all users may. */
  owner: string;
  name: string | null;
  description: string | null;
  /** JSON text of an object. Stays clear, because filters compare its members. */
  metadata: string | null;
  type: string | null;
  size: number | null;
  /** JSON text. */
  origin: string;
  /** JSON text. */
  options: string;
  /** Base64, until the ingestion is complete. */
  body: string | null;
  /** Of the bytes of the visible generation. */
  hash: string | null;
  /** Of the visible generation. */
  embedder: string | null;
  status: ContentStatus;
  status_message: string;
  /** The visible generation of chunks. A running ingestion writes the next one. */
  generation: number;
  chunk_count: number;
  token_count: number;
  /** Number of chunks of the next generation, once all of them are stored. */
  stored: number | null;
  total: number;
  embedded: number;
  next_embedder: string | null;
  next_hash: string | null;
  access_count: number;
  created_at: number;
  updated_at: number;
}

/** A part of a document. */
export interface KnowledgeChunksTable {
  key: Generated<number>;
  content_key: number;
  generation: number;
  number: number;
  body: string;
  tokens: number;
  hash: string;
  /** Null until the chunk has an embedding. */
  embedder: string | null;
  page: number | null;
  start_offset: number;
  end_offset: number;
  /** JSON list. */
  headings: string;
}

/** A completed run that cites a document. */
export interface KnowledgeCitationsTable {
  content_key: number;
  run_key: number;
  /** JSON list of the numbers of the cited chunks. */
  chunks: string;
  cited_at: number;
}

/** An embedding of unit length. */
export interface KnowledgeVectorsTable {
  chunk_key: number;
  /** SQLite: 32-bit floats, little endian. Postgres: `real[]` or `vector`. */
  embedding: unknown;
}

/** The lexical index, whose row ids are keys of chunks: on SQLite a full-text table, on Postgres a `tsvector`. */
export interface KnowledgeTermsTable {
  rowid: number;
  terms: unknown;
}
