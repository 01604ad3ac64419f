/** On Postgres: data keys, each wrapped with a key of the operator. */
export const encryptionKeysPostgres: string = `
create table encryption_keys (
  id integer not null primary key,
  origin text collate "C" not null,
  operator_key text collate "C" not null,
  wrapped text collate "C" not null,
  canary text collate "C" not null,
  created_at bigint not null,
  complete smallint not null
);
`;
