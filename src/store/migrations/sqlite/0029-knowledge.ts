/**
 * Documents on SQLite: contents, their chunks, the lexical index and the embeddings. The lexical index contains no text, only terms; its row ids are
 * the keys of the chunks. The bytes of a document are in the last column: a read of the others does not pass them.
 */
export const knowledgeSqlite: string = `
create table knowledge_contents (
  key integer not null primary key autoincrement,
  id text not null,
  knowledge_id text not null,
  owner text not null,
  name text,
  description text,
  metadata text,
  type text,
  size integer,
  origin text not null,
  options text not null,
  hash text,
  embedder text,
  status text not null,
  status_message text not null,
  generation integer not null,
  chunk_count integer not null,
  token_count integer not null,
  stored integer,
  total integer not null,
  embedded integer not null,
  next_embedder text,
  next_hash text,
  access_count integer not null,
  created_at integer not null,
  updated_at integer not null,
  body text
) strict;
create unique index knowledge_contents_id on knowledge_contents (knowledge_id, owner, id);
create index knowledge_contents_created on knowledge_contents (knowledge_id, created_at, key);
create index knowledge_contents_owner on knowledge_contents (owner, key);

create table knowledge_chunks (
  key integer not null primary key,
  content_key integer not null,
  generation integer not null,
  number integer not null,
  body text not null,
  tokens integer not null,
  hash text not null,
  embedder text,
  page integer,
  start_offset integer not null,
  end_offset integer not null,
  headings text not null
) strict;
create unique index knowledge_chunks_number on knowledge_chunks (content_key, generation, number);
create index knowledge_chunks_hash on knowledge_chunks (content_key, hash);
create index knowledge_chunks_pending on knowledge_chunks (content_key, number) where embedder is null;

create table knowledge_vectors (
  chunk_key integer not null primary key,
  embedding blob not null
) strict;
create virtual table knowledge_terms using fts5(terms, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0");
`;
