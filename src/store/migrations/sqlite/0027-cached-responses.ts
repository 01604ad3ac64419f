/** On SQLite: answers of models that equal requests receive again. */
export const cachedResponsesSqlite: string = `
create table cached_responses (
  digest text not null primary key,
  user_id text,
  body text not null,
  created_at integer not null,
  expires_at integer not null
) strict;
create index cached_responses_users on cached_responses (user_id);
create index cached_responses_expired on cached_responses (expires_at);
`;
