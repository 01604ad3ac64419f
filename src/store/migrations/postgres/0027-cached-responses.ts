/** On Postgres: answers of models that equal requests receive again. */
export const cachedResponsesPostgres: string = `
create table cached_responses (
  digest text collate "C" not null primary key,
  user_id text collate "C",
  body text collate "C" not null,
  created_at bigint not null,
  expires_at bigint not null
);
create index cached_responses_users on cached_responses (user_id);
create index cached_responses_expired on cached_responses (expires_at);
`;
