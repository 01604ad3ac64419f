/** On Postgres: what agents learn about users, sessions, entities and their work. */
export const learningsPostgres: string = `
create table learnings (
  learning_id text collate "C" not null,
  owner text collate "C" not null,
  learning_type text collate "C" not null,
  namespace text collate "C",
  agent_id text collate "C",
  team_id text collate "C",
  session_id text collate "C",
  entity_id text collate "C",
  entity_type text collate "C",
  content text collate "C" not null,
  metadata text collate "C",
  created_at bigint not null,
  updated_at bigint not null,
  primary key (learning_id, owner)
);
create index learnings_updated on learnings (updated_at, learning_id, owner);
create index learnings_owner on learnings (owner, updated_at, learning_id);
create index learnings_type on learnings (learning_type, updated_at, learning_id, owner);
create index learnings_shared on learnings (namespace, owner, learning_type, updated_at, learning_id);
create index learnings_session on learnings (session_id, updated_at, learning_id, owner) where session_id is not null;
create index learnings_entity on learnings (entity_id, updated_at, learning_id, owner) where entity_id is not null;
create index learnings_agent on learnings (agent_id, updated_at, learning_id, owner) where agent_id is not null;
create index learnings_team on learnings (team_id, updated_at, learning_id, owner) where team_id is not null;
`;
