/** On SQLite: what agents learn about users, sessions, entities and their work. */
export const learningsSqlite: string = `
create table learnings (
  learning_id text not null,
  owner text not null,
  learning_type text not null,
  namespace text,
  agent_id text,
  team_id text,
  session_id text,
  entity_id text,
  entity_type text,
  content text not null,
  metadata text,
  created_at integer not null,
  updated_at integer not null,
  primary key (learning_id, owner)
) strict;
create index learnings_updated on learnings (updated_at, learning_id, owner);
create index learnings_owner on learnings (owner, updated_at, learning_id);
create index learnings_type on learnings (learning_type, updated_at, learning_id, owner);
create index learnings_shared on learnings (namespace, owner, learning_type, updated_at, learning_id);
create index learnings_session on learnings (session_id, updated_at, learning_id, owner) where session_id is not null;
create index learnings_entity on learnings (entity_id, updated_at, learning_id, owner) where entity_id is not null;
create index learnings_agent on learnings (agent_id, updated_at, learning_id, owner) where agent_id is not null;
create index learnings_team on learnings (team_id, updated_at, learning_id, owner) where team_id is not null;
`;
