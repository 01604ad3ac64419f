/** On SQLite: memories about users, and one row for each user who has some. */
export const memoriesSqlite: string = `
create table memories (
  key integer not null primary key,
  id text not null,
  user_id text not null,
  body text not null,
  origin text not null,
  agent_id text,
  team_id text,
  run_id text,
  session_id text,
  revision integer not null,
  created_at integer not null,
  updated_at integer not null
) strict;
create unique index memories_id on memories (id);
create index memories_user on memories (user_id, updated_at, key);
create index memories_updated on memories (updated_at, key);
create table memory_users (
  user_id text not null primary key,
  memories integer not null,
  updated_at integer not null
) strict;
create index memory_users_updated on memory_users (updated_at, user_id);
`;
