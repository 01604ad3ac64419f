/**
 * Documents on Postgres: contents, their chunks, the lexical index and the embeddings. Embeddings are arrays until the extension pgvector is installed: then the store
 * changes their type to `vector`, and creates an index for each number of dimensions.
 */
export const knowledgePostgres: string = `
create table knowledge_contents (
  key bigint generated always as identity primary key,
  id text collate "C" not null,
  knowledge_id text collate "C" not null,
  owner text collate "C" not null,
  name text,
  description text,
  metadata text,
  type text,
  size bigint,
  origin text not null,
  options text not null,
  hash text collate "C",
  embedder text collate "C",
  status text collate "C" not null,
  status_message text not null,
  generation integer not null,
  chunk_count integer not null,
  token_count integer not null,
  stored integer,
  total integer not null,
  embedded integer not null,
  next_embedder text collate "C",
  next_hash text collate "C",
  access_count integer not null,
  created_at bigint not null,
  updated_at bigint not null,
  body text
);
create unique index knowledge_contents_id on knowledge_contents (knowledge_id, owner, id);
create index knowledge_contents_created on knowledge_contents (knowledge_id, created_at, key);
create index knowledge_contents_owner on knowledge_contents (owner, key);

create table knowledge_chunks (
  key bigint generated always as identity primary key,
  content_key bigint not null,
  generation integer not null,
  number integer not null,
  body text not null,
  tokens integer not null,
  hash text collate "C" not null,
  embedder text collate "C",
  page integer,
  start_offset integer not null,
  end_offset integer not null,
  headings text not null
);
create unique index knowledge_chunks_number on knowledge_chunks (content_key, generation, number);
create index knowledge_chunks_hash on knowledge_chunks (content_key, hash);
create index knowledge_chunks_pending on knowledge_chunks (content_key, number) where embedder is null;

create table knowledge_vectors (
  chunk_key bigint not null primary key,
  embedding real[] not null
);
create table knowledge_terms (
  rowid bigint not null primary key,
  terms tsvector not null
);
create index knowledge_terms_terms on knowledge_terms using gin (terms);
`;
