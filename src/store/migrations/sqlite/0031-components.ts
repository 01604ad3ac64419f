/**
 * On SQLite: agents, teams and workflows as versioned configurations. Deleted rows stay until no run needs them. `component_revision` has one row at
 * most; its number grows with each change of what runs use.
 */
export const componentsSqlite: string = `
create table components (
  id text not null primary key,
  kind text not null,
  name text not null,
  description text,
  metadata text,
  current_version integer,
  last_version integer not null,
  created_by text,
  created_at integer not null,
  updated_at integer,
  deleted_at integer
) strict;
create index components_created on components (created_at, id);

create table component_versions (
  component_id text not null,
  version integer not null,
  label text,
  stage text not null,
  sets_current integer not null,
  config text not null,
  notes text,
  created_by text,
  created_at integer not null,
  updated_at integer,
  deleted_at integer,
  primary key (component_id, version)
) strict;
create index component_versions_deleted on component_versions (deleted_at) where deleted_at is not null;

create table component_revision (
  id integer not null primary key,
  revision integer not null
) strict;
`;
