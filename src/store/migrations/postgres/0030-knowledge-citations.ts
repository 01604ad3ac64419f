/** Which completed runs cite a document, on Postgres. The chunks are a JSON list of their numbers. */
export const knowledgeCitationsPostgres: string = `
create table knowledge_citations (
  content_key bigint not null,
  run_key bigint not null,
  chunks text not null,
  cited_at bigint not null,
  primary key (run_key, content_key)
);
create index knowledge_citations_latest on knowledge_citations (content_key, cited_at);
`;
