/** On Postgres: memories about users, and one row for each user who has some. */
export const memoriesPostgres: string = `
create table memories (
  key bigint generated always as identity primary key,
  id text collate "C" not null,
  user_id text collate "C" not null,
  body text collate "C" not null,
  origin text collate "C" not null,
  agent_id text collate "C",
  team_id text collate "C",
  run_id text collate "C",
  session_id text collate "C",
  revision integer not null,
  created_at bigint not null,
  updated_at bigint not null
);
create unique index memories_id on memories (id);
create index memories_user on memories (user_id, updated_at, key);
create index memories_updated on memories (updated_at, key);
create table memory_users (
  user_id text collate "C" not null primary key,
  memories integer not null,
  updated_at bigint not null
);
create index memory_users_updated on memory_users (updated_at, user_id);
`;
