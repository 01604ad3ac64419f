/** On SQLite: data keys, each wrapped with a key of the operator. */
export const encryptionKeysSqlite: string = `
create table encryption_keys (
  id integer not null primary key,
  origin text not null,
  operator_key text not null,
  wrapped text not null,
  canary text not null,
  created_at integer not null,
  complete integer not null
) strict;
`;
