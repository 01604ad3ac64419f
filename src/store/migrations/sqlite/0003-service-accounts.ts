/** Service accounts on SQLite. Only the hash of a token is stored. */
export const serviceAccountsSqlite: string = `
create table service_accounts (
  id text not null primary key,
  name text not null,
  token_hash text not null,
  token_prefix text not null,
  scopes text not null,
  created_by text,
  created_at integer not null,
  expires_at integer,
  last_used_at integer,
  revoked_at integer
) strict;
create unique index service_accounts_token on service_accounts (token_hash);
create unique index service_accounts_name on service_accounts (name) where revoked_at is null;
create index service_accounts_age on service_accounts (created_at, id);
`;
