/** Service accounts on Postgres. Only the hash of a token is stored. */
export const serviceAccountsPostgres: string = `
create table service_accounts (
  id text collate "C" not null primary key,
  name text collate "C" not null,
  token_hash text collate "C" not null,
  token_prefix text collate "C" not null,
  scopes text not null,
  created_by text collate "C",
  created_at bigint not null,
  expires_at bigint,
  last_used_at bigint,
  revoked_at bigint
);
create unique index service_accounts_token on service_accounts (token_hash);
create unique index service_accounts_name on service_accounts (name) where revoked_at is null;
create index service_accounts_age on service_accounts (created_at, id);
`;
