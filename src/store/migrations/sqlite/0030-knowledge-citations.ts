/** Which completed runs cite a document, on SQLite. The chunks are a JSON list of their numbers. */
export const knowledgeCitationsSqlite: string = `
create table knowledge_citations (
  content_key integer not null,
  run_key integer not null,
  chunks text not null,
  cited_at integer not null,
  primary key (run_key, content_key)
) strict, without rowid;
create index knowledge_citations_latest on knowledge_citations (content_key, cited_at);
`;
